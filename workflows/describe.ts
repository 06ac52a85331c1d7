import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { State } from '../src/domain/connection/connection.ts';
import type { ConnectionSnapshot } from '../src/domain/connection/snapshot.ts';
import { mayPassAtOnce, stepsRunAtOnce } from './activities.ts';
import { changingLabels, searchAttributes } from './messages.ts';

/** The way of a connection that goes well, as an operator thinks of it. */
const STEPS: [string, State[]][] = [
  ['Ownership proved by TXT', ['pending_ownership', 'verifying']],
  ['Setup chosen, records written if we may', ['verified', 'dns_writing']],
  ['Records seen everywhere', ['propagating', 'stalled']],
  ['Certificate issued', ['issuing_cert']],
  ['Live and watched for drift', ['live', 'drifted']],
];

const NEXT: Record<State, string> = {
  created: 'The service accepts the connection.',
  pending_ownership:
    'Looking for the challenge; Pending Activities shows what the last look saw and when the next one is.',
  verifying: 'Looking for the challenge; Pending Activities shows what the last look saw and when the next one is.',
  verified: 'Choosing between writing the records and waiting for the customer to do it.',
  dns_writing: 'Writing the records through the delegated credential.',
  propagating: 'Looking for the records; Pending Activities shows which are missing where.',
  stalled: 'Looking for the records, slower; after seven days the connection fails.',
  issuing_cert: 'Asking the edge for a certificate; Pending Activities shows what blocks it.',
  live: 'Nothing to do: a look every five minutes on the first day, hourly after.',
  drifted: 'Waiting for the records to come back; the next match makes it live again.',
  failed: 'Waiting 30 days for POST verify or DELETE, then this run ends.',
  archived: 'Removing what we wrote in the zone; then this run ends.',
};

/** Says what an operator reads who opens the run: where it is, since when, why, and what comes next. */
export function describe(row: ConnectionSnapshot): void {
  setCurrentDetails(
    [
      `### ${row.hostname}: ${row.state}`,
      row.since === null ? '' : `Since ${row.since}.`,
      row.errorCode === null ? '' : `**${row.errorCode}**: ${row.status ?? 'no details'}`,
      ...checklist(row.state),
      `**Next:** ${NEXT[row.state]}`,
      `Connection \`${row.id}\`, ${row.environment}, provider ${row.provider ?? 'not known yet'}.`,
    ]
      .filter(Boolean)
      .join('\n\n'),
  );
  if (!lastsMilliseconds(row)) label(row);
}

function checklist(state: State): string[] {
  const at = STEPS.findIndex(([, states]) => states.includes(state));
  if (at < 0) return [];
  return [
    STEPS.map(([text], index) => `- [${index < at || (state === 'live' && index === at) ? 'x' : ' '}] ${text}`).join(
      '\n',
    ),
  ];
}

/** What passes at once; a phase that does not is labelled by `hereFirst`. */
const lastsMilliseconds = (row: ConnectionSnapshot): boolean =>
  row.state === 'verified' ? stepsRunAtOnce() : TRIED_AT_ONCE.has(row.state) && mayPassAtOnce(row);
const TRIED_AT_ONCE: ReadonlySet<State> = new Set<State>([
  'pending_ownership',
  'verifying',
  'propagating',
  'issuing_cert',
]);

/**
 * An upsert is an event in the history: not for what has not changed, nor for a state that lasts milliseconds. Labels that
 * came with later code stand only on runs that began with them, so that the histories of older ones replay as they were.
 */
export function label(row: ConnectionSnapshot): void {
  const known = new Map(
    workflowInfo()
      .typedSearchAttributes.getAll()
      .map(({ key, value }) => [key.name, value]),
  );
  const changed = changingLabels(row).filter(
    ({ key, value }) =>
      (known.has(key.name) || !LATER_LABELS.has(key.name)) &&
      JSON.stringify(known.get(key.name)) !== JSON.stringify(value),
  );
  if (changed.length > 0) upsertSearchAttributes(changed);
}

const LATER_LABELS: ReadonlySet<string> = new Set([searchAttributes.ErrorCode.name, searchAttributes.StateSince.name]);
