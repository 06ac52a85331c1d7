import type { Connection } from './api.ts';
import type { SetupType, Step } from './types.ts';

/** What the customer has said, beside what the connection is. */
export interface Choices {
  /** The records are added, says the customer: what is left is waiting. */
  added: boolean;
  /** Not by the provider's own confirmation, although it is offered. */
  byHand: boolean;
}

/** Codes that say: we were to write, and may not. */
const REFUSED = ['credential_invalid', 'credential_missing_zone', 'dns_write_failed', 'record_conflict'];

/** Whether we write the records ourselves. */
export const writesItself = ({ plan, error_code, setup_type }: Connection): boolean =>
  setup_type === 'automatic' ||
  (plan !== null && plan.conflicts.length === 0 && REFUSED.indexOf(error_code ?? '') === -1);

/** Where the provider asks the customer to confirm; null where that is not offered. */
export const confirmUrl = ({ domain_connect }: Connection): string | null => domain_connect?.apply_url ?? null;

/** The screen that belongs to a connection: the same one after a reload, because everything it depends on is kept. */
export function screenOf(connection: Connection, { added, byHand }: Choices): Step {
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
      return writesItself(connection) ? 'automatic_setup' : 'in_progress';
    case 'created':
    case 'pending_ownership':
    case 'verifying':
      if (writesItself(connection)) return 'automatic_setup';
      if (!added && !byHand && confirmUrl(connection) !== null) return 'automatic_setup';
      return added ? 'in_progress' : 'manual_configuration';
    case 'propagating':
    case 'stalled':
      return writesItself(connection) || added || allFound(connection) ? 'in_progress' : 'manual_configuration';
    case 'drifted':
      return 'manual_configuration';
  }
}

const allFound = ({ records_to_add }: Connection): boolean => {
  for (const { status } of records_to_add) if (status !== 'found' && status !== 'spreading') return false;
  return true;
};

/** Records that wait for the customer's hand, not for time. */
export const needsHand = ({ records_to_add }: Connection): boolean =>
  records_to_add.some(({ status }) => status === 'wrong' || status === 'conflict');

/** As events name it: everything that is not typed by the customer is automatic. */
export const setupTypeOf = (connection: Connection, { byHand }: Choices): SetupType =>
  connection.setup_type !== 'manual' || (confirmUrl(connection) !== null && !byHand) ? 'automatic' : 'manual';

export type ItemState = 'done' | 'now' | 'next';

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

/** Returns the checklist that the customer sees while waiting: ownership, records, certificate. */
export function checklist({ state }: Connection): [owner: ItemState, records: ItemState, certificate: ItemState] {
  const item = (index: number): ItemState => (index < DONE[state] ? 'done' : index === DONE[state] ? 'now' : 'next');
  return [item(0), item(1), item(2)];
}
