import { canonicalCaa, formatCaa, parseCaa, type CaaValue } from '../../domain/observation/caa-value.ts';
import type { DnsRecord } from '../../domain/record.ts';
import type { ZoneRecord } from '../../domain/zone/zone-record.ts';
import { dotted, undotted } from './names.ts';
import { quoteTxt, unquoteTxt } from './txt.ts';

/** Returns a value in zone-file form (RFC 1035 section 5): trailing dots, TXT in quotes, the priority first. */
export function toRdata(record: Pick<DnsRecord, 'type' | 'value' | 'priority'>, radix: 8 | 10 = 10): string {
  const { type, value, priority } = record;
  if (type === 'TXT') return quoteTxt(value, radix);
  if (type === 'MX' || type === 'SRV') return `${priority ?? 0} ${dotted(value)}`;
  if (type === 'CNAME' || type === 'ALIAS' || type === 'NS') return dotted(value);
  return type === 'CAA' ? canonicalCaa(value) : value;
}

/** Parses a value in zone-file form. An unsupported type keeps its name and data in the value. */
export function fromRdata(
  type: string,
  rdata: string,
  radix: 8 | 10 = 10,
): Pick<ZoneRecord, 'type' | 'value' | 'priority'> {
  switch (type) {
    case 'TXT':
      return { type, value: unquoteTxt(rdata, radix), priority: null };
    case 'MX':
    case 'SRV': {
      const [priority = '0', ...rest] = rdata.trim().split(/\s+/);
      return { type, value: undotted(rest.join(' ')), priority: Number(priority) };
    }
    case 'CNAME':
    case 'ALIAS':
    case 'NS':
      return { type, value: undotted(rdata), priority: null };
    case 'CAA':
      return { type, value: canonicalCaa(rdata), priority: null };
    case 'A':
    case 'AAAA':
      return { type, value: rdata, priority: null };
    default:
      return { type: 'OTHER', value: `${type} ${rdata}`, priority: null };
  }
}

/** Makes a target absolute, for servers that read a name without a trailing dot as relative (RFC 1035 section 5.1). */
export function withAbsoluteTarget(type: string, rdata: string, zone: string): string {
  if (!/^(ALIAS|CNAME|DNAME|MX|NS|PTR|SRV)$/.test(type) || rdata.endsWith('.')) return rdata;
  return rdata.replace(/\S+$/, (name) => (name === '@' ? `${zone}.` : `${name}.${zone}.`));
}

/** Returns the parts of a CAA value. Malformed text gives empty parts, which every provider refuses. */
export const caaParts = (value: string): CaaValue => parseCaa(value) ?? { flags: 0, tag: '', value: '' };

/** Returns the CAA value of a provider that keeps its parts in separate fields. */
export const fromCaaParts = ({ flags, tag, value }: { [part in keyof CaaValue]: CaaValue[part] | null | undefined }) =>
  ({
    type: 'CAA',
    value: formatCaa({ flags: flags ?? 0, tag: tag ?? '', value: value ?? '' }),
    priority: null,
  }) as const;

/** Whether the server manages records of this type itself: SOA and DNSSEC types. Plans ignore them. */
export const isServerOwn = (type: string): boolean =>
  /^(SOA|RRSIG|NSEC|NSEC3|NSEC3PARAM|DNSKEY|CDS|CDNSKEY|TSIG|TKEY)$/.test(type);

/** Returns the parts of an SRV value in our form: `weight port target`. */
export function srvParts(value: string): { weight: number; port: number; target: string } {
  const [weight = '0', port = '0', target = ''] = value.trim().split(/\s+/);
  return { weight: Number(weight), port: Number(port), target: undotted(target) };
}

/** Returns a value of a provider with a separate priority field, no trailing dots and no quotes. */
export function fromFlat(
  type: string,
  content: string,
  priority: number | null | undefined,
): Pick<ZoneRecord, 'type' | 'value' | 'priority'> {
  switch (type) {
    case 'TXT':
      return { type, value: content, priority: null };
    case 'MX':
      return { type, value: undotted(content), priority: priority ?? 0 };
    case 'SRV': {
      const { weight, port, target } = srvParts(content);
      return { type, value: `${weight} ${port} ${target}`, priority: priority ?? 0 };
    }
    default:
      return fromRdata(type, content);
  }
}
