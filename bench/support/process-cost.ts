import { readFileSync } from 'node:fs';

/** Processor time of a process and its threads so far, in milliseconds. Linux counts it in hundredths of a second. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export function table(title: string, rows: string[][]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  process.stdout.write(`\n${title}\n`);
  for (const row of rows)
    process.stdout.write(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`);
}
