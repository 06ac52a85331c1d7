import type { DcOffer } from '../zone/domain-connect.ts';
import type { Kind } from '../connection/connection.ts';
import type { Observation, Soa } from './observation.ts';
import type { DnsRecord } from '../record.ts';

/** A hostname with what the public suffix list says of it. */
export interface DomainName {
  hostname: string;
  kind: Kind;
  registrableDomain: string;
}

/** What can be told about a domain before its owner or we change anything. */
export interface DomainObservation extends Observation, DomainName {
  provider: ProviderGuess;
  capabilities: DnsCapabilities;
  /** Records that stand in the way of the wanted ones. */
  conflicts: DnsRecord[];
  mail: ExistingMail;
  domainConnect: DcOffer | null;
}

/** Who serves the zone, read from its name servers. */
export interface ProviderGuess {
  slug: string;
  name: string;
  /** `ambiguous`: several providers share these name servers, or the servers belong to several providers. */
  confidence: 'certain' | 'ambiguous' | 'none';
  /** Every provider it could be, the best guess first. */
  candidates: { slug: string; name: string }[];
  /** The zone is served by more than one provider, so a change at one of them may not be served by all. */
  mixed: boolean;
}

/** The slugs of every provider it could be, the best guess first. */
export const slugsOf = ({ slug, candidates }: ProviderGuess): readonly string[] =>
  candidates.length === 0 ? [slug] : candidates.map((candidate) => candidate.slug);

/**
 * The provider of a zone whose servers fit these: the one that is known already where it is among them, because servers
 * that two providers share cannot contradict it; else the best guess. Nothing learned leaves what was known.
 */
export const providerAmong = (candidates: readonly string[] | null, known: string | null): string | null =>
  candidates === null || (known !== null && candidates.includes(known)) ? known : (candidates[0] ?? known);

/** The guess, made certain where we hold a credential of one of the providers it could be. */
export function confirmedBy(guess: ProviderGuess, slug: string | undefined): ProviderGuess {
  const one = guess.candidates.find((candidate) => candidate.slug === slug);
  return one === undefined || guess.mixed ? guess : { ...guess, ...one, confidence: 'certain', candidates: [one] };
}

/** Tells from a zone's name servers which provider serves it, and what a zone there can do. */
export interface Detection {
  providerOf(nameservers: readonly string[], soa: Pick<Soa, 'mname'> | null): ProviderGuess;
  /** Where several providers are possible, only what all of them can is promised. */
  capabilitiesOf(guess: ProviderGuess): DnsCapabilities;
}

export interface DnsCapabilities {
  cnameFlattening: boolean;
  wildcard: boolean;
  caa: boolean;
  multiTxt: boolean;
  nsDelegation: boolean;
}

/** Mail records of the zone, which must not be disturbed by accident. */
export interface ExistingMail {
  mx: string[];
  spf: string | null;
  dmarc: string | null;
}
