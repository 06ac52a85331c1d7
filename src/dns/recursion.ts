import type { DnssecStatus, UnknownCause } from '../domain/observation.ts';
import type { DnsMessage, QuestionType } from './message.ts';
import type { ObserverSettings } from './options.ts';
import type { Resolver } from './resolver.ts';

/** The configured resolvers as one: the first that answers speaks for them. */
export interface Recursion {
  /** For names that exist already: a resolver remembers for long that a name did not exist. */
  ask(name: string, type: QuestionType, signal: AbortSignal): Promise<RecursiveReply>;
}

export type RecursiveReply =
  { ok: true; message: DnsMessage; dnssec: DnssecStatus } | { ok: false; cause: UnknownCause };

export function createRecursion(resolver: Resolver, { resolvers }: Pick<ObserverSettings, 'resolvers'>): Recursion {
  async function firstAnswer(name: string, type: QuestionType, checkingDisabled: boolean, signal: AbortSignal) {
    let cause: UnknownCause = 'timeout';
    for (const endpoint of resolvers) {
      const reply = await resolver.ask(endpoint, { name, type, recursion: true, checkingDisabled }, signal);
      if (reply.ok) return reply;
      // One resolver that withholds the answer tells more than another that is merely silent.
      if (reply.cause === 'servfail' || cause === 'timeout') cause = reply.cause;
    }
    return { ok: false, cause } as const;
  }

  return {
    async ask(name, type, signal) {
      const validated = await firstAnswer(name, type, false, signal);
      if (validated.ok) return { ...validated, dnssec: validated.message.authenticated ? 'secure' : 'insecure' };
      if (validated.cause !== 'servfail') return validated;
      // Refused with validation and answered without it is how a broken DNSSEC chain looks from outside.
      const unvalidated = await firstAnswer(name, type, true, signal);
      return unvalidated.ok ? { ...unvalidated, dnssec: 'bogus' } : validated;
    },
  };
}
