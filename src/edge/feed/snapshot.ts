import type { Pool as PgPool } from 'pg';
import { ownersOf, readPosition, readSince, type Position } from '../../db/edge/feed.ts';
import type { AdmissionChange } from '../../domain/edge/admission.ts';
import { changesText, member } from './lines.ts';

/** All admissions at a position, compressed. */
interface Snapshot {
  position: Position;
  parts: readonly Buffer[];
}

/** A snapshot is used again for this long. An edge gets the changes since its position in addition. */
const USED_FOR_MS = 600_000;
/** The beginning of all positions. */
const FIRST = '0';

/** Reads everything for edges that know nothing, once for all of them: many may start together. */
export class Snapshots {
  private readonly pool: PgPool;
  private newest: { epoch: string; madeAt: number; snapshot: Promise<Snapshot> } | undefined;

  constructor(pool: PgPool) {
    this.pool = pool;
  }

  get(epoch: string): Promise<Snapshot> {
    const now = performance.now();
    if (this.newest?.epoch === epoch && now - this.newest.madeAt < USED_FOR_MS) return this.newest.snapshot;
    const snapshot = this.make();
    this.newest = { epoch, madeAt: now, snapshot };
    const drop = () => {
      if (this.newest?.snapshot === snapshot) this.newest = undefined;
    };
    snapshot.catch(drop);
    setTimeout(drop, USED_FOR_MS).unref();
    return snapshot;
  }

  private async make(): Promise<Snapshot> {
    const position = await readPosition(this.pool);
    const parts: Buffer[] = [];
    await readSince(this.pool, FIRST, async (changes) => {
      parts.push(member(await textWithOwners(this.pool, changes)));
    });
    return { position, parts };
  }
}

/** Returns changes as text, with the connections of the certificates that they name. */
export async function textWithOwners(pool: PgPool, changes: readonly AdmissionChange[]): Promise<string> {
  const named = changes.flatMap((change) =>
    'hostname' in change && change.certificate_id !== null ? [change.hostname] : [],
  );
  return changesText(changes, named.length === 0 ? new Map() : await ownersOf(pool, named));
}
