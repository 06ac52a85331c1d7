import type { ConnectionResource } from '../connection/connection-resource.ts';
import { TEST_EVENT, type EventType } from './events.ts';

const connection: ConnectionResource = {
  id: '0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f',
  application_id: '0192f0c0-1111-7abc-8def-0123456789ab',
  environment: 'live',
  hostname: 'shop.example.com',
  kind: 'subdomain',
  setup_type: 'manual',
  state: 'live',
  provider: 'cloudflare',
  provider_name: 'Cloudflare',
  batch_id: null,
  external_id: 'customer-1234',
  serve: true,
  proof: 'txt',
  error_code: null,
  created_at: '2026-04-01T12:00:00.000Z',
};

const certificate = { status: 'issued', not_after: '2026-06-30T12:00:00.000Z', ca: "Let's Encrypt" };
const record = { host: connection.hostname, type: 'CNAME', value: 'edge.example.net', ttl: 300, priority: null };

const EXAMPLES: Record<EventType, (base: ConnectionResource) => Record<string, unknown>> = {
  'domain.added': (base) => ({
    connection: { ...base, state: 'pending_ownership', provider: null, provider_name: null },
  }),
  'domain.verified': (base) => ({ connection: { ...base, state: 'verified' } }),
  'ssl.issued': (base) => ({ connection: base, certificate }),
  'domain.flow.completed': (base) => ({ connection: base, certificate }),
  'domain.drift': (base) => ({
    connection: { ...base, state: 'drifted' },
    records: [{ record, observed_value: 'old-host.example.net' }],
  }),
  'domain.restored': (base) => ({ connection: base }),
  'domain.stalled': (base) => ({ connection: { ...base, state: 'stalled' } }),
  'domain.failed': (base) => ({ connection: { ...base, state: 'failed', error_code: 'propagation_timeout' } }),
  'domain.claim_lost': (base) => ({ connection: { ...base, state: 'failed', error_code: 'claim_lost' } }),
  'domain.cutover_reverted': (base) => ({
    connection: { ...base, state: 'dns_writing' },
    cutover: { id: '0192f0c4-4444-7abc-8def-0123456789ab', reason: 'The site answered 502 instead of 200 to 399.' },
  }),
  'domain.dangling': (base) => ({ connection: { ...base, state: 'archived' }, records: [record] }),
  'domain.expiring': (base) => ({
    connection: base,
    registration: { domain: 'example.com', expires_at: '2026-05-01T12:00:00.000Z', days: 30 },
  }),
  'ssl.failing': (base) => ({
    connection: { ...base, state: 'issuing_cert', error_code: 'caa_blocked' },
    error: { code: 'caa_blocked', message: 'CAA records at example.com do not allow letsencrypt.org.' },
  }),
  'ssl.expiring': (base) => ({ connection: base, certificate: { ...certificate, source: 'uploaded' } }),
  'batch.completed': (base) => ({
    batch: {
      id: '0192f0c3-3333-7abc-8def-0123456789ab',
      application_id: base.application_id,
      total: 2,
      live: 2,
      failed: 0,
    },
  }),
};

/** Returns example data of an event, for tests of receivers and for the documentation. */
export const exampleData = (
  type: EventType | typeof TEST_EVENT,
  endpoint: { id: string; url: string; application_id: string },
): Record<string, unknown> =>
  type === TEST_EVENT
    ? { endpoint: { id: endpoint.id, url: endpoint.url } }
    : EXAMPLES[type]({ ...connection, application_id: endpoint.application_id });
