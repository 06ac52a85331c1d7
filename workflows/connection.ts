import { allHandlersFinished, CancellationScope, condition } from '@temporalio/workflow';
import type { State } from '../src/domain/connection/connection.ts';
import { REST_FOR } from '../src/domain/connection/schedule.ts';
import type { ConnectionSnapshot } from '../src/domain/connection/snapshot.ts';
import { SERVING } from '../src/domain/connection/state-sets.ts';
import { activitiesOf, loadSnapshot } from './activities.ts';
import { startDeparture } from './departure.ts';
import { describe } from './describe.ts';
import { Inbox } from './inbox.ts';
import type { ConnectionInput } from './messages.ts';
import { isTimeout, type Phase } from './phase.ts';
import { obtainCertificate } from './phases/certificate.ts';
import { chooseSetup, writeDns } from './phases/dns-write.ts';
import { proveOwnership } from './phases/ownership.ts';
import { awaitPropagation } from './phases/propagation.ts';
import { setUpOf } from './phases/set-up.ts';
import { watch } from './phases/monitoring.ts';
import { isDueToRenew, renew } from './renewal.ts';
import { beginLaterTraces } from './traces.ts';

/** The phase that handles each state; null where the run waits for a message or ends. New runs use `setUpOf` first. */
const PHASES: Record<State, Phase | null> = {
  created: null,
  pending_ownership: proveOwnership,
  verifying: proveOwnership,
  verified: chooseSetup,
  dns_writing: writeDns,
  propagating: awaitPropagation,
  stalled: awaitPropagation,
  issuing_cert: obtainCertificate,
  live: watch,
  drifted: watch,
  failed: null,
  archived: null,
};

/** Runs one connection from its first DNS check until it is archived. A later run starts from the state in Postgres. */
export async function connection(input: ConnectionInput): Promise<void> {
  const inbox = new Inbox(input.carried);
  let row = input.created ?? (await loadSnapshot(input.id));
  const { steps, verifying } = activitiesOf(row);
  while (row.state !== 'archived') {
    const phase = setUpOf(row.state) ?? PHASES[row.state];
    if (SERVING.has(row.state)) beginLaterTraces();
    describe(row);
    if (inbox.takeArchive()) {
      row = await steps.archive(row.id);
      continue;
    }
    const requests = inbox.takeRequests();
    if (requests) {
      const seen = await verifying.verifyNow(row.id);
      requests.answer(seen.outcome);
      row = seen.row;
    } else if (inbox.takeStale()) {
      row = await steps.load(row.id);
    } else if (!inbox.isIdle) {
      await inbox.idleOrMessage(); // two phases never write in one zone at the same time
    } else if (isDueToRenew(input)) {
      await condition(() => allHandlersFinished() || inbox.hasUrgentMessage); // a touch is passed on to the next run
      if (allHandlersFinished())
        await renew({ ...input, created: undefined, carried: { touched: inbox.takeTouch() } }, row);
    } else if (phase === null) {
      if (!(await condition(() => inbox.hasMessage, REST_FOR))) return; // verify and archive start a new run
      inbox.takeTouch();
    } else {
      const before = row;
      row = (await inbox.interruptible(() => phase(before, inbox.takeTouch()))) ?? row;
    }
  }
  inbox.close({ outcome: 'archived', observed: [], checkedAt: new Date().toISOString() });
  describe(row);
  await CancellationScope.nonCancellable(async () => {
    await condition(() => inbox.isIdle); // a write that ends after the removal would stay in the zone forever
    await removeRecords(row);
  });
  describe(row);
  await startDeparture(row);
}

/** Removes our records from the zone, however long its provider does not answer. */
async function removeRecords(row: ConnectionSnapshot): Promise<void> {
  for (;;) {
    try {
      await activitiesOf(row).work.removeWhatWeWrote(row.id);
      return;
    } catch (error) {
      if (!isTimeout(error)) throw error;
    }
  }
}
