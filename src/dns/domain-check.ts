import { conflictsWith } from '../domain/conflicts.ts';
import type { DomainLook, ExistingMail } from '../domain/domain-look.ts';
import { distinct } from '../domain/verdict.ts';
import type { NameLook, SeenType } from '../domain/observation.ts';
import type { DnsRecord } from '../domain/record.ts';
import { lookup } from './alias-path.ts';
import { capabilitiesOf, detectProvider } from './detect.ts';
import { discoverDomainConnect, type Fetch } from './domain-connect.ts';
import { lookAtName } from './name-look.ts';
import type { Sight } from './observe.ts';
import { kindOf, registrableDomain } from './suffix.ts';
import type { Zone } from './zone.ts';

const NO_MAIL: ExistingMail = { mx: [], spf: null, dmarc: null };
const EVERYTHING: SeenType[] = ['A', 'AAAA', 'TXT', 'MX', 'NS', 'CAA'];

/** What can be told about a domain beforehand. Only authoritative servers hear of its names, as in every look. */
export async function lookAtDomain(
  sight: Sight,
  domain: string,
  wanted: DnsRecord[],
  fetch: Fetch | undefined,
  signal: AbortSignal,
): Promise<Omit<DomainLook, 'startedAt' | 'finishedAt'>> {
  const zone = await sight.cuts.find(domain, signal);
  const served = zone.look.registered !== false;
  const [names, mail, domainConnect] = await Promise.all([
    served ? lookAtHosts(sight, zone, wanted, signal) : [],
    served ? existingMail(sight, registrableDomain(domain), signal) : NO_MAIL,
    served && fetch && zone.look.name !== null
      ? discoverDomainConnect(sight.cuts, zone.look.name, fetch, signal)
      : null,
  ]);
  const provider = detectProvider(served ? zone.look.nameservers : [], zone.look.soa);
  return {
    hostname: domain,
    kind: kindOf(domain),
    registrableDomain: registrableDomain(domain),
    zone: zone.look,
    provider,
    capabilities: capabilitiesOf(provider),
    conflicts: conflictsWith(wanted, names),
    mail,
    domainConnect,
  };
}

function lookAtHosts(sight: Sight, zone: Zone, wanted: DnsRecord[], signal: AbortSignal): Promise<NameLook[]> {
  const hosts = distinct(wanted.map(({ host }) => host));
  return Promise.all(
    hosts.map((name) => lookAtName(sight.cuts, zone, { name, types: EVERYTHING, keep: new Set() }, signal)),
  );
}

async function existingMail({ cuts }: Sight, domain: string, signal: AbortSignal): Promise<ExistingMail> {
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
