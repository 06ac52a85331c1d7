import type { UnknownCause } from '../domain/observation/observation.ts';
import type { Endpoint } from './endpoint.ts';
import { decodeMessage, randomize, encodeQuery, isWireName, RCODE, type DnsMessage, type Question } from './message.ts';
import { createRandomPool } from './random-pool.ts';
import { exchangeOverTcp } from './tcp-exchange.ts';
import { createUdpExchange, type UdpReply } from './udp-exchange.ts';

/** Asks one server one question. Never rejects: a failure is a cause. Only NOERROR and NXDOMAIN are answers. */
export interface Resolver {
  ask(endpoint: Endpoint, question: Question, signal: AbortSignal): Promise<Reply>;
  close(): void;
}

export type Reply = { ok: true; message: DnsMessage } | { ok: false; cause: UnknownCause };

export interface Timeouts {
  udpMs: number;
  udpAttempts: number;
  /** Limit of an exchange over TCP, from connecting to the last byte. */
  tcpMs: number;
  /** Limit of a whole check. Questions that are still open then have unknown answers. */
  checkMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = { udpMs: 1_000, udpAttempts: 2, tcpMs: 3_000, checkMs: 8_000 };

export function createResolver(timeouts: Timeouts = DEFAULT_TIMEOUTS): Resolver {
  const random = createRandomPool();
  const udp = createUdpExchange(random);

  async function overUdp(
    endpoint: Endpoint,
    question: Question,
    edns: boolean,
    signal: AbortSignal,
  ): Promise<UdpReply> {
    let reply: UdpReply = { kind: 'timeout' };
    for (let attempt = 0; attempt < timeouts.udpAttempts && !signal.aborted; attempt++) {
      reply = await udp.send(endpoint, encodeQuery(question, edns), { ms: timeouts.udpMs, signal });
      if (reply.kind !== 'timeout') break;
    }
    return reply;
  }

  /** Repeats the question over TCP if UDP cannot carry the answer. A failure leaves the answer truncated. */
  async function overTcp(endpoint: Endpoint, question: Question, signal: AbortSignal): Promise<Reply> {
    const query = encodeQuery(question, true);
    randomize(query, random.uint16(), random.byte);
    const bytes = await exchangeOverTcp(endpoint, query, { ms: timeouts.tcpMs, signal });
    const message = bytes && decodeMessage(bytes);
    return message && !message.truncated ? replyOf(message) : { ok: false, cause: 'truncated' };
  }

  async function exchange(endpoint: Endpoint, question: Question, edns: boolean, signal: AbortSignal): Promise<Reply> {
    const reply = await overUdp(endpoint, question, edns, signal);
    if (reply.kind === 'other_case') return overTcp(endpoint, question, signal);
    if (reply.kind !== 'reply') return { ok: false, cause: reply.kind };
    const message = decodeMessage(reply.bytes);
    if (message?.truncated ?? truncatedHeader(reply.bytes)) return overTcp(endpoint, question, signal);
    if (!message) return { ok: false, cause: 'malformed' };
    // A server without EDNS answers FORMERR or NOTIMP and may answer a query without EDNS (RFC 6891 section 7).
    const lacksEdns = edns && (message.rcode === RCODE.FORMERR || message.rcode === RCODE.NOTIMP);
    return lacksEdns ? exchange(endpoint, question, false, signal) : replyOf(message);
  }

  return {
    ask(endpoint, question, signal) {
      if (!isWireName(question.name)) return Promise.resolve({ ok: false, cause: 'malformed' });
      return exchange(endpoint, question, true, signal);
    },
    close: () => udp.close(),
  };
}

function replyOf(message: DnsMessage): Reply {
  switch (message.rcode) {
    case RCODE.NOERROR:
    case RCODE.NXDOMAIN:
      return { ok: true, message };
    case RCODE.REFUSED:
      return { ok: false, cause: 'refused' };
    default:
      return { ok: false, cause: 'servfail' };
  }
}

/** Whether TC is set in bytes that do not parse: the server cut the message inside a record. */
const truncatedHeader = (bytes: Buffer): boolean => ((bytes[2] ?? 0) & 0x02) !== 0;
