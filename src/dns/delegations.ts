import type { DelegationObservation } from '../domain/observation/observation.ts';
import type { AuthoritativeZone } from './authoritative-zone.ts';
import type { DnsMessage } from './message.ts';
import type { Recursion, RecursiveReply } from './recursion.ts';
import { SHARED_MS, type Share } from './shared-answers.ts';

/**
 * Delegations as the configured resolvers know them. The names of a zone share right answers for some seconds. After a
 * failure, a denial, a disagreement or a broken signature, every check asks again.
 */
export interface Delegations {
  /** Returns the NS set of a name and the status of its signatures, according to the first resolver that answers. */
  nsOf(name: string, signal: AbortSignal): Promise<Listing>;
  /** Returns every resolver's view of the delegation to the zone's servers. */
  confirm(zone: AuthoritativeZone, signal: AbortSignal): Promise<DelegationObservation>;
}

/** A sorted NS set, which is empty if the name has none or no resolver answered, and the time of the answer. */
type Listing = RecursiveReply & { nameservers: string[]; at: number };

export function createDelegations(recursion: Recursion, share: Share, now: () => number): Delegations {
  const listings = share<Listing>((listing) =>
    listing.ok && listing.nameservers.length > 0 && listing.dnssec !== 'bogus' ? SHARED_MS : 0,
  );
  const confirmations = share<DelegationObservation>((seen) => (isAgreed(seen) ? SHARED_MS : 0));

  async function nsOf(name: string, signal: AbortSignal): Promise<Listing> {
    const listing = await listings.find(name, signal, async (limit) => {
      const reply = await recursion.ask(name, 'NS', limit, name);
      return { ...reply, nameservers: reply.ok ? nameserversAt(name, reply.message) : [], at: now() };
    });
    return listing ?? { ok: false, cause: 'timeout', nameservers: [], at: now() };
  }

  return {
    nsOf,
    async confirm({ delegation: { domain, nameservers }, servers, resolved: names }, signal) {
      const byResolver = servers.filter(({ name }) => name !== null && names.has(name));
      const resolved = byResolver.map(({ address }) => address);
      // A changed NS set or address is another key, which has to be confirmed anew.
      const key = JSON.stringify([domain, nameservers, byResolver]);
      const seen = await confirmations.find(key, signal, async (limit) => {
        const resolvers = await recursion.delegationViews(domain, byResolver, limit);
        return { domain, nameservers, resolved, resolvers };
      });
      return seen ?? { domain, nameservers, resolved, resolvers: [] };
    },
  };
}

/** Returns the sorted NS set at a name. */
export const nameserversAt = (name: string, { answers }: DnsMessage): string[] =>
  answers
    .filter((record) => record.type === 'NS' && record.name === name)
    .map(({ value }) => value)
    .sort();

/** Whether every resolver returns the NS set, and the addresses of servers whose addresses resolvers give. */
const isAgreed = ({ nameservers, resolved, resolvers }: DelegationObservation): boolean =>
  resolvers.every(
    (view) =>
      view.nameservers?.join() === nameservers.join() && resolved.every((address) => view.addresses.includes(address)),
  );
