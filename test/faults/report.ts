import { appendFileSync } from 'node:fs';

/** Names the file that the fault command reads; without it, as in `npm test`, nobody asks. */
export const REPORT_VARIABLE = 'FAULT_REPORT';

export interface Seen {
  row: number;
  seen: string;
}

/** What a trial saw, in figures, for the last column of the table. */
export function saw(row: number, seen: string): void {
  const file = process.env[REPORT_VARIABLE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ row, seen } satisfies Seen)}\n`);
}
