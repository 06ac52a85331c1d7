import { readFileSync } from 'node:fs';
import { Agent as HttpAgent, request as plainRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as tlsRequest } from 'node:https';
import type { EdgeKey } from '../edge-key.ts';
import { proofHeaders } from './proof.ts';

const CONNECT_LIMIT_MS = 5_000;
const ANSWER_LIMIT_MS = 5_000;

export interface FeedClientOptions {
  /** EDGE_FEED_URL. */
  url: string;
  token: string;
  key: EdgeKey;
  /** File with CAs to trust instead of the usual ones. */
  caFile: string | undefined;
}

/** The control plane refused a request. */
export class FeedRefusal extends Error {
  readonly status: number;
  constructor(status: number, text: string) {
    super(`The feed answers ${status}: ${text}`);
    this.name = 'FeedRefusal';
    this.status = status;
  }
}

/** Sends an edge's requests to the control plane, each with the token and a proof of the key. */
export class FeedClient {
  private readonly options: FeedClientOptions;
  private readonly base: URL;
  private readonly agent: HttpAgent;

  constructor(options: FeedClientOptions) {
    this.options = options;
    this.base = new URL(options.url);
    const { caFile } = options;
    const ca = caFile === undefined ? {} : { ca: readFileSync(caFile) };
    const kept = { keepAlive: true, maxSockets: 8 };
    this.agent = this.base.protocol === 'https:' ? new HttpsAgent({ ...kept, ...ca }) : new HttpAgent(kept);
  }

  async post(path: string, body: object): Promise<unknown> {
    const text = JSON.stringify(body);
    const response = await this.send('POST', path, AbortSignal.timeout(ANSWER_LIMIT_MS), text);
    return bodyIn(await textOf(response), response);
  }

  async get(path: string): Promise<unknown> {
    const response = await this.send('GET', path, AbortSignal.timeout(ANSWER_LIMIT_MS));
    return bodyIn(await textOf(response), response);
  }

  /** Opens a stream, on a connection of its own. */
  async open(path: string, signal: AbortSignal): Promise<IncomingMessage> {
    const response = await this.send('GET', path, signal, undefined, CONNECT_LIMIT_MS);
    if (response.statusCode !== 200) throw new FeedRefusal(response.statusCode ?? 0, await textOf(response));
    return response;
  }

  /** Begins a request whose body is written bit by bit. `fail` is called if it is refused or breaks. */
  async upload(path: string, fail: (error: unknown) => void): Promise<ClientRequest> {
    const request = await this.begin('POST', path, { 'content-type': 'application/x-ndjson' });
    request.setNoDelay(true);
    request.on('error', fail);
    request.on('response', (response) => {
      if (response.statusCode === 204) response.resume();
      else textOf(response).then((text) => fail(new FeedRefusal(response.statusCode ?? 0, text)), fail);
    });
    request.flushHeaders();
    return request;
  }

  stop(): void {
    this.agent.destroy();
  }

  private async begin(
    method: string,
    path: string,
    headers: Record<string, string | number> = {},
    signal?: AbortSignal,
  ): Promise<ClientRequest> {
    const url = new URL(path, this.base);
    const proof = await proofHeaders(this.options.key, this.options.token, method, url);
    const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
    return send(url, { method, headers: { ...proof, ...headers }, agent: this.agent, ...(signal && { signal }) });
  }

  private async send(
    method: string,
    path: string,
    signal: AbortSignal,
    body?: string,
    answerLimitMs?: number,
  ): Promise<IncomingMessage> {
    const type = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }; // prettier-ignore
    const request = await this.begin(method, path, type, signal);
    return new Promise((resolve, reject) => {
      request.once('response', resolve);
      request.on('error', reject);
      if (answerLimitMs !== undefined) {
        const late = setTimeout(() => request.destroy(new Error('The feed does not answer.')), answerLimitMs);
        request.once('close', () => clearTimeout(late));
        request.once('response', () => clearTimeout(late));
      }
      request.end(body);
    });
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response as AsyncIterable<string>) text += chunk;
  return text;
}

function bodyIn(text: string, { statusCode = 0 }: IncomingMessage): unknown {
  if (statusCode >= 300) throw new FeedRefusal(statusCode, text);
  return text === '' ? undefined : JSON.parse(text);
}
