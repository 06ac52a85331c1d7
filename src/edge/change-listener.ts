import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { z } from 'zod';
import {
  acknowledge,
  ADMISSION_CHANNEL,
  ChangeNotice,
  endLease,
  readChanged,
  renewLease,
  takeLease,
} from '../db/edge/admissions.ts';
import type { AdmissionChange } from '../domain/edge/admission.ts';
import { jsonOf } from '../net/json.ts';
import { BreakableClient } from './breakable-client.ts';

/** Time for which a copy is trusted after its lease was requested. Postgres keeps the lease a second longer. */
export const TRUST_MS = 2_000;
export const RENEW_EVERY_MS = 500;
const AGAIN_AFTER_MS = 250;

/** A copy of the admissions that follows their changes in the database. */
export interface ChangeFollower {
  /** Called once, when changes are heard and the lease `epoch` is held. `fail` ends the copy. */
  begin?(client: Client, fail: (error: unknown) => void, epoch: string): Promise<void>;
  /**
   * Applies changes. The connection is free for the follower's statements. `delivered` resolves when the changes may be
   * acknowledged; the lease is renewed meanwhile.
   */
  take(client: Client, changes: readonly AdmissionChange[]): Promise<{ delivered?: Promise<unknown> }>;
  /** Called with each marker (`sendMarker`), after every change that was notified before it. */
  marked?(marker: string): void;
  /** Called with each renewal, on the same connection. */
  alsoRenew?(client: Client): Promise<void>;
  /** Called after each renewal: the copy is trusted until then, by `performance.now`. */
  renewed(until: number): void;
}

/** Follows a source again and again until stopped, also after it has failed. */
export async function followAgain(
  follow: () => Promise<void>,
  stop: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const isStopped = () => stop.aborted;
  while (!isStopped()) {
    await follow().catch((error: unknown) => {
      if (!isStopped()) onFailure(error);
    });
    await pause(AGAIN_AFTER_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Listens and takes a lease, then applies and acknowledges changes until stopped. In this order no change is missed. */
export async function followChanges(
  databaseUrl: string,
  epoch: string,
  follower: ChangeFollower,
  stop: AbortSignal,
): Promise<void> {
  const listening = new BreakableClient(databaseUrl);
  try {
    const { client } = await listening.open();
    hearChanges(listening, epoch, follower);
    await client.query(`LISTEN ${ADMISSION_CHANNEL}`);
    const heldUntil = performance.now() + TRUST_MS;
    await takeLease(client, epoch);
    await follower.begin?.(client, listening.fail, epoch);
    await keepLease(listening, epoch, follower, heldUntil, stop);
    await listening.inTurn(() => endLease(client, epoch));
  } finally {
    listening.close();
  }
}

const RAN_OUT = 'The lease on the admission table ran out.';

/** Renews the lease until stopped. A renewal that is answered too late counts as a lapse. */
async function keepLease(
  { client, inTurn, fail, broken }: BreakableClient,
  epoch: string,
  follower: ChangeFollower,
  firstUntil: number,
  stop: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([stop, broken]);
  for (let heldUntil = firstUntil; !stop.aborted;) {
    const sentAt = performance.now();
    const tooLate = setTimeout(() => fail(new Error(RAN_OUT)), Math.max(0, heldUntil - sentAt));
    const isRenewed = await inTurn(() => renew(client, epoch, follower)).finally(() => clearTimeout(tooLate));
    if (!isRenewed || performance.now() >= heldUntil) throw new Error(RAN_OUT);
    heldUntil = sentAt + TRUST_MS;
    follower.renewed(heldUntil);
    await pause(RENEW_EVERY_MS, undefined, { signal }).catch(() => broken.throwIfAborted());
  }
}

async function renew(client: Client, epoch: string, { alsoRenew }: ChangeFollower): Promise<boolean> {
  const isRenewed = await renewLease(client, epoch);
  if (isRenewed) await alsoRenew?.(client);
  return isRenewed;
}

/** Applies notified changes, then acknowledges them. A notification of a row that does not exist was forged. */
function hearChanges({ client, inTurn, fail }: BreakableClient, epoch: string, follower: ChangeFollower): void {
  let heard: Notice[] = [];
  const takeIn = async () => {
    const all = heard;
    heard = [];
    const notices = all.filter((notice): notice is ChangeNotice => !('marker' in notice));
    const changes = notices.length === 0 ? [] : await readChanged(client, notices);
    const { delivered } = changes.length === 0 ? {} : await follower.take(client, changes);
    for (const notice of all) if ('marker' in notice) follower.marked?.(notice.marker);
    const newest = new Map(changes.map((change) => [keyOf(change), change.sequence]));
    const known = notices.filter((notice) => notice.sequence <= (newest.get(keyOf(notice)) ?? 0));
    return { delivered, sequences: known.map(({ sequence }) => sequence) };
  };
  const handle = async () => {
    const { delivered, sequences } = await inTurn(takeIn);
    if (sequences.length === 0) return;
    await delivered;
    await inTurn(() => acknowledge(client, epoch, sequences));
  };
  client.on('notification', ({ channel, payload }) => {
    if (channel !== ADMISSION_CHANNEL) return;
    const notice = Notice.safeParse(jsonOf(payload ?? '')).data; // undefined for what is not ours
    if (notice !== undefined && heard.push(notice) === 1) setImmediate(() => void handle().catch(fail));
  });
}

const Notice = z.union([ChangeNotice, z.object({ marker: z.uuid() })]);
type Notice = z.infer<typeof Notice>;

const keyOf = (change: ChangeNotice): string => ('hostname' in change ? change.hostname : change.application_id);
