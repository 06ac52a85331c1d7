import { connect } from 'node:net';
import type { Endpoint } from './endpoint.ts';
import { answersQuery } from './message.ts';

/** Sends one query over TCP (RFC 7766). The limit covers the whole exchange, against servers that send single bytes. */
export function exchangeOverTcp(
  endpoint: Endpoint,
  query: Buffer,
  limit: { ms: number; signal: AbortSignal },
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: endpoint.address, port: endpoint.port, noDelay: true });
    const timer = setTimeout(() => finish(), limit.ms);
    const chunks: Buffer[] = [];
    let received = 0;
    let expected: number | undefined;

    limit.signal.addEventListener('abort', stop, { once: true });
    socket.on('connect', () => socket.write(Buffer.concat([lengthOf(query), query])));
    socket.on('error', stop);
    socket.on('close', stop);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      received += chunk.length;
      if (expected === undefined && received >= 2) expected = Buffer.concat(chunks).readUInt16BE(0);
      if (expected === undefined || received < 2 + expected) return;
      const reply = Buffer.concat(chunks).subarray(2, 2 + expected);
      // TCP proves the peer's address, so a reply in another spelling comes from a careless server and is not forged.
      finish(answersQuery(reply, query) === 'no' ? undefined : reply);
    });
    if (limit.signal.aborted) stop();

    function stop(): void {
      finish();
    }

    function finish(reply?: Buffer): void {
      clearTimeout(timer);
      limit.signal.removeEventListener('abort', stop);
      socket.destroy();
      resolve(reply);
    }
  });
}

function lengthOf(bytes: Buffer): Buffer {
  const prefix = Buffer.alloc(2);
  prefix.writeUInt16BE(bytes.length);
  return prefix;
}
