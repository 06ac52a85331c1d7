import type { DcOffer } from '../zone/domain-connect.ts';
import type { Kind } from '../connection/connection.ts';
import type { Observation, Soa, WildcardVerdict } from './observation.ts';
import type { DnsRecord } from '../record.ts';

/** A hostname and its registrable domain by the public suffix list. */
export interface DomainName {
  hostname: string;
  kind: Kind;
  registrableDomain: string;
}

/** Facts about a domain before anything is changed. */
export interface DomainObservation extends Observation, DomainName {
  provider: ProviderGuess;
  capabilities: DnsCapabilities;
  conflicts: DnsRecord[];
  wildcard: WildcardVerdict;
  mail: ExistingMail;
  domainConnect: DcOffer | null;
}

/** The zone's provider, recognised by its name servers. */
export interface ProviderGuess {
  slug: string;
  name: string;
  /** `ambiguous`: several providers share these name servers, or the name servers belong to several providers. */
  confidence: 'certain' | 'ambiguous' | 'none';
  /** Every possible provider, likeliest first. */
  candidates: { slug: string; name: string }[];
  /** More than one provider serves the zone, so a change at one of them may not reach all name servers. */
  mixed: boolean;
}

/** Returns the slugs of every possible provider, likeliest first. */
export const slugsOf = ({ slug, candidates }: ProviderGuess): readonly string[] =>
  candidates.length === 0 ? [slug] : candidates.map((candidate) => candidate.slug);

/** Returns the known provider if it is a candidate, because name servers can be shared; otherwise the likeliest. */
export const providerAmong = (candidates: readonly string[] | null, known: string | null): string | null =>
  candidates === null || (known !== null && candidates.includes(known)) ? known : (candidates[0] ?? known);

/** Returns a certain guess if we hold a credential of one of the candidates. */
export function confirmedBy(guess: ProviderGuess, slug: string | undefined): ProviderGuess {
  const one = guess.candidates.find((candidate) => candidate.slug === slug);
  return one === undefined || guess.mixed ? guess : { ...guess, ...one, confidence: 'certain', candidates: [one] };
}

/** Recognises a zone's provider by its name servers, and knows the capabilities of its zones. */
export interface Detection {
  providerOf(nameservers: readonly string[], soa: Pick<Soa, 'mname'> | null): ProviderGuess;
  capabilitiesOf(guess: ProviderGuess): DnsCapabilities;
}

export interface DnsCapabilities {
  cnameFlattening: boolean;
  wildcard: boolean;
  caa: boolean;
  multiTxt: boolean;
  nsDelegation: boolean;
}

/** Mail records of the zone, which must not be changed by accident. */
export interface ExistingMail {
  mx: string[];
  spf: string | null;
  dmarc: string | null;
}
