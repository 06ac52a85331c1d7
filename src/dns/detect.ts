import type { Detection, DnsCapabilities, ProviderGuess } from '../domain/observation/domain-observation.ts';
import { UNKNOWN_PROVIDER } from '../domain/zone/provider-names.ts';
import { distinct } from '../domain/observation/verdict.ts';
import { HOSTS, type NameserverOwner } from './nameserver-owners.ts';

/** The parts of a provider's descriptor that detection uses. */
export interface KnownProvider {
  slug: string;
  name: string;
  /** Regular expressions over lower-case server names without a trailing dot. */
  nameserver_patterns: readonly string[];
  capabilities: Record<'cname_flattening' | 'wildcard' | 'caa' | 'multi_txt' | 'ns_delegation', boolean>;
}

/**
 * Detects the provider of a zone from its name servers. Several providers are `mixed`, because a change at one of them
 * may not be served by all. Vanity name servers match none; then the primary server in the SOA decides.
 */
export function createDetection(providers: readonly KnownProvider[]): Detection {
  const ours = providers.map(ownerOf);
  const owners = [...ours, ...HOSTS];
  const ownersOf = (nameserver: string) =>
    owners.filter(({ patterns }) => patterns.some((pattern) => pattern.test(nameserver)));

  return {
    providerOf(nameservers, soa) {
      const byNames = guess(nameservers.map(ownersOf));
      if (byNames.confidence !== 'none' || nameservers.length === 0 || !soa) return byNames;
      return guess([ownersOf(soa.mname)]);
    },
    capabilitiesOf({ candidates, confidence }) {
      const slugs = new Set(candidates.map(({ slug }) => slug));
      const possible = owners.filter(({ slug }) => slugs.has(slug));
      const all = (capability: keyof DnsCapabilities) => possible.every(({ capabilities }) => capabilities[capability]);
      return {
        cnameFlattening: confidence !== 'none' && all('cnameFlattening'),
        wildcard: all('wildcard'),
        caa: all('caa'),
        multiTxt: all('multiTxt'),
        nsDelegation: all('nsDelegation'),
      };
    },
  };
}

const ownerOf = ({ slug, name, nameserver_patterns, capabilities }: KnownProvider): NameserverOwner => ({
  slug,
  name,
  patterns: nameserver_patterns.map((pattern) => new RegExp(pattern)),
  capabilities: {
    cnameFlattening: capabilities.cname_flattening,
    wildcard: capabilities.wildcard,
    caa: capabilities.caa,
    multiTxt: capabilities.multi_txt,
    nsDelegation: capabilities.ns_delegation,
  },
});

function guess(perServer: NameserverOwner[][]): ProviderGuess {
  const owners = perServer.flat();
  const named = new Map(owners.map(({ slug, name }) => [slug, name]));
  const candidates = distinct(owners.map(({ slug }) => slug)).map((slug) => ({ slug, name: named.get(slug) ?? slug }));
  const best = candidates.find(({ slug }) => perServer.every((own) => own.some((owner) => owner.slug === slug)));
  const first = best ?? candidates[0];
  if (!first) return { slug: UNKNOWN_PROVIDER, name: 'Unknown', confidence: 'none', candidates: [], mixed: false };
  const others = candidates.filter(({ slug }) => slug !== first.slug);
  return {
    ...first,
    confidence: best !== undefined && others.length === 0 ? 'certain' : 'ambiguous',
    candidates: [first, ...others],
    mixed: best === undefined,
  };
}
