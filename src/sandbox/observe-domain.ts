import type { Queryable } from '../db/pool.ts';
import { conflictsWith } from '../domain/conflicts.ts';
import { challengeName } from '../domain/constants.ts';
import type { DomainObservation } from '../domain/domain-observation.ts';
import type { NameObservation } from '../domain/observation.ts';
import type { DnsRecord } from '../domain/record.ts';
import { behaviourOf } from './behaviours.ts';
import { readZone } from '../db/sandbox-records.ts';

const NAMESERVER = 'ns.sandbox.test';

/** What domains:check tells of a name in the sandbox: everybody's records are welcome there. */
export async function sandboxDomain(
  db: Queryable,
  tenantId: string,
  hostname: string,
  wanted: DnsRecord[],
  now: Date,
): Promise<DomainObservation> {
  const labels = hostname.split('.');
  const registrableDomain = labels.slice(-2).join('.');
  const slug = 'sandbox';
  const hosts = [...new Set(wanted.map(({ host }) => host))];
  const standing = [...(await readZone(db, tenantId, hosts, now)), ...foreignAt(tenantId, hostname, now)];
  return {
    hostname,
    startedAt: now.toISOString(),
    finishedAt: now.toISOString(),
    zone: {
      name: registrableDomain,
      registered: true,
      nameservers: [NAMESERVER],
      unresolved: [],
      soa: null,
      dnssec: 'insecure',
      cause: null,
    },
    kind: labels.length === 2 ? 'apex' : 'subdomain',
    registrableDomain,
    provider: { slug, name: 'Sandbox', confidence: 'certain', candidates: [{ slug, name: 'Sandbox' }], mixed: false },
    capabilities: { cnameFlattening: true, wildcard: true, caa: true, multiTxt: true, nsDelegation: false },
    conflicts: conflictsWith(
      wanted,
      hosts.map((host) => lookOf(host, standing)),
    ),
    mail: { mx: [], spf: null, dmarc: null },
    domainConnect: null,
  };
}

/** What a name's behaviour puts there although nobody wants it, before the first look has published it. */
function foreignAt(tenantId: string, hostname: string, now: Date): DnsRecord[] {
  const challenge = { name: challengeName(hostname), value: '' };
  const subject = { tenantId, hostname, challenge, desiredRecords: [], liveAt: null, nameservers: null };
  return behaviourOf(hostname)
    .publishes(subject, [], now.getTime())
    .map(({ record }) => record);
}

/** The table as the one server there is would tell it. */
function lookOf(name: string, standing: readonly DnsRecord[]): NameObservation {
  const answers: NameObservation['servers'][number]['answers'] = {};
  for (const { host, type, ...record } of standing) {
    if (host !== name || type === 'ALIAS') continue;
    const others = answers[type]?.outcome === 'answered' ? answers[type].records : [];
    const records = [...others, { type, ...record }];
    answers[type] = { outcome: 'answered', exists: true, records, omitted: 0, negativeTtl: null };
  }
  const server = { name: NAMESERVER, address: '127.0.0.1', port: 53 };
  return { name, servers: [{ server, answers }], resolvers: [], proxy: null };
}
