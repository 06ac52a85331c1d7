import type { DomainLook } from '../domain/domain-look.ts';

/** What domains:check tells of a name in the sandbox: everybody's records are welcome there. */
export function sandboxDomain(hostname: string, now: Date): DomainLook {
  const labels = hostname.split('.');
  const registrableDomain = labels.slice(-2).join('.');
  const slug = 'sandbox';
  return {
    hostname,
    startedAt: now.toISOString(),
    finishedAt: now.toISOString(),
    zone: {
      name: registrableDomain,
      registered: true,
      nameservers: ['ns.sandbox.test'],
      unresolved: [],
      soa: null,
      dnssec: 'insecure',
      cause: null,
    },
    kind: labels.length === 2 ? 'apex' : 'subdomain',
    registrableDomain,
    provider: { slug, name: 'Sandbox', confidence: 'certain', candidates: [{ slug, name: 'Sandbox' }], mixed: false },
    capabilities: { cnameFlattening: true, wildcard: true, caa: true, multiTxt: true, nsDelegation: false },
    conflicts: [],
    mail: { mx: [], spf: null, dmarc: null },
    domainConnect: null,
  };
}
