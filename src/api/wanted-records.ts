import type { ApplicationRow } from '../db/tenant/applications.ts';
import { hostnameParts } from '../dns/suffix.ts';
import { storedRecords, type DesiredRecord, type EdgeTargets } from '../domain/connection/edge-addresses.ts';
import { desiredRecords, templateMisfit } from '../domain/connection/template.ts';
import { variableProblems } from '../domain/connection/variable-problems.ts';
import type { Variables } from '../domain/connection/variables.ts';
import type { Problem } from '../domain/errors.ts';
import { recordProblems } from './record-templates.ts';

interface Wanted {
  hostname: string;
  /** Field of the request that holds the hostname, for error messages. */
  path: string;
  serve: boolean;
  variables: Variables;
}

/** Returns the desired records of a connection by its id, or everything that is wrong with them. */
export function recordsFor(
  { id, record_template }: Pick<ApplicationRow, 'id' | 'record_template'>,
  { hostname, path, serve, variables }: Wanted,
  edge: EdgeTargets,
): { of: (connectionId: string) => DesiredRecord[] } | { problems: Problem[] } {
  const body = path.replace(/\.hostname$/, '');
  if (!serve && record_template.length === 0) {
    const message = `${body}.serve: without a record_template of the application there are no records to watch.`;
    return { problems: [{ path: `${body}.serve`, code: 'template_needed', message }] };
  }
  const parts = hostnameParts(hostname);
  const problems = variableProblems(record_template, parts.kind, variables, `${body}.variables`);
  if (problems.length > 0) return { problems };
  const of = (connectionId: string) =>
    storedRecords(desiredRecords(record_template, { ...parts, connectionId, variables }, edge), edge);
  // All ids have the same length, so any id shows whether the names of the records are too long for DNS.
  const records = of(id);
  const misfit = templateMisfit(records, parts);
  if (misfit !== null) return { problems: [{ path, ...misfit }] };
  const wrong = recordProblems(records, { hostname, serve }, path);
  return wrong.length > 0 ? { problems: wrong } : { of };
}
