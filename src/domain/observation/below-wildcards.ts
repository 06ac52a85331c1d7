import { baseOf, isWildcard } from '../certificate/dns-validation.ts';
import { randomBelow } from '../hostname.ts';
import type { NameObservation } from './observation.ts';
import type { NameQuestion, NameServers } from './observe.ts';

/**
 * Asks about a random hostname below a wildcard instead of the wildcard itself, as visitors do. No resolver can have
 * cached an answer for a hostname that was never asked before, so `random` must be fresh for each observation.
 */
export function belowWildcards(servers: NameServers, random: string): NameServers {
  const asked = <Q extends NameQuestion>(question: Q): Q =>
    isWildcard(question.name) ? { ...question, name: randomBelow(question.name, random) } : question;
  const named = async (seen: Promise<NameObservation>, { name }: NameQuestion) => ({ ...(await seen), name });
  return {
    ...servers,
    async zoneOf(hostname) {
      const zone = await servers.zoneOf(baseOf(hostname));
      return {
        ...zone,
        ask: (question) => named(zone.ask(asked(question)), question),
        askOne: (question, heard) => named(zone.askOne(asked(question), heard), question),
      };
    },
    askResolvers: (zone, question) => servers.askResolvers(zone, asked(question)),
  };
}
