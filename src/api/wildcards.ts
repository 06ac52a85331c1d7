import type { Queryable } from '../db/pool.ts';
import type { ApplicationRow } from '../db/tenant/applications.ts';
import { writableAmong } from '../db/zone/credentials.ts';
import { baseOf, isWildcard } from '../domain/certificate/dns-validation.ts';
import { invalid, type ServiceError } from '../domain/errors.ts';
import { isInSandbox } from '../domain/hostname.ts';
import type { Finding } from '../domain/observation/finding.ts';

/**
 * Returns the wildcards that could never get a certificate: a CA validates wildcards by DNS only (DNS-01), and neither
 * a credential of the application nor a delegation zone lets us answer there.
 */
export async function wildcardsWithoutDns(
  db: Queryable,
  { id, environment }: Pick<ApplicationRow, 'id' | 'environment'>,
  hostnames: readonly string[],
  delegates: boolean,
): Promise<ReadonlySet<string>> {
  if (delegates) return new Set();
  const wildcards = hostnames.filter((hostname) => isWildcard(hostname) && !isInSandbox({ environment, hostname }));
  if (wildcards.length === 0) return new Set();
  const writable = await writableAmong(db, id, wildcards);
  return new Set(wildcards.filter((hostname) => !writable.has(hostname)));
}

export const wildcardNeedsDns = (hostname: string, path: string): ServiceError =>
  invalid([{ path, code: 'wildcard_needs_dns', message: `${sentence(hostname)} ${FIX}` }]);

export const wildcardNeedsDnsFinding = (hostname: string): Finding => ({
  code: 'wildcard_needs_dns',
  severity: 'warning',
  message: sentence(hostname),
  fix: FIX,
  params: { hostname },
});

const sentence = (hostname: string): string =>
  `${hostname} cannot be connected, because its certificate needs a DNS record that we can write at ${baseOf(hostname)}.`;
const FIX =
  'Add a DNS credential that covers the domain to the application, or ask the operator of this service to set ACME_DELEGATION_ZONE.';
