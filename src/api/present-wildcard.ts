import type { ConnectionDetailRow } from '../db/connection/connection-detail.ts';
import type { Finding } from '../domain/observation/finding.ts';

export const isAboutWildcard = ({ code }: Pick<Finding, 'code'>): boolean => code === 'wildcard_covers_hostname';

const foundFor = ({ findings, companion }: ConnectionDetailRow): Finding[] =>
  [...findings, ...(companion?.findings ?? [])].filter(isAboutWildcard);

/** Returns findings about wildcards, unless the service adds the records: it also adds those that must come first. */
export function wildcardFindingsOf(row: ConnectionDetailRow): Finding[] {
  // A setup that is manual although a credential was used: the provider has refused the write.
  const addsRecords = row.setup_type === 'automatic' || (row.writer !== null && row.credential === null);
  return addsRecords ? [] : foundFor(row);
}

/**
 * Returns the names that only a wildcard answers for. A record at such a name replaces the answers of the wildcard, so
 * they are neither a wrong value nor in the way.
 */
export const coveredNames = (row: ConnectionDetailRow): ReadonlySet<string> =>
  new Set(foundFor(row).flatMap(({ records = [] }) => records.map(({ host }) => host)));
