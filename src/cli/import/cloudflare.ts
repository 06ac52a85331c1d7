import { z } from 'zod';
import { piecesIn } from './json-rows.ts';
import { refusedRow, routedRow, type Findings, type ImportRow, type ImportSource } from './source.ts';
import { textOf } from './text.ts';

/** Fields of a custom hostname that are taken over, or that concern only Cloudflare. */
const KNOWN: ReadonlySet<string> = new Set([
  'id',
  'hostname',
  'ssl',
  'status',
  'created_at',
  'custom_metadata',
  'custom_origin_server',
  'ownership_verification',
  'ownership_verification_http',
  'verification_errors',
]);

/** Fields of `ssl`. Cloudflare keeps the private keys, so no certificate can move. */
const KNOWN_SSL: ReadonlySet<string> = new Set([
  'id',
  'bundle_method',
  'certificate_authority',
  'custom_certificate',
  'custom_csr_id',
  'custom_key',
  'dcv_delegation_records',
  'expires_on',
  'hosts',
  'issuer',
  'method',
  'serial_number',
  'settings',
  'signature',
  'status',
  'type',
  'uploaded_on',
  'validation_errors',
  'validation_records',
  'wildcard',
]);

const CustomHostname = z.looseObject({
  hostname: z.string(),
  status: z.string().nullish(),
  custom_origin_server: z.string().nullish(),
  custom_metadata: z.record(z.string(), z.unknown()).nullish(),
  ssl: z.looseObject({}).nullish(),
});

const PageInfo = z.looseObject({ total_count: z.number() });

/** Statuses of hostnames that Cloudflare no longer serves. */
const GONE: ReadonlySet<string> = new Set(['deleted', 'pending_deletion', 'moved', 'blocked', 'pending_blocked']);

/** Reads answers of `GET /zones/{zone_id}/custom_hostnames`. */
export const cloudflareSource = (file: string): ImportSource => ({
  async *rows(findings) {
    let [read, total] = [0, 0];
    for await (const { kind, value } of piecesIn(textOf(file), file, { rows: 'result', info: 'result_info' })) {
      if (kind === 'info') total = PageInfo.safeParse(value).data?.total_count ?? total;
      else {
        read++;
        yield rowOf(value, findings);
      }
    }
    if (read < total)
      findings.warnings.push(`${file} has ${read} of ${total} hostnames. Add the other pages of the list.`);
  },
});

/**
 * Cloudflare sends the visitor's hostname as the Host header, and https to a custom origin server (mode Full). The
 * application's origin takes the place of the fallback origin.
 */
function rowOf(value: unknown, { ignored }: Findings): ImportRow {
  const parsed = CustomHostname.safeParse(value);
  if (!parsed.success) return refusedRow('', 'invalid_row', 'The row is no custom hostname as the API returns it.');
  const { hostname, status, custom_origin_server: origin, custom_metadata: metadata, ssl } = parsed.data;
  ignored.addOf(parsed.data, KNOWN);
  ignored.addOf(ssl ?? {}, KNOWN_SSL, 'ssl.');
  if (GONE.has(status ?? '')) return refusedRow(hostname, 'not_served', `Cloudflare lists it as ${status ?? ''}.`);
  return routedRow(hostname, {
    host_header: 'visitor',
    ...(origin ? { origin_url: `https://${origin}` } : {}),
    ...(metadata && Object.keys(metadata).length > 0 ? { metadata } : {}),
  });
}
