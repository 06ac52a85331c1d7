import { readdirSync, readFileSync } from 'node:fs';

/** Returns the processor time of a process and its threads in milliseconds. Linux counts it in hundredths of a second. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Returns the parent and the program name of a process, or undefined if it has ended. */
function parentOf(pid: number): { parent: number; program: string } | undefined {
  try {
    const [, program = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { parent: Number(rest.split(' ')[1]), program };
  } catch {
    return undefined;
  }
}

/** Returns the processor time of a process and all its descendants, by program. */
export function costByProgram(root: number): Map<string, number> {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        const known = parentOf(Number(name));
        return known ? [[Number(name), known] as const] : [];
      }),
  );
  const isOurs = (pid: number): boolean => {
    if (pid === root) return true;
    const known = parents.get(pid);
    return known !== undefined && known.parent > 1 && isOurs(known.parent);
  };
  const costs = new Map<string, number>();
  for (const [pid, { program }] of parents) {
    // A process that has ended meanwhile has no cost any more.
    if (isOurs(pid) && parentOf(pid)) costs.set(program, (costs.get(program) ?? 0) + cpuMs(pid));
  }
  return costs;
}

export function table(title: string, rows: string[][]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  process.stdout.write(`\n${title}\n`);
  for (const row of rows)
    process.stdout.write(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`);
}
