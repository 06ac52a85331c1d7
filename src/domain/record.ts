import { canonicalCaa } from './observation/caa-value.ts';

/** DNS record types of the service. Hosts are in lower case without a trailing dot; TXT is neither quoted nor split. */
export const RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'ALIAS', 'TXT', 'MX', 'CAA', 'NS', 'SRV'] as const;

/** Includes ALIAS, a pseudo-type for any feature of a provider that acts like a CNAME at a zone's apex. */
export type RecordType = (typeof RECORD_TYPES)[number];

export interface DnsRecord {
  host: string;
  type: RecordType;
  value: string;
  ttl: number;
  /** For MX and SRV; null for other types. */
  priority: number | null;
}

/** Returns the fields of the record itself, without those that a desired or a wanted record adds. */
export const plainRecord = ({ host, type, value, ttl, priority }: DnsRecord): DnsRecord => ({
  host,
  type,
  value,
  ttl,
  priority,
});

export const TTL_MIN = 60;
export const TTL_MAX = 86_400;
export const TTL_DEFAULT = 300;

/** Types whose value is a host name: letter case and a trailing dot do not matter. */
const NAME_VALUED: ReadonlySet<RecordType> = new Set(['CNAME', 'ALIAS', 'MX', 'NS', 'SRV']);

/** Returns the canonical spelling of a value. Two values are equal exactly when their canonical spellings are. */
export function canonicalValue(type: RecordType, value: string): string {
  if (type === 'TXT') return value;
  if (NAME_VALUED.has(type)) return value.trim().toLowerCase().replace(/\.$/, '');
  if (type === 'AAAA') return canonicalIpv6(value.trim());
  if (type === 'CAA') return canonicalCaa(value.trim());
  return value.trim();
}

export const sameValue = (type: RecordType, a: string, b: string): boolean =>
  canonicalValue(type, a) === canonicalValue(type, b);

/** Converts an IPv6 address to the form of RFC 5952; other text only gets lower case. */
function canonicalIpv6(value: string): string {
  const parsed = URL.parse(`http://[${value}]/`);
  return parsed === null ? value.toLowerCase() : parsed.hostname.slice(1, -1);
}

/** Names whose TXT record set holds one value only, so that a second one would void both. */
const ONE_TEXT = /^(?:[^.]+\._domainkey|_dmarc|_mta-sts|_smtp\._tls|(?:[^.]+\.)?_bimi)\./;
export const holdsOneText = (name: string): boolean => ONE_TEXT.test(name);

/** Returns the name that a person types at a provider: relative to the zone, `@` for the apex. */
export function relativeHost(host: string, zone: string): string {
  if (host === zone) return '@';
  return host.endsWith(`.${zone}`) ? host.slice(0, -(zone.length + 1)) : host;
}

/** Whether the name is the zone's apex or lies below it. The root zone, an empty name, contains every name. */
export const isInZone = (name: string, zone: string): boolean =>
  zone === '' || name === zone || name.endsWith(`.${zone}`);
