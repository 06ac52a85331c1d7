import { patched } from '@temporalio/workflow';
import type { State } from '../../src/domain/connection/connection.ts';
import { activitiesOf } from '../activities.ts';
import { repeated, reportedStatusOf, type Phase } from '../phase.ts';

/** Takes the connection to `live` by one activity, which ends early only where operators should see another state. */
const setUp: Phase = (row, touched) => {
  const summary = `set up ${row.hostname}`;
  const reported = { ...reportedStatusOf(row), state: row.state };
  return repeated(row, activitiesOf(row).setUps.setUp.executeWithOptions({ summary }, [row.id, touched, reported]));
};

/** States of a connection on its way to `live`. */
const LEADING: Partial<Record<State, true>> = {
  pending_ownership: true,
  verifying: true,
  verified: true,
  dns_writing: true,
  propagating: true,
  stalled: true,
  issuing_cert: true,
};

/** Returns the phase in one activity where the state has one. Runs that began before the patch use one for each state. */
export const setUpOf = (state: State): Phase | undefined =>
  LEADING[state] === true && patched('set-up-in-one') ? setUp : undefined;
