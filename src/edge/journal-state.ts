import type { Position } from '../db/edge/feed.ts';
import { AdmissionTable } from './admission-table.ts';
import { changeOf, lineIn, lineOf, type Line } from './journal-line.ts';

/** The state that the lines of a journal add up to. Lines may repeat; only newer sequences count. */
export class JournalState {
  readonly table = new AdmissionTable();
  readonly addresses = new Map<string, readonly [string, ...string[]]>();
  /** Time at which the table was last trusted; undefined if it never was. */
  trustedAt: number | undefined;
  /** Position in the feed; undefined before the first. */
  position: Position | undefined;

  /** Applies a line. One that cannot be read is left out: it was written by a later version. */
  apply(text: string): void {
    const line = lineIn(text);
    if (line !== undefined) this.take(line);
  }

  private take(line: Line): void {
    switch (line[0]) {
      case 'name':
      case 'origin':
        this.table.apply(changeOf(line));
        break;
      case 'address':
        this.addresses.set(line[1], [line[2], ...line.slice(3)]);
        break;
      case 'trusted':
        this.trustedAt = line[1];
        break;
      case 'position':
        this.position = { epoch: line[1], after: line[2] };
    }
  }

  /** Returns lines that add up to the same state. */
  *lines(): Generator<Line> {
    for (const [originUrl, addresses] of this.addresses) yield ['address', originUrl, ...addresses];
    if (this.trustedAt !== undefined) yield ['trusted', this.trustedAt];
    for (const change of this.table.changes()) yield lineOf(change);
    // Last, because it is true only with all rows before it.
    if (this.position !== undefined) yield ['position', this.position.epoch, this.position.after];
  }
}
