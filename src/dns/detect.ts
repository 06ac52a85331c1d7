import type { DnsCapabilities, ProviderGuess } from '../domain/domain-observation.ts';
import { distinct } from '../domain/verdict.ts';
import type { Soa } from '../domain/observation.ts';
import { NAMESERVER_OWNERS, type NameserverOwner } from './nameserver-owners.ts';

/**
 * Who serves a zone, from its name servers. All must belong to one provider: a zone that several serve is `mixed`, and a
 * change at one of them may not be served by all. Names of the customer's own (vanity servers) say nothing, so then the
 * SOA's primary server decides.
 */
export function detectProvider(nameservers: string[], soa: Pick<Soa, 'mname'> | null): ProviderGuess {
  const byNames = guess(nameservers.map(ownersOf));
  if (byNames.confidence !== 'none' || nameservers.length === 0 || !soa) return byNames;
  return guess([ownersOf(soa.mname)]);
}

function guess(perServer: NameserverOwner[][]): ProviderGuess {
  const owners = perServer.flat();
  const candidates = distinct(owners.map(({ slug }) => slug)).map((slug) => ({ slug, name: nameOf(slug) }));
  const best = candidates.find(({ slug }) => perServer.every((own) => own.some((owner) => owner.slug === slug)));
  const first = best ?? candidates[0];
  if (!first) return { slug: 'unknown', name: 'Unknown', confidence: 'none', candidates: [], mixed: false };
  const certain = best !== undefined && owners.every(({ shared }) => shared !== true);
  const others = candidates.filter(({ slug }) => slug !== first.slug);
  return {
    ...first,
    confidence: certain ? 'certain' : 'ambiguous',
    candidates: [first, ...others],
    mixed: best === undefined,
  };
}

/** The most telling entries for a server: a pattern says more than a suffix, except where providers share it. */
function ownersOf(nameserver: string): NameserverOwner[] {
  const matching = NAMESERVER_OWNERS.filter(
    ({ pattern, suffixes = [] }) =>
      pattern?.test(nameserver) === true ||
      suffixes.some((suffix) => nameserver === suffix || nameserver.endsWith(`.${suffix}`)),
  );
  const certain = matching.filter(({ pattern, shared }) => pattern !== undefined && shared !== true);
  return certain.length > 0 ? certain : matching;
}

const nameOf = (slug: string): string => NAMESERVER_OWNERS.find((owner) => owner.slug === slug)?.name ?? slug;

/** What a zone there can do. Where several providers are possible, only what all of them can is promised. */
export function capabilitiesOf({ candidates, confidence }: ProviderGuess): DnsCapabilities {
  const slugs = new Set(candidates.map(({ slug }) => slug));
  const lacking = NAMESERVER_OWNERS.filter(({ slug }) => slugs.has(slug)).flatMap(({ lacks }) => lacks ?? []);
  const can = (capability: keyof DnsCapabilities) => !lacking.includes(capability);
  return {
    cnameFlattening: confidence !== 'none' && can('cnameFlattening'),
    wildcard: can('wildcard'),
    caa: can('caa'),
    multiTxt: can('multiTxt'),
    nsDelegation: can('nsDelegation'),
  };
}
