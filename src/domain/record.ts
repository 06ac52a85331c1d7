import { canonicalCaa } from './observation/caa-value.ts';

/**
 * DNS records as the whole service speaks of them. Hosts are full names in lower case without a trailing dot; TXT values
 * are the bytes a resolver would return, never quoted, never split; MX and SRV keep their priority beside the value.
 */
export const RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'ALIAS', 'TXT', 'MX', 'CAA', 'NS', 'SRV'] as const;

/** ALIAS is a pseudo-type: "whatever this provider offers that acts like a CNAME at a zone's apex". */
export type RecordType = (typeof RECORD_TYPES)[number];

export interface DnsRecord {
  host: string;
  type: RecordType;
  value: string;
  ttl: number;
  /** MX and SRV only, else null. */
  priority: number | null;
}

export const TTL_MIN = 60;
export const TTL_MAX = 86_400;
export const TTL_DEFAULT = 300;

/** Types whose value is a host name, so that case and a trailing dot do not matter. */
const NAME_VALUED: ReadonlySet<RecordType> = new Set(['CNAME', 'ALIAS', 'MX', 'NS', 'SRV']);

/** The one spelling of a value, so that two values mean the same exactly when their canonical forms are equal. */
export function canonicalValue(type: RecordType, value: string): string {
  if (type === 'TXT') return value;
  if (NAME_VALUED.has(type)) return value.trim().toLowerCase().replace(/\.$/, '');
  if (type === 'AAAA') return canonicalIpv6(value.trim());
  if (type === 'CAA') return canonicalCaa(value.trim());
  return value.trim();
}

export const sameValue = (type: RecordType, a: string, b: string): boolean =>
  canonicalValue(type, a) === canonicalValue(type, b);

/** RFC 5952 by way of the URL parser, which every runtime of ours has; what it refuses is compared as it stands. */
function canonicalIpv6(value: string): string {
  const parsed = URL.parse(`http://[${value}]/`);
  return parsed === null ? value.toLowerCase() : parsed.hostname.slice(1, -1);
}

/** What a person types at a provider: the name relative to the zone, `@` at the zone's apex. */
export function relativeHost(host: string, zone: string): string {
  if (host === zone) return '@';
  return host.endsWith(`.${zone}`) ? host.slice(0, -(zone.length + 1)) : host;
}

/** Whether the name is the zone's apex or lies below it. The root zone, an empty name, contains every name. */
export const isInZone = (name: string, zone: string): boolean =>
  zone === '' || name === zone || name.endsWith(`.${zone}`);
