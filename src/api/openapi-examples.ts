import type { ErrorCode } from '../domain/errors.ts';

type Json = Record<string, unknown>;

/** Likely values by the name of a field, or by its name and that of the field around it; the first that fits is shown. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  id: ['0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f'],
  application_id: ['0192f0c0-1111-7abc-8def-0123456789ab'],
  key_id: ['0192f0c2-2222-7abc-8def-0123456789ab'],
  target_id: ['0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f'],
  batch_id: [null, '0192f0c3-3333-7abc-8def-0123456789ab'],
  connection_id: ['0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f'],
  result: ['created'],
  problem: [null],
  states: [{ propagating: 10, live: 988, failed: 2 }],
  'hostnames.hostname': ['shop.example.com'],
  external_id: ['customer-1234'],
  hostname: ['shop.example.com'],
  domain: ['shop.example.com'],
  name: ['Shop'],
  display_name: ['Acme Shops'],
  'ownership_challenge.name': ['_service-challenge.shop.example.com'],
  'ownership_challenge.value': ['zX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0'],
  environment: ['live'],
  kind: ['subdomain', 'key', 'connect'],
  state: ['propagating'],
  from: ['verified'],
  to: ['propagating'],
  reason: ['The records are not there yet.', null],
  error_code: [null],
  setup_type: ['manual'],
  setup_types: [['automatic', 'manual']],
  provider: ['cloudflare'],
  provider_slug: ['cloudflare'],
  slug: ['cloudflare'],
  host: ['shop.example.com', 'shop.example.test'],
  'record_template.host': ['@'],
  relative_host: ['shop'],
  panel_host: ['shop'],
  panel_type: ['CNAME'],
  panel_value: ['edge.example.net'],
  'records_to_add.status': ['wrong'],
  'provider_panel.url': ['https://dash.cloudflare.com'],
  'provider_panel.name': ['Cloudflare'],
  'steps.code': ['open'],
  'steps.params': [{ path: 'DNS › Records › Add record' }],
  params: [{ host: 'shop.example.com', found: 'old-host.example.net', value: 'edge.example.net' }],
  url: [
    'https://app.example.com/webhooks',
    'https://api.example.net/share/kX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0',
  ],
  success_url: ['https://app.example.com/billing/done'],
  cancel_url: ['https://app.example.com/billing'],
  checkout_url: ['https://checkout.stripe.com/c/pay/cs_live_a1b2'],
  plan: ['growth'],
  period: ['2026-11'],
  'price.currency': ['eur'],
  'price.interval': ['month'],
  'price.amount': [2_900],
  features: [[]],
  dkim: [['selector1-example-com._domainkey.example.onmicrosoft.com']],
  notes: [['Add the SPF record by hand if you send from nowhere else.']],
  unread: [[]],
  expires_in: [604_800],
  type: ['CNAME', 'TXT', 'domain.verified'],
  endpoint_id: ['0192f0c4-4444-7abc-8def-0123456789ab'],
  event_id: ['0192f0c5-5555-7abc-8def-0123456789ab'],
  event_type: ['domain.verified'],
  events: [['domain.verified', 'domain.drift']],
  signing_secret: ['whsec_MfKQ…'],
  disabled_reason: [null],
  disabled_at: [null],
  failing_since: [null],
  paused_until: [null],
  next_secret_activates_at: [null],
  sequence: [2],
  'attempts.error': [null],
  'attempts.response': ['ok'],
  status_code: [200],
  duration_ms: [48],
  value: ['edge.example.net'],
  'record_template.value': ['{cname_target}'],
  observed_value: ['old-host.example.net'],
  ttl: [300],
  priority: [null],
  when: ['subdomain'],
  propagated: [false],
  code: ['wrong_value'],
  severity: ['error'],
  message: ['CNAME shop.example.com leads to old-host.example.net.'],
  fix: ['Change its value to edge.example.net.'],
  status: ['pending', 'ok'],
  ca: ["Let's Encrypt"],
  not_after: ['2026-06-30T12:00:00.000Z'],
  cleanup: ['none'],
  revoked_at: [null],
  next_cursor: [null],
  allowed_origins: [['https://app.example.com']],
  origin_url: ['https://origin.example.com'],
  scopes: [['connections:read', 'connections:write']],
  last4: ['7Qx2'],
  secret: ['sk_live_4fV0…'],
  auth_token: ['eyJhbGciOiJIUzI1NiIs…'],
  credentials: [{ api_token: 'the-token-that-the-provider-gave-you' }],
  label: ['DNS of example.com'],
  hint: ['…a1b2'],
  zones: [['example.com']],
  zone: ['example.com'],
  nameserver: ['ada.ns.cloudflare.com'],
  nameserver_patterns: [['*.ns.cloudflare.com']],
  registered: [true],
  dnssec: ['insecure'],
  mx: [['10 mail.example.com']],
  spf: ['v=spf1 include:_spf.example.com -all'],
  dmarc: ['v=DMARC1; p=none'],
  instructions_url: ['https://api.example.net/docs/providers/cloudflare'],
  control_panel_url: ['https://dash.cloudflare.com'],
  category: ['token'],
  action: ['key.created'],
  fields: [['name', 'scopes'], [{ name: 'api_token', label: 'API token', secret: true, required: true, help: '' }]],
  limitations: [[]],
  request_id: ['b7c6f9d2-3c1e-4a55-9f0e-2f7f5a1f0b11'],
  values: [2],
  cursor: ['eyJjIjoi…'],
};
const MOMENT = '2026-04-01T12:00:00.000Z';

/** A value that the schema allows and a reader understands. */
export function exampleOf(schema: Json, components: Json, path: readonly string[] = []): unknown {
  const known = likely(schema, path);
  if (known !== undefined) return known;
  if (typeof schema['$ref'] === 'string') {
    const id = schema['$ref'].split('/').at(-1) ?? '';
    return exampleOf((components[id] ?? {}) as Json, components, path);
  }
  if (Array.isArray(schema['anyOf'])) return exampleOf((schema['anyOf'] as Json[])[0] ?? {}, components, path);
  if (schema['const'] !== undefined) return schema['const'];
  const values = (schema['enum'] ?? schema['x-known-values']) as unknown[] | undefined;
  if (values !== undefined) return values[0];
  if (schema['format'] === 'date-time') return MOMENT;
  switch (typesOf(schema)[0]) {
    case 'object':
      return objectExample(schema, components, path);
    case 'array':
      return [exampleOf((schema['items'] ?? {}) as Json, components, path)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 1;
    case 'string':
      return 'text';
    default:
      return null;
  }
}

function objectExample(schema: Json, components: Json, path: readonly string[]): Json {
  const properties = (schema['properties'] ?? {}) as Record<string, Json>;
  return Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, exampleOf(inner, components, [...path, name])]),
  );
}

function likely(schema: Json, path: readonly string[]): unknown {
  const candidates = [VALUES[path.slice(-2).join('.')], VALUES[path.at(-1) ?? '']].flatMap((values) => values ?? []);
  return candidates.find((value) => fits(schema, value));
}

/** As much of JSON Schema as tells apart fields of one name. */
function fits(schema: Json, value: unknown): boolean {
  if (Array.isArray(schema['anyOf'])) return (schema['anyOf'] as Json[]).some((one) => fits(one, value));
  if (schema['$ref'] !== undefined) return false;
  if (schema['const'] !== undefined) return schema['const'] === value;
  const values = (schema['enum'] ?? schema['x-known-values']) as unknown[] | undefined;
  if (values !== undefined) return values.includes(value);
  const items = schema['items'] as Json | undefined;
  const types = typesOf(schema);
  if (Array.isArray(value)) return types.includes('array') && value.every((item) => fits(items ?? {}, item));
  if (value === null) return types.includes('null');
  if (typeof value === 'string')
    return (
      types.includes('string') &&
      (typeof schema['format'] !== 'string' || isOfFormat(schema['format'], value)) &&
      (typeof schema['pattern'] !== 'string' || new RegExp(schema['pattern'], 'u').test(value))
    );
  if (typeof value === 'number') return types.includes('integer') || types.includes('number');
  return types.includes(typeof value);
}

const typesOf = ({ type }: Json): unknown[] => (Array.isArray(type) ? type : [type]);

const isOfFormat = (format: string, value: string): boolean =>
  format === 'uuid' ? /^[0-9a-f-]{36}$/.test(value) : format !== 'date-time' || value.endsWith('Z');

/** A refusal as it is answered, with a usual sentence of the code. */
export const errorExample = (code: ErrorCode): Json => ({
  error: { code, message: MESSAGES[code] ?? 'What happened, and what to do.', details: DETAILS[code] ?? null },
});

const MESSAGES: Partial<Record<ErrorCode, string>> = {
  invalid: 'hostname is required.',
  unauthorized: 'Send a valid API key or widget token as "Authorization: Bearer <credential>".',
  forbidden: 'This credential lacks the scope connections:write.',
  not_found: 'No such object.',
  HostnameConflict: 'shop.example.com is already connected by a connection of yours in the live environment.',
  payload_too_large: 'The body is larger than 100 kB.',
  unsupported_media_type: 'Send the body as application/json.',
  rate_limited: 'Too many requests. Try again in 1 s.',
  headers_too_large: 'The request line and headers are larger than 16 kB.',
  internal: 'Something went wrong on our side.',
  unavailable: 'The database cannot serve this now. Try again.',
  ownership_not_found: 'There is no TXT record at _service-challenge.shop.example.com yet.',
  invalid_state: 'The connection is archived; create a new one.',
  idempotency_in_progress: 'The first request with this Idempotency-Key is still running.',
  idempotency_key_reused: 'This Idempotency-Key was used with another body.',
  provider_error: 'cloudflare did not answer in time.',
};

const REF = { ref: 'b7c6f9d2-3c1e-4a55-9f0e-2f7f5a1f0b11' };
const DETAILS: Partial<Record<ErrorCode, unknown>> = {
  invalid: [{ path: 'body.hostname', code: 'invalid_type', message: 'hostname is required.' }],
  HostnameConflict: {
    hostname: 'shop.example.com',
    same_tenant: true,
    connection_id: '0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f',
  },
  ownership_not_found: {
    name: '_service-challenge.shop.example.com',
    expected: 'zX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0',
    outcome: 'missing',
    observed: [],
    checked_at: MOMENT,
  },
  internal: REF,
  unavailable: REF,
};
