import { z } from 'zod';
import { fromRelative, undotted } from '../toolkit/names.ts';
import { caaParts, fromCaaParts, fromFlat, fromRdata, srvParts } from '../toolkit/rdata.ts';
import type { RecordSet, ValueCodec } from '../toolkit/record-sets.ts';

/** One value of a set. Unknown fields are kept and sent back unchanged. */
const AzureValue = z.looseObject({
  ipv4Address: z.string().optional(),
  ipv6Address: z.string().optional(),
  cname: z.string().optional(),
  exchange: z.string().optional(),
  preference: z.number().optional(),
  nsdname: z.string().optional(),
  ptrdname: z.string().optional(),
  priority: z.number().optional(),
  weight: z.number().optional(),
  port: z.number().optional(),
  target: z.string().optional(),
  flags: z.number().optional(),
  tag: z.string().optional(),
  /** The character strings of a TXT value, or the value of a CAA. */
  value: z.union([z.string(), z.array(z.string())]).optional(),
});
export type AzureValue = z.infer<typeof AzureValue>;

export const Metadata = z.record(z.string(), z.string());

export const AzureRecordSet = z.object({
  name: z.string(),
  type: z.string(),
  etag: z.string(),
  // A set whose values cannot be read must be an error: as an empty set it would be overwritten.
  properties: z.preprocess(
    (given) => ({ ...(given as object), values: valuesIn(given as object) }),
    z.object({
      TTL: z.number().default(0),
      metadata: Metadata.nullish(),
      targetResource: z.object({ id: z.string().nullish() }).nullish(),
      values: z.array(AzureValue),
    }),
  ),
});

/** Each type has its values under its own key. All keys hold lists except one. */
function valuesIn(properties: object): unknown[] {
  const [, listed] = Object.entries(properties).find(([key]) => /^[a-z]+Records?$/i.test(key)) ?? [];
  return [(listed as unknown) ?? []].flat();
}

/** A set with the data that Azure keeps for it, and with its name as the zone spells it. */
export interface AzureSet extends RecordSet<AzureValue> {
  name: string;
  etag: string;
  metadata: z.infer<typeof Metadata>;
  /** The Azure resource that an alias set points to. An alias set has no values. */
  target: string | undefined;
}

export function setOf({ name, type, etag, properties }: z.infer<typeof AzureRecordSet>, zone: string): AzureSet {
  return {
    host: fromRelative(name, zone),
    name,
    type: type.split('/').at(-1) ?? type,
    ttl: properties.TTL,
    values: properties.values,
    etag,
    metadata: properties.metadata ?? {},
    target: properties.targetResource?.id ?? undefined,
  };
}

/** Returns the values of a set under the key of their type. */
export function propertiesOf(type: string, values: readonly AzureValue[]): Record<string, unknown> {
  if (type === 'CNAME') return { CNAMERecord: values[0] };
  return { [type === 'CAA' ? 'caaRecords' : `${type}Records`]: values };
}

export const codec: ValueCodec<AzureValue> = {
  typeOf: ({ type }) => type,
  encode: ({ type, value, priority }) => {
    switch (type) {
      case 'A':
        return { ipv4Address: value };
      case 'AAAA':
        return { ipv6Address: value };
      case 'CNAME':
        return { cname: value };
      case 'NS':
        return { nsdname: value };
      case 'MX':
        return { preference: priority ?? 0, exchange: value };
      case 'SRV':
        return { priority: priority ?? 0, ...srvParts(value) };
      case 'CAA':
        return { ...caaParts(value) };
      default:
        return { value: stringsOf(value) };
    }
  },
  decode: (type, value) => {
    const { flags = 0, tag = '', weight = 0, port = 0, target = '' } = value;
    const text = [value.value ?? []].flat().join('');
    if (type === 'TXT') return fromFlat(type, text, null);
    if (type === 'CAA') return fromCaaParts({ flags, tag, value: text });
    if (type === 'MX') return fromFlat(type, value.exchange ?? '', value.preference);
    if (type === 'SRV') return fromFlat(type, `${weight} ${port} ${undotted(target)}`, value.priority);
    const { ipv4Address, ipv6Address, cname, nsdname, ptrdname } = value;
    return fromRdata(type, ipv4Address ?? ipv6Address ?? cname ?? nsdname ?? ptrdname ?? JSON.stringify(value));
  },
};

/** Splits text into strings of at most 255 bytes. They are sent as JSON, so no string may end inside a character. */
function stringsOf(value: string): string[] {
  const strings = [''];
  for (const character of value) {
    const longer = (strings.at(-1) ?? '') + character;
    if (Buffer.byteLength(longer) <= 255) strings.splice(-1, 1, longer);
    else strings.push(character);
  }
  return strings;
}
