import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Admittance } from '../domain/edge/admission.ts';
import { readLines } from './journal-file.ts';
import { JournalState } from './journal-state.ts';

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

  private readFrom(name: string, from: number): number {
    return readLines(join(this.folder, name), from, (line) => this.state.apply(line));
  }
}

function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? '' : `${found.ino} ${found.mtimeNs} ${found.size}`;
}
