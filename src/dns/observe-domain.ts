import { conflictsWith } from '../domain/conflicts.ts';
import type { DomainObservation, ExistingMail } from '../domain/domain-observation.ts';
import { distinct } from '../domain/verdict.ts';
import type { NameObservation, ObservedType } from '../domain/observation.ts';
import type { DnsRecord } from '../domain/record.ts';
import { lookup } from './alias-path.ts';
import { capabilitiesOf, detectProvider } from './detect.ts';
import { discoverDomainConnect, type Fetch } from './domain-connect.ts';
import { observeName } from './observe-name.ts';
import type { ObserverContext } from './observe.ts';
import { kindOf, registrableDomain } from './suffix.ts';
import type { AuthoritativeZone } from './authoritative-zone.ts';

const NO_MAIL: ExistingMail = { mx: [], spf: null, dmarc: null };
const EVERYTHING: ObservedType[] = ['A', 'AAAA', 'TXT', 'MX', 'NS', 'CAA'];

/** What can be told about a domain beforehand. Only authoritative servers hear of its names, as in every look. */
export async function observeDomain(
  context: ObserverContext,
  domain: string,
  wanted: DnsRecord[],
  fetch: Fetch | undefined,
  signal: AbortSignal,
): Promise<Omit<DomainObservation, 'startedAt' | 'finishedAt'>> {
  const zone = await context.cuts.find(domain, signal);
  const served = zone.observation.registered !== false;
  const [names, mail, domainConnect] = await Promise.all([
    served ? observeHosts(context, zone, wanted, signal) : [],
    served ? existingMail(context, registrableDomain(domain), signal) : NO_MAIL,
    served && fetch && zone.observation.name !== null
      ? discoverDomainConnect(context.cuts, zone.observation.name, fetch, signal)
      : null,
  ]);
  const provider = detectProvider(served ? zone.observation.nameservers : [], zone.observation.soa);
  return {
    hostname: domain,
    kind: kindOf(domain),
    registrableDomain: registrableDomain(domain),
    zone: zone.observation,
    provider,
    capabilities: capabilitiesOf(provider),
    conflicts: conflictsWith(wanted, names),
    mail,
    domainConnect,
  };
}

function observeHosts(
  context: ObserverContext,
  zone: AuthoritativeZone,
  wanted: DnsRecord[],
  signal: AbortSignal,
): Promise<NameObservation[]> {
  const hosts = distinct(wanted.map(({ host }) => host));
  return Promise.all(
    hosts.map((name) => observeName(context.cuts, zone, { name, types: EVERYTHING, keep: new Set() }, signal)),
  );
}

async function existingMail({ cuts }: ObserverContext, domain: string, signal: AbortSignal): Promise<ExistingMail> {
  const [mx, text, dmarc] = await Promise.all([
    lookup(cuts, domain, 'MX', signal),
    lookup(cuts, domain, 'TXT', signal),
    lookup(cuts, `_dmarc.${domain}`, 'TXT', signal),
  ]);
  return {
    mx: mx.values,
    spf: text.values.find((value) => /^v=spf1( |$)/i.test(value)) ?? null,
    dmarc: dmarc.values.find((value) => /^v=DMARC1\s*(;|$)/i.test(value)) ?? null,
  };
}
