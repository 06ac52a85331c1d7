import { DAY } from '../duration.ts';
import type { RecordsCheck } from '../observation/check.ts';
import type { RecordStatus } from '../observation/record-status.ts';
import type { State } from './connection.ts';

/** Facts of a connection that has its certificate before its records point here. */
export interface ReadyFacts {
  ready_to_point: boolean;
  ready_at: Date | null;
  /** The records that were published when it became ready; null if no check has seen them, empty once they changed. */
  records_when_ready: string | null;
}

/** Longest time for which a connection that is ready waits without a deadline. */
const READY_FOR = 60 * DAY;
const CHANGED = '';

export interface WhileReady {
  /** The old records are in place, so no deadline runs. */
  isPaused: boolean;
  /** The first change was seen, so the deadlines begin now. */
  begins: boolean;
  change: Partial<Pick<ReadyFacts, 'records_when_ready'>>;
}

/** Decides whether a connection waits for its owner to move the records. A missing answer changes nothing. */
export function whileReady(row: ReadyFacts, check: RecordsCheck, now: number): WhileReady {
  const usual: WhileReady = { isPaused: false, begins: false, change: {} };
  if (!row.ready_to_point || check.verdict !== 'mismatch' || row.records_when_ready === CHANGED) return usual;
  if (now - (row.ready_at?.getTime() ?? now) >= READY_FOR) return usual;
  const published = publishedIn(check);
  if (row.records_when_ready !== null && withoutRepeats(row.records_when_ready) !== published)
    return { isPaused: false, begins: true, change: { records_when_ready: CHANGED } };
  return { isPaused: true, begins: false, change: { records_when_ready: published } };
}

/** Returns the published records as one text, in a fixed order. */
const publishedIn = ({ records }: RecordsCheck): string =>
  withoutRepeats(
    JSON.stringify(
      records.flatMap(({ host, observed }) => observed.map(({ type, value }) => `${host} ${type} ${value}`)).sort(),
    ),
  );

/** Every wanted record of a set finds the whole set, so the text must not depend on the number of wanted records. */
const withoutRepeats = (records: string): string => JSON.stringify([...new Set(JSON.parse(records) as string[])]);

/** Facts of a connection that decide what its owner sees of the move. */
export interface MoveFacts extends Pick<ReadyFacts, 'ready_to_point' | 'records_when_ready'> {
  state: State;
  before_dns: boolean;
  live_at: Date | null;
  /** No order can succeed, so the edge obtains the certificate after the move. */
  falls_back: boolean;
}

/** Returns whether the hostname may be pointed here; null where no certificate is awaited before the move. */
export function readyToPoint({ state, before_dns, live_at, falls_back, ready_to_point }: MoveFacts): boolean | null {
  if (!before_dns || (live_at !== null && state !== 'dns_writing')) return null;
  return ready_to_point || (falls_back ? null : false);
}

/** Returns the status of a record that points here. Until its owner changes it, the old record is no mistake. */
export function movingStatus(status: RecordStatus, facts: MoveFacts): RecordStatus {
  const ready = readyToPoint(facts);
  if (ready === null || status === 'found' || status === 'spreading' || status === 'optional') return status;
  if (!ready) return 'later';
  return facts.records_when_ready === CHANGED ? status : 'ready';
}
