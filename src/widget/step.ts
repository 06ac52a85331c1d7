import type { RecordStatus } from '../domain/observation/record-status.ts';
import type { Connection } from './api.ts';
import type { SetupType, Step } from './types.ts';

/** Choices of the customer that the connection does not record. */
export interface Choices {
  /** The customer has added the records and waits. */
  added: boolean;
  /** The customer adds the records manually although the provider offers Domain Connect. */
  manual: boolean;
  /** The customer has changed the records that point here, which waited for the certificate. */
  pointed: boolean;
}

/** Error codes that mean: the service could not write the records. */
const WRITE_FAILED = ['credential_invalid', 'credential_missing_zone', 'dns_write_failed', 'record_conflict'];

export const writtenByService = ({ plan, error_code, setup_type }: Connection): boolean =>
  setup_type === 'automatic' ||
  (plan !== null && plan.conflicts.length === 0 && WRITE_FAILED.indexOf(error_code ?? '') === -1);

/** Address of the provider's Domain Connect consent page, or null. */
export const confirmUrl = ({ domain_connect }: Connection): string | null => domain_connect?.apply_url ?? null;

/** Whether the customer has consented at a Domain Connect provider, which then adds the records. */
const isConsented = (connection: Connection): boolean =>
  connection.setup_type === 'automatic' && confirmUrl(connection) !== null;

/** Whether the service has checked the domain once, so that its provider, record names and offers no longer change. */
export const isChecked = ({ provider, last_checked_at }: Connection): boolean =>
  provider !== null || last_checked_at !== null;

/** Whether the certificate is there and the customer may move the domain. */
export const awaitsMove = ({ records_to_add }: Connection): boolean =>
  records_to_add.some(({ status }) => status === 'ready');

/** Whether the customer first adds only records that change nothing for visitors. */
export const isBeforeMove = ({ records_to_add }: Connection): boolean =>
  records_to_add.some(({ status }) => status === 'later');

/** Whether the customer still has to do something, so that leaving deserves a question. */
export const needsCustomer = (connection: Connection, step: Step): boolean =>
  step === 'manual_configuration' ||
  (step === 'automatic_setup' && (!writtenByService(connection) || awaitsMove(connection)));

/** Returns the step for a connection. A reload returns to the same step, because the choices are saved. */
export function stepOf(connection: Connection, { added, manual, pointed }: Choices): Step {
  switch (connection.state) {
    case 'live':
      return 'success';
    case 'failed':
    case 'archived':
      return 'error';
    case 'issuing_cert':
      return 'in_progress';
    case 'verified':
    case 'dns_writing':
      return writtenByService(connection) && connection.ready_to_point !== true ? 'automatic_setup' : 'in_progress';
    case 'created':
    case 'pending_ownership':
    case 'verifying':
      if (isConsented(connection)) return manual && !added ? 'manual_configuration' : 'in_progress';
      if (writtenByService(connection)) return 'automatic_setup';
      if (!added && !manual && confirmUrl(connection) !== null) return 'automatic_setup';
      return added ? 'in_progress' : 'manual_configuration';
    case 'propagating':
    case 'stalled':
      if (awaitsMove(connection)) {
        if (pointed) return 'in_progress';
        return confirmUrl(connection) !== null && !manual ? 'automatic_setup' : 'manual_configuration';
      }
      return writtenByService(connection) || added || allFound(connection) ? 'in_progress' : 'manual_configuration';
    case 'drifted':
      return 'manual_configuration';
  }
}

/** Statuses of records with which the customer has nothing to do now. */
const DONE_FOR_NOW: ReadonlySet<RecordStatus> = new Set(['found', 'spreading', 'optional', 'later']);

const allFound = ({ records_to_add }: Connection): boolean => {
  for (const { status } of records_to_add) if (!DONE_FOR_NOW.has(status)) return false;
  return true;
};

/** Whether the customer must change a record before waiting can help. */
export const needsChange = ({ records_to_add }: Connection): boolean =>
  records_to_add.some(({ status }) => status === 'wrong' || status === 'conflict');

/** Returns the setup type for events: `manual` only if the customer adds the records. */
export const setupTypeOf = (connection: Connection, { manual }: Choices): SetupType =>
  connection.setup_type !== 'manual' || (confirmUrl(connection) !== null && !manual) ? 'automatic' : 'manual';

export type ChecklistStatus = 'done' | 'active' | 'pending';

/** Number of checklist items that are done in each state. */
const DONE: Record<Connection['state'], number> = {
  created: 0,
  pending_ownership: 0,
  verifying: 0,
  verified: 1,
  dns_writing: 1,
  propagating: 1,
  stalled: 1,
  issuing_cert: 2,
  live: 3,
  drifted: 1,
  failed: 0,
  archived: 0,
};

type ChecklistItem = 'owner' | 'records' | 'certificate';

/** Returns the items that the customer sees while waiting, in the order in which they are done. */
export function checklist({ state, ready_to_point, serve }: Connection): [ChecklistItem, ChecklistStatus][] {
  const certificateFirst = ready_to_point !== null;
  const items: ChecklistItem[] = certificateFirst
    ? ['owner', 'certificate', 'records']
    : serve
      ? ['owner', 'records', 'certificate']
      : ['owner', 'records'];
  const done = certificateFirst && DONE[state] === 1 ? (ready_to_point ? 2 : 1) : DONE[state];
  return items.map((item, i) => [item, i < done ? 'done' : i === done ? 'active' : 'pending']);
}
