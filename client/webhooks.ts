import type { components } from './schema.d.ts';

type Connection = components['schemas']['Connection'];
type DnsRecord = Omit<components['schemas']['Record'], 'relative_host'>;

/** Fields of every event. */
interface Envelope<T extends string, D> {
  /** Id of the event. It is the same on every attempt and replay, so you can use it to skip duplicates. */
  id: string;
  type: T;
  /** Time when the event happened, not when it was sent. */
  timestamp: string;
  api_version: 'v1';
  environment: 'test' | 'live';
  application_id: string;
  /** Increases by one with each event of a connection. Null if the event concerns no connection. */
  sequence: number | null;
  data: D;
}

interface OfConnection {
  connection: Connection;
}
interface OfCertificate extends OfConnection {
  certificate: { status: string; not_after: string | null; ca: string | null };
}

export type WebhookEvent =
  | Envelope<
      | 'domain.added'
      | 'domain.verified'
      | 'domain.flow.completed'
      | 'domain.restored'
      | 'domain.stalled'
      | 'domain.failed'
      | 'domain.claim_lost',
      OfConnection
    >
  | Envelope<'domain.cutover_reverted', OfConnection & { cutover: { id: string; reason: string } }>
  | Envelope<'ssl.issued', OfConnection & Partial<OfCertificate>>
  | Envelope<'ssl.failing', OfConnection & { error: { code: string; message: string } }>
  | Envelope<'ssl.expiring', OfCertificate>
  | Envelope<'domain.drift', OfConnection & { records: { record: DnsRecord; observed_value: string | null }[] }>
  | Envelope<'batch.completed', { batch: Record<string, unknown> }>
  | Envelope<'webhook.test', { endpoint: { id: string; url: string } }>;

/** The request does not come from the service. Answer with 400 and ignore the body. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly code: 'missing_header' | 'too_old' | 'bad_signature';

  constructor(code: WebhookVerificationError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

interface FetchHeaders {
  get(name: string): string | null;
}
/** Headers of fetch or of Node's http. */
export type GivenHeaders = FetchHeaders | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Maximum difference between the sender's clock and this one. Defaults to 300. */
  toleranceSeconds?: number;
  /** Current time in milliseconds since the epoch. Defaults to `Date.now()`. */
  now?: number;
}

/**
 * Verifies a webhook and returns its event. Throws unless the service signed it with this secret in the last five minutes.
 * Pass the raw body: parsing and serializing it again changes the bytes. During a rotation, pass both secrets. An event can
 * arrive more than once, so store its `id` to skip duplicates.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: GivenHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const timestamp = headerOf(headers, 'x-svc-timestamp');
  const signature = /^sha256=([0-9a-f]{64})$/.exec(headerOf(headers, 'x-svc-signature'))?.[1];
  if (!/^\d{1,12}$/.test(timestamp) || signature === undefined)
    throw new WebhookVerificationError('missing_header', 'X-Svc-Timestamp or X-Svc-Signature is missing or malformed.');
  if (Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError('too_old', 'The timestamp is too far from the current time.');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const prefix = new TextEncoder().encode(`${timestamp}.`);
  const signed = new Uint8Array(prefix.length + bytes.length);
  signed.set(prefix);
  signed.set(bytes, prefix.length);
  for (const candidate of [secret].flat())
    if (await isSignedWith(new TextEncoder().encode(candidate), signature, signed))
      return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
  throw new WebhookVerificationError('bad_signature', 'The signature does not match the body and the secret.');
}

/** Returns a header's first value; empty if it is absent. */
export function headerOf(headers: GivenHeaders, name: string): string {
  if (isHeaders(headers)) return headers.get(name) ?? '';
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return (typeof entry === 'string' ? entry : entry?.[0]) ?? '';
}

const isHeaders = (headers: GivenHeaders): headers is FetchHeaders => typeof headers.get === 'function';

/** `crypto.subtle.verify` compares in constant time. */
export async function isSignedWith(
  secret: Uint8Array<ArrayBuffer>,
  hex: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['verify']);
  return crypto.subtle.verify(
    'HMAC',
    key,
    Uint8Array.from(hex.match(/../g) ?? [], (two) => parseInt(two, 16)),
    signed,
  );
}
