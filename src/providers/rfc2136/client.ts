import { randomInt } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { DialError, resolveForDial, type DialPolicy } from '../../net/safe-dial.ts';
import type { Call } from '../call.ts';
import { rethrowAbort } from '../toolkit/http.ts';
import { ProviderError } from '../provider-error.ts';
import { type WireMessage, words } from './message.ts';
import { refusalOf } from './refusal.ts';
import { signMessage, type TsigKey, type TsigCheck, verifyReply } from './tsig.ts';

export interface Server {
  host: string;
  port: number;
  dial: DialPolicy;
}

export type Unnumbered = Omit<WireMessage, 'id'>;

const TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** Sends signed messages over one TCP connection, updates too: a lost datagram must not repeat an update. */
export function client(server: Server, key: TsigKey, now: () => number) {
  return async (messages: readonly Unnumbered[], isUpdate: boolean, call: Call = {}): Promise<WireMessage[]> => {
    const timeout = AbortSignal.timeout(call.timeoutMs ?? TIMEOUT_MS);
    const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
    rethrowAbort(call.signal);
    const firstId = randomInt(0x10000);
    const signed = messages.map((message, i) => {
      const id = (firstId + i) & 0xffff;
      return { id, ...signMessage({ ...message, id }, key, now() / 1000) };
    });
    const progress = { sent: false };
    try {
      const address = await Promise.race([resolveForDial(server.host, server.port, server.dial), expiry(signal)]);
      const socket = connect({ host: address, port: server.port, signal });
      const unanswered = setTimeout(() => socket.destroy(), CONNECT_TIMEOUT_MS);
      socket.once('close', () => clearTimeout(unanswered));
      socket.once('connect', () => {
        clearTimeout(unanswered);
        progress.sent = true;
      });
      const replies = await exchange(
        socket,
        signed.map(({ wire }) => wire),
        signal,
      );
      return signed.map(({ id, mac }) => {
        const reply = replies.find((wire) => wire.readUInt16BE(0) === id);
        return believed(reply && verifyReply(reply, key, mac, now() / 1000), isUpdate);
      });
    } catch (failure) {
      rethrowAbort(call.signal);
      throw errorOf(failure, { mayHaveChanged: progress.sent && isUpdate });
    }
  };
}

/** Writes every message with a length prefix (RFC 1035 section 4.2.2) and reads as many replies. */
function exchange(socket: Socket, messages: readonly Buffer[], signal: AbortSignal): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const replies: Buffer[] = [];
    let pending = Buffer.alloc(0);
    socket.on('error', () => reject(signal.aborted ? new TimedOut() : new Unreachable()));
    socket.once('close', () => reject(new Unreachable()));
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
        const end = 2 + pending.readUInt16BE(0);
        replies.push(pending.subarray(2, end));
        pending = pending.subarray(end);
      }
      if (replies.length >= messages.length) {
        resolve(replies);
        socket.destroy();
      }
    });
    socket.write(Buffer.concat(messages.flatMap((message) => [words(message.length), message])));
  });
}

/** Rejects when the signal aborts. Name resolution takes no signal, so it is raced against this promise. */
const expiry = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new TimedOut()), { once: true });
  });

class TimedOut extends Error {}
class Unreachable extends Error {}

function believed(verdict: TsigCheck | undefined, isUpdate: boolean): WireMessage {
  switch (verdict?.kind) {
    case 'genuine':
      return verdict.message;
    case 'key_refused':
      throw refused('auth_failed', 'the server does not accept the TSIG key. Check its name, algorithm and secret.');
    case 'refused_unsigned':
      throw refusalOf(verdict.rcode);
    case 'clocks_differ':
      throw refused('auth_failed', "the server's clock and ours differ by more than five minutes, so signatures fail.");
    default:
      throw refused('transient', 'the reply is not signed with our key and cannot be trusted.', isUpdate);
  }
}

const refused = (code: 'auth_failed' | 'transient', text: string, mayHaveChanged = false): ProviderError =>
  new ProviderError(code, `DNS UPDATE: ${text}`, { mayHaveChanged });

function errorOf(failure: unknown, { mayHaveChanged }: { mayHaveChanged: boolean }): ProviderError {
  if (failure instanceof ProviderError) return failure;
  if (failure instanceof DialError) {
    const code = failure.code === 'blocked_address' ? 'validation' : 'transient';
    return new ProviderError(code, `DNS UPDATE: ${failure.message}`);
  }
  const malformed =
    (failure as { name?: string }).name === 'RangeError' ? 'the answer of the server is not a DNS message.' : undefined;
  const late = failure instanceof TimedOut ? 'the server did not answer in time.' : undefined;
  return refused('transient', malformed ?? late ?? 'the server could not be reached.', mayHaveChanged);
}
