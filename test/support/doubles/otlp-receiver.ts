import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentId: string;
  name: string;
  kind: number;
  startedAt: number;
  endedAt: number;
  attributes: Record<string, string | number | boolean>;
  links: { traceId: string; spanId: string }[];
  failed: boolean;
  resource: Record<string, string | number | boolean>;
}

/** A receiver of traces: OTLP over HTTP with protobuf bodies. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  readonly requests: { url: string; headers: IncomingHttpHeaders }[] = [];
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      this.requests.push({ url: request.url ?? '', headers: request.headers });
      void buffer(request).then((body) => {
        this.spans.push(...spansIn(body));
        response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
      });
    });
  }

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    await once(receiver.server.listen(0, '127.0.0.1'), 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  named(name: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  /** Draws a trace as a tree, in the order in which its spans began. */
  tree(traceId: string): string {
    const spans = this.spans.filter((span) => span.traceId === traceId).toSorted((a, b) => a.startedAt - b.startedAt);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    const line = (span: ReceivedSpan, depth: number): string[] => [
      `${'  '.repeat(depth)}${span.name} (${Math.round(span.endedAt - span.startedAt)} ms)`,
      ...spans.filter(({ parentId }) => parentId === span.spanId).flatMap((child) => line(child, depth + 1)),
    ];
    return spans
      .filter(({ parentId }) => !ids.has(parentId))
      .flatMap((span) => line(span, 0))
      .join('\n');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

type Field = { number: number; bytes: Buffer; value: number };

/** Splits a protobuf message into its fields. */
function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): number => {
    for (let [result, factor] = [0, 1]; ; factor *= 128) {
      const byte = message[at++]!;
      result += (byte & 127) * factor;
      if (byte < 128) return result;
    }
  };
  while (at < message.length) {
    const key = varint();
    const field: Field = { number: key >>> 3, bytes: Buffer.of(), value: 0 };
    if ((key & 7) === 0) field.value = varint();
    else {
      const length = { 1: 8, 2: -1, 5: 4 }[key & 7] ?? 0;
      const size = length < 0 ? varint() : length;
      field.bytes = message.subarray(at, at + size);
      at += size;
    }
    fields.push(field);
  }
  return fields;
}

const all = (message: Buffer, number: number): Buffer[] =>
  fieldsOf(message).flatMap((field) => (field.number === number ? [field.bytes] : []));
const one = (message: Buffer, number: number): Buffer => all(message, number)[0] ?? Buffer.of();

function attributesOf(pairs: readonly Buffer[]): ReceivedSpan['attributes'] {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [field] = fieldsOf(one(pair, 2));
      const value = { 1: field?.bytes.toString(), 2: field?.value === 1, 3: field?.value }[field?.number ?? 0];
      return [one(pair, 1).toString(), value ?? 'unreadable'];
    }),
  );
}

const spansIn = (request: Buffer): ReceivedSpan[] =>
  all(request, 1).flatMap((resourceSpans) => {
    const resource = attributesOf(all(one(resourceSpans, 1), 1));
    return all(resourceSpans, 2).flatMap((scope) => all(scope, 2).map((span) => spanOf(span, resource)));
  });

const milliseconds = (fixed: Buffer): number => Number(fixed.readBigUInt64LE()) / 1e6;

const spanOf = (span: Buffer, resource: ReceivedSpan['resource']): ReceivedSpan => ({
  traceId: one(span, 1).toString('hex'),
  spanId: one(span, 2).toString('hex'),
  parentId: one(span, 4).toString('hex'),
  name: one(span, 5).toString(),
  kind: fieldsOf(span).find(({ number }) => number === 6)?.value ?? 0,
  startedAt: milliseconds(one(span, 7)),
  endedAt: milliseconds(one(span, 8)),
  attributes: attributesOf(all(span, 9)),
  links: all(span, 13).map((link) => ({
    traceId: one(link, 1).toString('hex'),
    spanId: one(link, 2).toString('hex'),
  })),
  failed: fieldsOf(one(span, 15)).some(({ number, value }) => number === 3 && value === 2),
  resource,
});
