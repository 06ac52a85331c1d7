import { isIPv6 } from 'node:net';
import type { DelegationView, DnssecStatus, ServerRef, UnknownCause } from '../domain/observation/observation.ts';
import type { DnsMessage, QuestionType } from './message.ts';
import type { ObserverSettings } from './options.ts';
import type { Reply, Resolver } from './resolver.ts';

/** The configured resolvers. Ask only about existing names: a resolver caches the absence of a name for a long time. */
export interface Recursion {
  /** Returns the first answer of any resolver. `zone` is where a broken chain of signatures would begin. */
  ask(name: string, type: QuestionType, signal: AbortSignal, zone?: string): Promise<RecursiveReply>;
  /** Whether the parent zone publishes a DS record, so that validating resolvers require signatures. */
  isSigned(zone: string, signal: AbortSignal): Promise<boolean>;
  /** Returns each resolver's view of a delegation. An answer that comes only without validation does not count. */
  delegationViews(domain: string, servers: ServerRef[], signal: AbortSignal): Promise<DelegationView[]>;
}

export type RecursiveReply =
  { ok: true; message: DnsMessage; dnssec: DnssecStatus } | { ok: false; cause: UnknownCause };

export function createRecursion(resolver: Resolver, { resolvers }: Pick<ObserverSettings, 'resolvers'>): Recursion {
  async function firstAnswer(name: string, type: QuestionType, checkingDisabled: boolean, signal: AbortSignal) {
    let cause: UnknownCause = 'timeout';
    for (const endpoint of resolvers) {
      const reply = await resolver.ask(endpoint, { name, type, recursion: true, checkingDisabled }, signal);
      if (reply.ok) return reply;
      // A resolver that refuses to answer is more informative than one that stays silent.
      if (reply.cause === 'servfail' || cause === 'timeout') cause = reply.cause;
    }
    return { ok: false, cause } as const;
  }

  /** The DS record is in the parent zone (RFC 4035 section 3.1.4.1), whose own chain is not in question. */
  async function isSigned(zone: string, signal: AbortSignal): Promise<boolean> {
    const reply = await firstAnswer(zone, 'DS', true, signal);
    return reply.ok && reply.message.hasDs;
  }

  const validated = ({ message }: Reply & { ok: true }): RecursiveReply => ({
    ok: true,
    message,
    dnssec: message.authenticated ? 'secure' : 'insecure',
  });

  /** Calls a DNSSEC chain broken only if validation fails twice and a DS record exists; one failure may pass. */
  async function ask(name: string, type: QuestionType, signal: AbortSignal, zone?: string): Promise<RecursiveReply> {
    const first = await firstAnswer(name, type, false, signal);
    if (first.ok) return validated(first);
    if (first.cause !== 'servfail') return first;
    const second = await firstAnswer(name, type, false, signal);
    if (second.ok) return validated(second);
    if (zone === undefined || !(await isSigned(zone, signal))) return second;
    const unvalidated = await firstAnswer(name, type, true, signal);
    return unvalidated.ok ? { ...unvalidated, dnssec: 'bogus' } : second;
  }

  /** Asks for the addresses only in the families of the addresses that are to be confirmed. */
  function delegationViews(domain: string, servers: ServerRef[], signal: AbortSignal): Promise<DelegationView[]> {
    const questions = new Map(
      servers.map((server) => [JSON.stringify(addressQuestion(server)), addressQuestion(server)]),
    );
    return Promise.all(
      resolvers.map(async (endpoint) => {
        const values = async (name: string, type: 'NS' | 'A' | 'AAAA') => {
          const reply = await resolver.ask(endpoint, { name, type, recursion: true }, signal);
          if (!reply.ok) return null;
          const own = reply.message.answers.filter((record) => record.type === type);
          return own.filter((record) => type !== 'NS' || record.name === name).map(({ value }) => value);
        };
        const [set, ...addresses] = await Promise.all([
          values(domain, 'NS'),
          ...[...questions.values()].map(({ name, type }) => values(name, type)),
        ]);
        return {
          resolver: { name: null, address: endpoint.address, port: endpoint.port },
          nameservers: set?.toSorted() ?? null,
          addresses: [...new Set(addresses.flatMap((found) => found ?? []))],
        };
      }),
    );
  }

  return { ask, isSigned, delegationViews };
}

/** Returns the question whose answer confirms a server's address. */
const addressQuestion = ({ name, address }: ServerRef) =>
  ({ name: name ?? '', type: isIPv6(address) ? 'AAAA' : 'A' }) as const;
