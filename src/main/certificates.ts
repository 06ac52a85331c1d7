import type { Config } from '../config.ts';
import type { Pool } from '../db/pool.ts';
import { registrableDomain } from '../dns/suffix.ts';
import { noCertificate, type Certificates, type Doctor } from '../domain/certificate/certificate.ts';
import { createDoctor } from '../domain/certificate/doctor.ts';
import type { Observer } from '../domain/observation/observer.ts';
import { refusalInLog } from '../edge/caddy-log.ts';
import { edgeCertificates } from '../edge/certificates.ts';
import { caaAccounts } from '../ordering/accounts.ts';
import { sandboxCertificates } from '../sandbox/certificates.ts';
import { sandboxObserver, type SandboxParts } from '../sandbox/observer.ts';
import { tlsAddressOf, type EdgeInReach } from './edge-in-reach.ts';

/** Returns the sources of certificates, for real hostnames and for sandbox hostnames. */
export function certificatesBy(
  config: Config,
  edge: EdgeInReach | null,
  pool: Pool,
  observer: Observer,
  sandbox: SandboxParts,
): { real: Certificates; sandbox: Certificates; simulated: Certificates } {
  const { CAA_IDENTITIES: identities, CAA_EDGE_ACCOUNTS: edgeAccounts, ownOrdersAt } = config;
  const accounts = () => caaAccounts(pool, ownOrdersAt, edgeAccounts);
  const doctors = {
    real: createDoctor(() => observer, { identities, accounts }, config.edge),
    // The sandbox's own CA ignores CAA and only warns about it.
    sandbox: createDoctor(
      (subject, now) => sandboxObserver(sandbox, subject, now),
      { identities, advisory: true },
      config.edge,
    ),
  };
  const simulated = sandboxCertificates(doctors.sandbox);
  if (edge === null)
    return { real: config.EDGE === 'off' ? noCertificate : edgeMissing, sandbox: simulated, simulated };
  const address = tlsAddressOf(edge);
  const authority = {
    accounts: edgeDirectories(config),
    refusal: (name: string, sinceMs: number) =>
      edge.logFile === null
        ? Promise.resolve(undefined)
        : refusalInLog(edge.logFile, name, sinceMs, config.acmeDirectories.length),
  };
  const at = (doctor: Doctor) =>
    edgeCertificates({ pool, address, authority, doctor, registeredDomain: registrableDomain });
  return { real: at(doctors.real), sandbox: config.EDGE === 'internal' ? at(doctors.sandbox) : simulated, simulated };
}

/** Returns the CAs at which the edge orders. Its own CA has no limits. */
export const edgeDirectories = ({
  EDGE,
  acmeDirectories,
}: Pick<Config, 'EDGE' | 'acmeDirectories'>): readonly string[] => (EDGE === 'internal' ? [] : acmeDirectories);

const MISSING = 'This worker does not know where the edge is. Set EDGE_TLS_ADDRESS, or EDGE=off to go without one.';

const edgeMissing: Certificates = {
  ...noCertificate,
  obtain: () =>
    Promise.resolve({
      outcome: 'blocked',
      errorCode: 'edge_unreachable',
      sentence: MISSING,
      findings: [{ code: 'edge_unreachable', severity: 'error', message: MISSING, fix: null }],
      retryAfterMs: null,
      couldNotAsk: true,
    }),
};
