import { appendFileSync } from 'node:fs';

/** Environment variable with the file that the fault command reads. It is not set in `npm test`. */
export const REPORT_VARIABLE = 'FAULT_REPORT';

export interface Seen {
  row: number;
  seen: string;
}

/** Records the figures of a trial for the last column of the table. */
export function saw(row: number, seen: string): void {
  const file = process.env[REPORT_VARIABLE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ row, seen } satisfies Seen)}\n`);
}
