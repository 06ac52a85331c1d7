import { createHmac, hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signatureHeaders } from '../../src/webhooks/sign.ts';

/** Messages that every client must accept (`code` is null) or refuse with this code. */
export interface Vectors {
  webhooks: WebhookVector[];
  edge: EdgeVector[];
}
interface Expected {
  name: string;
  code: 'missing_header' | 'too_old' | 'bad_signature' | null;
  secrets: string[];
  /** Time of the check, in seconds. */
  now: number;
}
export interface WebhookVector extends Expected {
  timestamp: string;
  signature: string;
  body: string;
}
interface SignedRequest {
  method: string;
  host: string;
  uri: string;
  id: string;
  metadata: string;
}
export interface EdgeVector extends Expected, SignedRequest {
  signature: string;
}

export const VECTORS_FILE = join(import.meta.dirname, '../../clients/vectors.json');

export const vectors = (): Vectors => ({ webhooks: webhookVectors(), edge: edgeVectors() });

const SECRET = `whsec_${Buffer.alloc(32, '0123456789').toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

function webhookVectors(): WebhookVector[] {
  const now = 1_760_000_000;
  const body = '{"id":"0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f","type":"domain.verified","timestamp":"2026-04-01T12:00:00.000Z","api_version":"v1","environment":"test","application_id":"0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e60","sequence":2,"data":{"connection":{"hostname":"bücher.example"}}}'; // prettier-ignore
  const sent = signatureHeaders(
    { eventId: 'e', body: Buffer.from(body), timestamp: now },
    { current: SECRET, next: null },
  );
  const signature = sent['x-svc-signature'] ?? '';
  const good = { code: null, secrets: [SECRET], now, timestamp: String(now), signature, body };
  const refused = (code: Expected['code'], name: string, change: Partial<WebhookVector>): WebhookVector => ({
    ...good,
    code,
    name,
    ...change,
  });
  return [
    { ...good, name: 'a genuine webhook' },
    { ...good, name: '299 seconds later', now: now + 299 },
    { ...good, name: 'the second of two secrets', secrets: [OTHER_SECRET, SECRET] },
    refused('too_old', 'an old one', { now: now + 301 }),
    refused('too_old', 'one of the future', { now: now - 301 }),
    refused('bad_signature', 'another secret', { secrets: [OTHER_SECRET] }),
    refused('bad_signature', 'no secret', { secrets: [] }),
    refused('bad_signature', 'another body', { body: `${body} ` }),
    refused('bad_signature', 'another time', { timestamp: String(now + 1) }),
    refused('missing_header', 'no signature', { signature: '' }),
    refused('missing_header', 'a line break behind the signature', { signature: `${signature}\n` }),
    refused('missing_header', 'a signature in upper case', { signature: signature.toUpperCase() }),
    refused('missing_header', 'no time', { timestamp: '' }),
    refused('missing_header', 'a time in other digits', { timestamp: '١٧٦٠٠٠٠٠٠٠' }),
  ];
}

const OTHER_EDGE_SECRET = `edgesec_${Buffer.alloc(32, 1).toString('base64')}`;

/** The first is the test vector in docs/edge.md. */
function edgeVectors(): EdgeVector[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/edge.md'), 'utf8');
  const rows = page.slice(page.indexOf('A test vector'));
  const cell = (name: string) => new RegExp(`\\| ${name} +\\| \`(.*?)\` +\\|`).exec(rows)?.[1] ?? '';
  const [time, own] = [Number(cell('time')), cell('secret')];
  const good = {
    name: 'the test vector',
    code: null,
    secrets: [own],
    signature: cell('`X-Svc-Edge-Signature`'),
    method: cell('method'),
    host: cell('hostname'),
    uri: cell('path and query'),
    id: cell('`X-Request-Id`'),
    metadata: cell('`X-Svc-Metadata`'),
    now: time,
  };
  const [t = '', v1 = ''] = good.signature.split(',');
  const ofOther = `v1=${edgeSignature(t.slice(2), good, OTHER_EDGE_SECRET)}`;
  const accepted = (name: string, change: Partial<EdgeVector>): EdgeVector => ({ ...good, name, ...change });
  const refused = (name: string, change: Partial<EdgeVector>, code: Expected['code'] = 'bad_signature'): EdgeVector =>
    accepted(name, { ...change, code }); // prettier-ignore
  return [
    good,
    accepted('a lower-case method, and a host in upper case with a port', {
      method: good.method.toLowerCase(),
      host: `${good.host.toUpperCase()}:8443`,
    }),
    accepted('299 seconds later', { now: time + 299 }),
    accepted('the second of two secrets', { secrets: [OTHER_EDGE_SECRET, own] }),
    accepted('the second of two signatures', { signature: `${t},${ofOther},${v1}` }),
    accepted('no metadata', {
      metadata: '',
      signature: `${t},v1=${edgeSignature(t.slice(2), { ...good, metadata: '' }, own)}`,
    }),
    refused('another time', { signature: `t=${time + 1},${v1}` }),
    refused('another method', { method: 'GET' }),
    refused('another hostname', { host: 'shop.example.org' }),
    refused('another path', { uri: '/Cart?item=7&size=%2F' }),
    refused('another query', { uri: '/cart?item=7&size=/' }),
    refused('another request id', { id: `${good.id}0` }),
    refused('other metadata', { metadata: `${good.metadata}A` }),
    refused('metadata that is missing', { metadata: '' }),
    refused('an old one', { now: time + 301 }, 'too_old'),
    refused('one of the future', { now: time - 301 }, 'too_old'),
    refused('another secret', { secrets: [OTHER_EDGE_SECRET] }),
    refused('a signature of a retired secret', { signature: `${t},${ofOther}` }),
    refused('a forged signature', { signature: `${t},v1=${'0'.repeat(64)}` }),
    refused('only a time', { signature: t }, 'missing_header'),
    refused('a line break behind the signature', { signature: `${good.signature}\n` }, 'missing_header'),
    refused('no signature', { signature: '' }, 'missing_header'),
  ];
}

/** Returns the signature of a request by the recipe in docs/edge.md. */
export function edgeSignature(time: string, request: SignedRequest, secret: string): string {
  const { method, host, uri, id, metadata } = request;
  const text = [time, method, host, uri, id, hash('sha256', metadata)].join('\n');
  const key = Buffer.from(secret.slice('edgesec_'.length), 'base64');
  return createHmac('sha256', key).update(Buffer.from(text, 'latin1')).digest('hex');
}
