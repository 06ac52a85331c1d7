import { STATES, type State } from './connection.ts';

/** The five phases of a connection's workflow. A state outside all of them needs no phase: it starts or ends a life. */
export type Phase = 'ownership' | 'setup' | 'propagation' | 'certificate' | 'monitoring';

/** Membership of a state in every set. Code and SQL name a set; they never list states themselves. */
type Membership = readonly [
  phase: Phase | null,
  unproved: boolean, // 1
  proved: boolean, // 2
  awaitsCustomer: boolean, // 3
  usesNewCredential: boolean, // 4
  retriesRefusedWrite: boolean, // 5
  working: boolean, // 6
  advancing: boolean, // 7
  stuckIfLong: boolean, // 8
  recordsSeen: boolean, // 9
  atRest: boolean, // 10
  ended: boolean, // 11
  writesRecords: boolean, // 12
  lacksRecords: boolean, // 13
];

const [Y, n] = [true, false] as const;
// prettier-ignore
const MEMBERSHIP = {
  //                                  1  2  3  4  5  6  7  8  9 10 11 12 13
  created:           [null,           Y, n, n, n, n, Y, n, n, n, n, n, n, n],
  pending_ownership: ['ownership',    Y, n, Y, Y, Y, n, n, Y, n, n, n, n, Y],
  verifying:         ['ownership',    Y, n, Y, Y, Y, n, n, Y, n, n, n, n, Y],
  verified:          ['setup',        n, Y, n, n, Y, Y, Y, n, n, n, n, n, Y],
  dns_writing:       ['setup',        n, Y, n, n, n, Y, Y, Y, n, n, n, Y, n],
  propagating:       ['propagation',  n, Y, Y, Y, Y, n, Y, Y, n, n, n, Y, Y],
  stalled:           ['propagation',  n, Y, Y, Y, Y, n, n, Y, n, n, n, Y, Y],
  issuing_cert:      ['certificate',  n, Y, n, n, n, Y, Y, Y, Y, n, n, n, n],
  live:              ['monitoring',   n, Y, n, n, n, n, n, n, Y, Y, n, n, n],
  drifted:           ['monitoring',   n, Y, n, Y, n, n, n, n, n, n, n, Y, Y],
  failed:            [null,           n, n, n, n, n, n, n, n, n, Y, Y, n, n],
  archived:          [null,           n, n, n, n, n, n, n, n, n, Y, Y, n, n],
} as const satisfies Record<State, Membership>;

type Table = typeof MEMBERSHIP;
type StatesWith<Column extends number, Value> = { [S in State]: Table[S][Column & keyof Table[S]] extends Value ? S : never }[State]; // prettier-ignore

/** A set whose test narrows the type of the state. */
export interface StateSet<S extends State = State> extends Iterable<S> {
  has(state: State): state is S;
}

export type StateIn<Set> = Set extends StateSet<infer S> ? S : never;

const statesWith = <Column extends number, Value extends Membership[number]>(column: Column, value: Value) =>
  new Set(STATES.filter((state) => MEMBERSHIP[state][column] === value)) as Iterable<State> as StateSet<
    StatesWith<Column, Value>
  >;

/** Returns the workflow phase that handles the state; null for a state that no phase handles. */
export const phaseOf = (state: State): Phase | null => MEMBERSHIP[state][0];

/** The ownership check runs. */
export const AWAITS_PROOF = statesWith(0, 'ownership');
/** The check for the customer's records runs. */
export const AWAITS_RECORDS = statesWith(0, 'propagation');
/** Visitors are served, and the records are watched for drift. */
export const SERVING = statesWith(0, 'monitoring');
/** No proof of ownership has been seen. The index connections_unproved_each has the same states. */
export const UNPROVED = statesWith(1, true);
/** The hostname is proved. If the connection is served, it holds the claim: the claim index has the same states. */
export const PROVED = statesWith(2, true);
/** The customer may be adding records at this moment. */
export const AWAITS_CUSTOMER = statesWith(3, true);
/** A credential that is added now is used immediately. */
export const USES_NEW_CREDENTIAL = statesWith(4, true);
/** A refused write is tried again once its cause is gone. */
export const RETRIES_REFUSED_WRITE = statesWith(5, true);
/** The service is at work, so the state can change at any moment. */
export const WORKING = statesWith(6, true);
/** The connection moves to its next state without waiting for the customer. */
export const ADVANCING = statesWith(7, true);
/** An hour in this state deserves an operator's attention. */
export const STUCK_IF_LONG = statesWith(8, true);
/** Every record was seen, and none has drifted since. */
export const RECORDS_SEEN = statesWith(9, true);
/** The connection has come to rest for the first time: a batch is complete when all of its rows have. */
export const AT_REST = statesWith(10, true);
/** The service writes the connection's records, or would write them again. */
export const WRITES_RECORDS = statesWith(12, true);
/** The customer may still have records to add. */
export const LACKS_RECORDS = statesWith(13, true);
/** No check is scheduled. */
export const ENDED = statesWith(11, true);

/** Returns the state as people see it: `verifying` lasts for one check and is shown as `pending_ownership`. */
export const shownState = (state: State): State => (state === 'verifying' ? 'pending_ownership' : state);
