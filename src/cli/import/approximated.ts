import { z } from 'zod';
import { piecesIn } from './json-rows.ts';
import { refusedRow, routedRow, type Findings, type ImportRow, type ImportSource } from './source.ts';
import { textOf } from './text.ts';

/** Fields of a virtual host that are taken over, or that concern only Approximated. */
const KNOWN: ReadonlySet<string> = new Set([
  'id',
  'incoming_address',
  'target_address',
  'target_ports',
  'redirect',
  'redirect_www', // it has created a virtual host of its own
  'exact_match',
  'keep_host',
  'apx_hit',
  'created_at',
  'dns_pointed_at',
  'has_ssl',
  'is_resolving',
  'last_monitored_humanized',
  'last_monitored_unix',
  'ssl_active_from',
  'ssl_active_until',
  'status',
  'status_message',
  'user_message',
]);

const VirtualHost = z.looseObject({
  incoming_address: z.string(),
  target_address: z.string(),
  target_ports: z.union([z.string(), z.number()]).nullish(),
  redirect: z.boolean().nullish(),
  exact_match: z.boolean().nullish(),
  keep_host: z.union([z.boolean(), z.string()]).nullish(),
});
type VirtualHost = z.infer<typeof VirtualHost>;

/** Reads answers of Approximated's API with virtual hosts. */
export const approximatedSource = (file: string): ImportSource => ({
  async *rows(findings) {
    for await (const { value } of piecesIn(textOf(file), file, { rows: 'data' })) yield rowOf(value, findings);
  },
});

function rowOf(value: unknown, { ignored }: Findings): ImportRow {
  const parsed = VirtualHost.safeParse(value);
  if (!parsed.success) return refusedRow('', 'invalid_row', 'The row is no virtual host as the API returns it.');
  const host = parsed.data;
  ignored.addOf(host, KNOWN);
  const { incoming_address: hostname } = host;
  if (host.exact_match === true)
    return refusedRow(hostname, 'exact_match', 'It matches one path only (exact_match). Routes here have no paths.');
  if (host.redirect === true) return routedRow(hostname, { redirect: { to: host.target_address, status: 301 } });
  const origin_url = originOf(host);
  if (origin_url === null)
    return refusedRow(
      hostname,
      'target_ports',
      `Port ${String(host.target_ports)} may be http or https. Import the row from CSV, with its origin_url.`,
    );
  return routedRow(hostname, { origin_url, ...(isKept(host) ? { host_header: 'visitor' } : {}) });
}

/** Approximated replaces the Host header by the target's, unless the virtual host keeps it. */
const isKept = ({ keep_host }: VirtualHost): boolean => keep_host === true || keep_host === 'true';

/** Returns the target as a URL; null if its scheme is not known. Port 443, the default, is https, and 80 is http. */
function originOf({ target_address: target, target_ports }: VirtualHost): string | null {
  const port = String(target_ports ?? '');
  if (/^https?:\/\//i.test(target)) {
    const url = URL.parse(target);
    if (url !== null && port !== '' && url.port === '') url.port = port;
    return url?.href ?? target;
  }
  const scheme = { '': 'https', '443': 'https', '80': 'http' }[port];
  return scheme === undefined ? null : `${scheme}://${target}`;
}
