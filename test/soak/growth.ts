import type pg from 'pg';

/** Rows of every table at the end of a year, and the rows that were written in it. */
export interface YearEnd {
  /** Hostnames that were connected until then. */
  names: number;
  tables: ReadonlyMap<string, { rows: number; written: number }>;
}

export async function measureTables(client: pg.Client, names: number): Promise<YearEnd> {
  await client.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await client.query<{ name: string; inserted: number }>(`
    SELECT relname AS name, n_tup_ins::integer AS inserted FROM pg_stat_user_tables
    WHERE schemaname = 'public' AND relname <> 'schema_migrations' ORDER BY relname`);
  const tables = new Map<string, { rows: number; written: number }>();
  for (const { name, inserted } of rows) {
    const counted = await client.query<{ n: number }>(`SELECT count(*)::integer AS n FROM ${client.escapeIdentifier(name)}`); // prettier-ignore
    tables.set(name, { rows: counted.rows[0]!.n, written: inserted });
  }
  return { names, tables };
}

/** Adds up the tables of several worlds, year by year. */
export const ofAllWorlds = (worlds: readonly (readonly YearEnd[])[]): YearEnd[] =>
  worlds[0]!.map((_, year) => {
    const ends = worlds.flatMap((world) => world[year] ?? []);
    const tables = new Map<string, { rows: number; written: number }>();
    for (const [name, { rows, written }] of ends.flatMap((end) => [...end.tables])) {
      const sum = tables.get(name) ?? { rows: 0, written: 0 };
      tables.set(name, { rows: sum.rows + rows, written: sum.written + written });
    }
    return { names: ends.reduce((total, { names }) => total + names, 0), tables };
  });

/** Most rows per hostname that a table may hold. Two, unless a table is listed. */
const MOST_PER_NAME: Readonly<Record<string, number>> = {
  // Two years of moves and repairs.
  timeline: 40,
  // A month of events of the hostnames that were set up or renewed in it.
  events: 6,
  webhook_deliveries: 6,
  webhook_attempts: 6,
  observations: 4,
  // The challenge and the record, for as long as they are published, and what was removed in the last 90 days.
  dns_ledger: 4,
};

export function overfullTables({ names, tables }: YearEnd): string[] {
  return [...tables]
    .filter(([name, { rows }]) => rows > names * (MOST_PER_NAME[name] ?? 2) + SMALL)
    .map(([name, { rows }]) => `${name}: ${rows} rows for ${names} hostnames`);
}

/** Rows that a table may hold regardless of the number of hostnames, such as one per provider or plan. */
const SMALL = 60;

/** Returns a table in Markdown: the rows of each table at the end of each year, for the tables that hold many. */
export function growthTable(years: readonly YearEnd[]): string {
  const last = years.at(-1)!;
  const names = [...last.tables].filter(([, { written }]) => written > SMALL).map(([name]) => name);
  const perName = (value: number, at: YearEnd) => (value / at.names).toFixed(2);
  const lines = names.map((name) => {
    const rows = years.map((at) => String(at.tables.get(name)?.rows ?? 0));
    const { rows: held, written } = last.tables.get(name)!;
    return `| ${[name, ...rows, perName(written / years.length, last), perName(held, last)].join(' | ')} |`;
  });
  const head = ['table', ...years.map((_, i) => `rows, year ${i + 1}`), 'written per name and year', 'rows per name'];
  return [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...lines].join('\n');
}
