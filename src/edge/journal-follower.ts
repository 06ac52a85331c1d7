import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Admittance } from '../domain/edge/admission.ts';
import { JournalState } from './journal-state.ts';

const CHUNK = 1 << 20;

/**
 * Reads another process's journal. The agent writes a change to the file before it acknowledges the change, so a reader
 * that catches up before each answer knows every acknowledged change, without any message between the two.
 */
export class JournalFollower {
  private readonly folder: string;
  private state = new JournalState();
  /** Identity of the files that were read, and how much of the journal. */
  private snapshot = '';
  private read = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Returns when the agent's table was last trusted; undefined if it never was. */
  get trustedAt(): number | undefined {
    this.catchUp();
    return this.state.trustedAt;
  }

  lookup(hostname: string): Admittance {
    this.catchUp();
    return this.state.table.lookup(hostname);
  }

  certificateOf(hostname: string, mayOrder: boolean): string | null {
    this.catchUp();
    return this.state.table.certificateOf(hostname, mayOrder);
  }

  /** Reads what was appended. A compaction wrote a new snapshot and emptied the journal, so everything is read again. */
  private catchUp(): void {
    const snapshot = identityOf(join(this.folder, 'snapshot'));
    const size = statSync(join(this.folder, 'journal'), { throwIfNoEntry: false })?.size ?? 0;
    if (snapshot === this.snapshot && size === this.read) return;
    if (snapshot !== this.snapshot || size < this.read) {
      this.state = new JournalState();
      this.readFrom('snapshot', 0);
      [this.snapshot, this.read] = [snapshot, 0];
    }
    this.read = this.readFrom('journal', this.read);
  }

  /** Applies complete lines after a position, and returns the position behind them. */
  private readFrom(name: string, from: number): number {
    const path = join(this.folder, name);
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return 0;
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(Math.min(CHUNK, Math.max(1, fstatSync(file).size - from)));
      let position = from;
      let rest = Buffer.alloc(0);
      for (;;) {
        const length = readSync(file, buffer, 0, buffer.length, position + rest.length);
        if (length === 0) return position;
        const bytes = Buffer.concat([rest, buffer.subarray(0, length)]);
        const end = bytes.lastIndexOf(0x0a) + 1;
        for (const line of bytes.subarray(0, end).toString('utf8').split('\n')) if (line !== '') this.state.apply(line);
        position += end;
        rest = bytes.subarray(end);
      }
    } finally {
      closeSync(file);
    }
  }
}

function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? '' : `${found.ino} ${found.mtimeNs} ${found.size}`;
}
