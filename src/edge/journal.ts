import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, truncate, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Position } from '../db/edge/feed.ts';
import type { AdmissionChange, Admittance } from '../domain/edge/admission.ts';
import type { AdmissionStore } from './admission.ts';
import type { AdmissionTable } from './admission-table.ts';
import { readLines } from './journal-file.ts';
import { lineOf, textOf, type Line } from './journal-line.ts';
import { JournalState } from './journal-state.ts';

/** The journal is compacted at this size if it is larger than the snapshot, because a start reads both. */
const COMPACT_AT_BYTES = 16 * 1024 * 1024;
/** Longest time between two records of trust while the table is trusted. */
export const NOTE_TRUST_EVERY_MS = 10_000;
const LINES_PER_WRITE = 10_000;

/**
 * An edge's durable copy of the admission table. Changes are synced to disk before they are acknowledged: if a kill -9
 * lost a tombstone, a restart would serve the archived hostname again. Only newer sequences count.
 */
export class Journal implements AdmissionStore {
  private readonly folder: string;
  private state = new JournalState();
  /** State of another incarnation of the database, which replaces this one when it is complete. */
  private next: JournalState | undefined;
  private file!: FileHandle;
  private bytes = 0;
  private snapshotBytes = 0;
  private lastWrite: Promise<void> = Promise.resolve();
  /** Lines that the table has and the file does not yet. */
  private unwritten = '';
  /** Id of the edge, stable as long as the folder exists. */
  id!: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(folder: string): Promise<Journal> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const journal = new Journal(folder);
    journal.id = await idIn(folder);
    journal.snapshotBytes = journal.read('snapshot');
    journal.bytes = journal.read('journal');
    // Cuts off a half-written line, because the next one would be joined to it.
    await truncate(join(folder, 'journal'), journal.bytes).catch(ignoreMissing);
    journal.file = await open(join(folder, 'journal'), 'a', 0o600);
    return journal;
  }

  begin(): AdmissionTable {
    return this.state.table;
  }

  /** Returns when the table was last trusted; undefined if it never was. */
  get trustedAt(): number | undefined {
    return this.state.trustedAt;
  }

  get size(): number {
    return this.state.table.size;
  }

  /** Returns the id of the certificate of ours for a hostname, and the ids of all. */
  certificateOf(hostname: string, mayOrder: boolean): string | null {
    return this.state.table.certificateOf(hostname, mayOrder);
  }

  certificateIds(): ReadonlySet<string> {
    return this.state.table.certificateIds();
  }

  secretIds(): ReadonlySet<string> {
    return this.state.table.secretIds();
  }

  /** Returns the last known admission, whether the table is trusted or not. */
  lookup(hostname: string): Admittance {
    return this.state.table.lookup(hostname);
  }

  /** Position in the feed up to which every change is in the journal. */
  get position(): Position | undefined {
    return this.state.position;
  }

  recordPosition(position: Position): void {
    this.state.position = position;
    this.append([['position', position.epoch, position.after]], false).catch(() => undefined);
  }

  /** Begins with an empty table, which `adopt` puts in the place of the present one when it is complete. */
  startOver(): AdmissionTable {
    this.next = new JournalState();
    return this.next.table;
  }

  /** Replaces the present table, in memory and on disk. */
  async adopt(table: AdmissionTable): Promise<void> {
    if (this.next?.table !== table) return;
    const { addresses, trustedAt } = this.state;
    for (const [originUrl, known] of addresses) this.next.addresses.set(originUrl, known);
    this.next.trustedAt = trustedAt;
    this.state = this.next;
    this.next = undefined;
    this.lastWrite = this.lastWrite.catch(() => undefined).then(() => this.compact());
    await this.lastWrite;
  }

  async take(table: AdmissionTable, changes: readonly AdmissionChange[]): Promise<void> {
    if (this.next?.table === table) {
      for (const change of changes) table.apply(change);
      return;
    }
    const news = changes.filter((change) => this.state.table.apply(change));
    if (news.length > 0 || this.unwritten !== '') await this.append(news.map(lineOf), true);
  }

  recordTrust(at: Date): void {
    if (at.getTime() - (this.trustedAt ?? 0) < NOTE_TRUST_EVERY_MS) return;
    this.state.trustedAt = at.getTime();
    this.append([['trusted', at.getTime()]], false).catch(() => undefined); // the next change reports a full disk
  }

  /** Returns the addresses that were checked last for an origin, for times without DNS. */
  addressesOf(originUrl: string): readonly [string, ...string[]] | undefined {
    return this.state.addresses.get(originUrl);
  }

  recordAddresses(originUrl: string, addresses: readonly [string, ...string[]]): void {
    if (this.addressesOf(originUrl)?.join() === addresses.join()) return;
    this.state.addresses.set(originUrl, addresses);
    this.append([['address', originUrl, ...addresses]], false).catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.lastWrite.catch(() => undefined);
    await this.file.close();
  }

  /** Writes one batch at a time. Lines that a full disk did not take are part of the next batch. */
  private append(lines: readonly Line[], mustLast: boolean): Promise<void> {
    this.unwritten += textOf(lines);
    const written = this.lastWrite
      .catch(() => this.file.truncate(this.bytes))
      .then(async () => {
        const text = this.unwritten;
        await this.file.appendFile(text);
        if (mustLast) await this.file.datasync();
        this.bytes += Buffer.byteLength(text);
        this.unwritten = this.unwritten.slice(text.length);
        if (this.bytes > Math.max(COMPACT_AT_BYTES, this.snapshotBytes)) await this.compact();
      });
    this.lastWrite = written;
    return written;
  }

  /** Writes a new snapshot, then empties the journal. A crash in between leaves a journal that repeats the snapshot. */
  private async compact(): Promise<void> {
    const [aside, place] = [join(this.folder, 'snapshot.new'), join(this.folder, 'snapshot')];
    const file = await open(aside, 'w', 0o600);
    let bytes = 0;
    const write = async (lines: readonly Line[]) => {
      const text = textOf(lines);
      bytes += Buffer.byteLength(text);
      await file.appendFile(text);
    };
    try {
      let lines: Line[] = [];
      for (const line of this.state.lines()) {
        if (lines.push(line) < LINES_PER_WRITE) continue;
        await write(lines);
        lines = [];
      }
      await write(lines);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(aside, place);
    await syncFolder(this.folder);
    await this.file.truncate(0);
    [this.bytes, this.snapshotBytes] = [0, bytes];
  }

  /** Applies the lines of a file, and returns how many of its bytes are complete lines. A torn end never counted. */
  private read(name: string): number {
    return readLines(join(this.folder, name), 0, (line) => this.state.apply(line));
  }
}

async function idIn(folder: string): Promise<string> {
  const path = join(folder, 'id');
  const kept = await readFile(path, 'utf8').catch(ignoreMissing);
  const known = z.uuid().safeParse(kept?.trim());
  if (known.success) return known.data;
  const id = randomUUID();
  await writeFile(path, `${id}\n`, { mode: 0o600 });
  return id;
}

/** Syncs a folder, because a new name in it is durable only then (POSIX). */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
