import { headerOf, isSignedWith, type GivenHeaders, type VerifyOptions } from './webhooks.ts';

/** A request as the origin received it: one of Node's http, of Express, or of fetch. */
export interface EdgeRequest {
  method?: string | undefined;
  /** Path with query, as received. */
  url?: string | undefined;
  /** Express: the URL before a router removed its prefix. */
  originalUrl?: string | undefined;
  headers: GivenHeaders;
}

/** The request does not come from an edge of the service. Answer with 403. */
export class EdgeVerificationError extends Error {
  override readonly name = 'EdgeVerificationError';
  readonly code: 'missing_header' | 'too_old' | 'bad_signature' | 'replayed';

  constructor(code: EdgeVerificationError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Ids of requests that were accepted. Several processes need a shared store, such as Redis (`SET id 1 NX EX 600`). */
export interface RequestIdStore {
  /** Adds an id for at least ten minutes. Returns false if it is there already. */
  add(id: string): boolean | Promise<boolean>;
}

const KEPT_MS = 600_000;

/** Request ids in the memory of this process, for ten to twenty minutes. */
export class RequestIds implements RequestIdStore {
  private young = new Set<string>();
  private old = new Set<string>();
  private since = performance.now();

  add(id: string): boolean {
    if (performance.now() - this.since > KEPT_MS)
      [this.old, this.young, this.since] = [this.young, new Set(), performance.now()];
    if (this.young.has(id) || this.old.has(id)) return false;
    this.young.add(id);
    return true;
  }
}

export interface EdgeVerifyOptions extends VerifyOptions {
  /** Refuses a second request with the same id. The tolerance must then be at most 300 seconds. */
  requestIds?: RequestIdStore;
}

/**
 * Verifies that an edge of the service sent this request, unaltered and in the last five minutes. Throws otherwise. During
 * a rotation, pass both secrets. The body is not signed.
 */
export async function verifyEdgeRequest(
  request: EdgeRequest,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now(), requestIds }: EdgeVerifyOptions = {},
): Promise<void> {
  const { headers } = request;
  const signature = /^t=(\d{1,12})((?:,v1=[0-9a-f]{64})+)$/.exec(headerOf(headers, 'x-svc-edge-signature'));
  const requestId = headerOf(headers, 'x-request-id');
  const [, seconds = '', values = ''] = signature ?? [];
  if (signature === null || requestId === '')
    throw new EdgeVerificationError('missing_header', 'X-Svc-Edge-Signature or X-Request-Id is missing or malformed.');
  if (Math.abs(now / 1_000 - Number(seconds)) > toleranceSeconds)
    throw new EdgeVerificationError('too_old', 'The signature is too far from the current time.');
  const signed = bytesOf(
    [
      seconds,
      (request.method ?? 'GET').toUpperCase(),
      headerOf(headers, 'x-forwarded-host').toLowerCase().replace(/:\d+$/, ''),
      pathIn(request.originalUrl ?? request.url ?? ''),
      requestId,
      await sha256(headerOf(headers, 'x-svc-metadata')),
    ].join('\n'),
  );
  if (!(await isSignedByOne([secret].flat(), values.split(',v1=').slice(1), signed)))
    throw new EdgeVerificationError('bad_signature', 'The signature does not match the request and the secret.');
  if (requestIds !== undefined && !(await requestIds.add(requestId)))
    throw new EdgeVerificationError('replayed', 'A request with this id was accepted before.');
}

async function isSignedByOne(
  secrets: readonly string[],
  signatures: readonly string[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const secret of secrets) {
    const key = bytesOf(atob(secret.replace(/^edgesec_/, '')));
    for (const signature of signatures) if (await isSignedWith(key, signature, signed)) return true;
  }
  return false;
}

/** A URL of fetch is absolute. */
const pathIn = (url: string): string => url.replace(/^https?:\/\/[^/?#]*/i, '');

/** Node reads URLs and headers as latin1: one character for each byte. */
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text, (char) => char.charCodeAt(0));

async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface Response {
  status(code: number): { json(body: unknown): unknown };
}

/** Returns Express middleware that answers 403 to every request that no edge of the service signed. */
export const edgeOnly =
  (secret: string | readonly string[], options?: EdgeVerifyOptions) =>
  (request: EdgeRequest, response: Response, next: (error?: unknown) => void): void => {
    verifyEdgeRequest(request, secret, options).then(
      () => next(),
      (error: unknown) => {
        if (!(error instanceof EdgeVerificationError)) next(error);
        else response.status(403).json({ error: { code: error.code, message: error.message } });
      },
    );
  };
