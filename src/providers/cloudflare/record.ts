import { z } from 'zod';
import type { Addition, ZoneRecord } from '../../domain/zone/zone-record.ts';
import { undotted } from '../toolkit/names.ts';
import { caaParts, fromCaaParts, fromRdata, srvParts } from '../toolkit/rdata.ts';
import { quoteTxt } from '../toolkit/txt.ts';
import type { CfNewRecord, CfRecord } from './client.ts';

/** Cloudflare flattens a CNAME at the apex, which the rest of the service calls ALIAS. */
export function fromCloudflare(record: CfRecord, zone: string): ZoneRecord {
  const host = undotted(record.name);
  return {
    ...valueOf(record, host === zone),
    host,
    ttl: record.ttl,
    id: record.id,
    readOnly: record.meta?.read_only === true || record.meta?.email_routing === true,
    extra: {
      proxied: record.proxied ?? false,
      comment: record.comment ?? null,
      tags: record.tags ?? [],
      settings: record.settings ?? {},
      content: record.content,
    },
  };
}

export function toCloudflare(record: Addition): CfNewRecord {
  const { host, type, ttl, priority } = record;
  const { content: kept } = Kept.safeParse(record.extra).data ?? {};
  const content = contentOf(record);
  return {
    name: host,
    ttl,
    ...settingsOf(record),
    ...content,
    // Keep the former spelling: text with or without quotes, targets in capitals.
    ...(kept !== undefined && content.data === undefined && { content: kept }),
    ...(type === 'MX' && { priority: priority ?? 0 }),
  };
}

function valueOf(record: CfRecord, atApex: boolean): Pick<ZoneRecord, 'type' | 'value' | 'priority'> {
  const { type, content, data, priority } = record;
  const srv = SrvData.safeParse(data);
  const caa = CaaData.safeParse(data);
  if (type === 'MX') return { type, value: undotted(content), priority: priority ?? 0 };
  if (type === 'CNAME' && atApex) return { type: 'ALIAS', value: undotted(content), priority: null };
  if (type === 'SRV' && srv.success) {
    const { weight, port, target } = srv.data;
    return { type, value: `${weight} ${port} ${undotted(target)}`, priority: srv.data.priority };
  }
  if (type === 'CAA' && caa.success) return fromCaaParts(caa.data);
  return fromRdata(type, content);
}

const SrvData = z.object({ priority: z.number(), weight: z.number(), port: z.number(), target: z.string() });
const CaaData = z.object({ flags: z.number(), tag: z.string(), value: z.string() });

function contentOf({ type, value, priority }: Addition): Pick<CfNewRecord, 'type' | 'content' | 'data'> {
  switch (type) {
    case 'SRV':
      return { type, data: { priority: priority ?? 0, ...srvParts(value) } };
    case 'CAA':
      return { type, data: { ...caaParts(value) } };
    case 'TXT':
      return { type, content: quoteTxt(value) };
    case 'ALIAS':
      return { type: 'CNAME', content: value };
    default:
      return { type, content: value };
  }
}

const Kept = z.object({
  proxied: z.boolean(),
  comment: z.string().nullable(),
  tags: z.array(z.string()),
  settings: z.record(z.string(), z.unknown()).default({}),
  content: z.string().optional(),
});

/** Our records are explicitly unproxied; the account's default may differ. A restored record keeps its settings. */
function settingsOf({ type, extra }: Addition): Pick<CfNewRecord, 'proxied' | 'comment' | 'tags' | 'settings'> {
  const kept = Kept.safeParse(extra).data;
  const canBeProxied = type === 'A' || type === 'AAAA' || type === 'CNAME' || type === 'ALIAS';
  return {
    ...(canBeProxied && { proxied: kept?.proxied ?? false }),
    ...(kept?.comment != null && { comment: kept.comment }),
    ...(kept && kept.tags.length > 0 && { tags: kept.tags }),
    ...(kept && Object.keys(kept.settings).length > 0 && { settings: kept.settings }),
  };
}
