export interface Row {
  trial: string;
  ok: boolean;
  seen: string;
}

/** Collects what each trial showed, prints it as it happens, and at the end as a table in Markdown. */
export class Report {
  private readonly rows: Row[] = [];

  /** Runs one trial. A trial that throws has failed; the next one runs all the same. */
  async trial(trial: string, body: () => Promise<string>): Promise<void> {
    process.stdout.write(`${trial} …\n`);
    const row = await body().then(
      (seen) => ({ trial, ok: true, seen }),
      (error: unknown) => ({ trial, ok: false, seen: reasonOf(error) }),
    );
    this.rows.push(row);
    process.stdout.write(`  ${row.ok ? 'passed' : 'FAILED'}: ${row.seen}\n`);
  }

  print(): boolean {
    const failed = this.rows.filter(({ ok }) => !ok).length;
    const lines = this.rows.map(({ trial, ok, seen }) => `| ${trial} | ${ok ? 'passed' : '**failed**'} | ${seen} |`);
    process.stdout.write(`\n| Trial | Result | Seen |\n| --- | --- | --- |\n${lines.join('\n')}\n\n`);
    process.stdout.write(`${this.rows.length - failed} passed, ${failed} failed\n`);
    return failed === 0;
  }
}

/** Returns the last words of a failed command, or of an error. A command's own text may contain a key. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
  return text.trim().split('\n').slice(-3).join(' ').replaceAll('|', '/');
}

/** Throws what a trial saw instead of what it expected. */
export function expect(holds: boolean, seen: string): asserts holds {
  if (!holds) throw new Error(seen);
}
