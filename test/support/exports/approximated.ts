/**
 * A virtual host as Approximated's API returns it. On 2026-11-18 only the beginning of https://approximated.app/docs was at
 * hand, so the fields are those of public clients of `GET /api/vhosts/by/incoming/{address}`, not of a real answer.
 */
export const virtualHost = (incoming_address: string, changes: object = {}) => ({
  apx_hit: true,
  created_at: '2024-03-01T09:12:44',
  dns_pointed_at: '198.51.100.7',
  has_ssl: true,
  id: 4711,
  incoming_address,
  is_resolving: true,
  keep_host: null as boolean | null,
  last_monitored_humanized: '1 hour ago',
  last_monitored_unix: 1_794_990_000,
  ssl_active_from: '2026-10-01T00:00:00',
  ssl_active_until: '2026-12-30T23:59:59',
  status: 'ACTIVE_SSL',
  status_message: 'Active with SSL',
  target_address: 'app.fleet-origin.com',
  target_ports: '443',
  ...changes,
});

/** A list in the envelope of a single virtual host. No documentation of a list was at hand. */
export const virtualHosts = (data: readonly object[]) => ({ data });
