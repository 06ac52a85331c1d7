import type { UnknownCause } from '../domain/observation/observation.ts';
import type { Endpoint } from './endpoint.ts';
import { decodeMessage, disguise, encodeQuery, isWireName, RCODE, type DnsMessage, type Question } from './message.ts';
import { createRandomPool } from './random-pool.ts';
import { exchangeOverTcp } from './tcp-exchange.ts';
import { createUdpExchange, type UdpReply } from './udp-exchange.ts';

/**
 * Asks one server one question and shows all of the answer: AA, rcode, TTLs, the negative SOA. Never rejects: what
 * could not be learned comes back as a cause. Only NOERROR and NXDOMAIN are answers.
 */
export interface Resolver {
  ask(endpoint: Endpoint, question: Question, signal: AbortSignal): Promise<Reply>;
  close(): void;
}

export type Reply = { ok: true; message: DnsMessage } | { ok: false; cause: UnknownCause };

export interface Timeouts {
  /** One UDP attempt. */
  udpMs: number;
  udpAttempts: number;
  /** A whole exchange over TCP, from connecting to the last byte. */
  tcpMs: number;
  /** A whole look; what is still open then is unknown. */
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

  /** Where UDP could not carry the answer; failing here leaves us with what UDP said: not all of it. */
  async function overTcp(endpoint: Endpoint, question: Question, signal: AbortSignal): Promise<Reply> {
    const query = encodeQuery(question, true);
    disguise(query, random.uint16(), random.byte);
    const bytes = await exchangeOverTcp(endpoint, query, { ms: timeouts.tcpMs, signal });
    const message = bytes && decodeMessage(bytes);
    return message && !message.truncated ? judged(message) : { ok: false, cause: 'truncated' };
  }

  async function exchange(endpoint: Endpoint, question: Question, edns: boolean, signal: AbortSignal): Promise<Reply> {
    const reply = await overUdp(endpoint, question, edns, signal);
    if (reply.kind === 'other_case') return overTcp(endpoint, question, signal);
    if (reply.kind !== 'reply') return { ok: false, cause: reply.kind };
    const message = decodeMessage(reply.bytes);
    if (message?.truncated ?? truncatedHeader(reply.bytes)) return overTcp(endpoint, question, signal);
    if (!message) return { ok: false, cause: 'malformed' };
    // RFC 6891 section 7: a server that does not know EDNS says FORMERR or NOTIMP and may do better without.
    const old = edns && (message.rcode === RCODE.FORMERR || message.rcode === RCODE.NOTIMP);
    return old ? exchange(endpoint, question, false, signal) : judged(message);
  }

  return {
    ask(endpoint, question, signal) {
      if (!isWireName(question.name)) return Promise.resolve({ ok: false, cause: 'malformed' });
      return exchange(endpoint, question, true, signal);
    },
    close: () => udp.close(),
  };
}

function judged(message: DnsMessage): Reply {
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

/** TC set on bytes that do not parse: the server cut the message in the middle of a record. */
const truncatedHeader = (bytes: Buffer): boolean => ((bytes[2] ?? 0) & 0x02) !== 0;
