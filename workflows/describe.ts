import { setCurrentDetails } from '@temporalio/workflow';
import type { State } from '../src/domain/connection/connection.ts';
import type { ConnectionSnapshot } from '../src/domain/connection/snapshot.ts';
import { phaseOf, type Phase } from '../src/domain/connection/state-sets.ts';
import { runsStepsLocally } from './activities.ts';
import { label } from './labels.ts';
import { leftUnlabelled } from './legacy.ts';

/** The phases of a connection that succeeds, in order, in an operator's words. */
const CHECKLIST: readonly [Phase, string][] = [
  ['ownership', 'Ownership proved by TXT'],
  ['setup', 'Setup chosen, records written where possible'],
  ['propagation', 'Records seen everywhere'],
  ['certificate', 'Certificate issued'],
  ['monitoring', 'Live and monitored for drift'],
];

const PROVING = 'Checking for the challenge. Pending Activities shows the last result and the time of the next check.';
const NEXT: Record<State, string> = {
  created: 'The service accepts the connection.',
  pending_ownership: PROVING,
  verifying: PROVING,
  verified: 'Choosing whether the service or the customer adds the records.',
  dns_writing: 'Writing the records through the delegated credential.',
  propagating: 'Checking for the records. Pending Activities shows which ones are missing, and where.',
  stalled: 'Checking for the records, less often. After seven days the connection fails.',
  issuing_cert: 'Asking the edge for a certificate. Pending Activities shows what blocks it.',
  live: 'Nothing to do: a check every five minutes on the first day, then hourly.',
  drifted: 'Waiting for the records to return. The next check that finds them makes the connection live again.',
  failed: 'Waiting 30 days for POST verify or DELETE, then this run ends.',
  archived: "Removing our records from the customer's zone, then this run ends.",
};

/** Shows operators who open the run where the connection is, since when, why, and what comes next. */
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
  const lastsMilliseconds = row.state === 'verified' && runsStepsLocally();
  if (!lastsMilliseconds && !leftUnlabelled(row)) label(row);
}

function checklist(state: State): string[] {
  const current = CHECKLIST.findIndex(([phase]) => phase === phaseOf(state));
  if (current < 0) return [];
  const isDone = (index: number) => index < current || (state === 'live' && index === current);
  return [CHECKLIST.map(([, text], index) => `- [${isDone(index) ? 'x' : ' '}] ${text}`).join('\n')];
}
