import { useState } from 'preact/hooks';
import { get } from './api.ts';
import type { Connection } from './connections.ts';
import { csvOf, download } from './csv.ts';
import { Button } from './parts/basics.tsx';
import { toast } from './parts/toast.tsx';
import type { Query } from './paths.ts';

/** A browser's memory is the limit. Larger lists are read by a script from the same route. */
const MAX_ROWS = 50_000;
const FIELDS = ['hostname', 'state', 'error_code', 'provider', 'setup_type', 'external_id', 'environment', 'application_id', 'batch_id', 'created_at', 'id'] as const satisfies readonly (keyof Connection)[]; // prettier-ignore

/** Saves every domain of the view as CSV, page by page. A second click stops it. */
export function ExportButton({ query }: { query: Query }) {
  const [progress, setProgress] = useState<{ count: number; stop: AbortController } | null>(null);
  const save = async () => {
    const stop = new AbortController();
    try {
      const { rows, isWhole } = await readAll(query, stop.signal, (count) => setProgress({ count, stop }));
      if (stop.signal.aborted) return;
      download('domains.csv', csvOf([FIELDS, ...rows.map((row) => FIELDS.map((field) => row[field]))]));
      const count = rows.length.toLocaleString('en');
      toast(isWhole ? `Saved ${count} domains.` : `Saved the first ${count} domains. Filter the list to save others.`);
    } finally {
      setProgress(null);
    }
  };
  if (progress === null) return <Button onClick={() => void save().catch(showFailure)}>Export CSV</Button>;
  return <Button onClick={() => progress.stop.abort()}>{`Stop (${progress.count.toLocaleString('en')} read)`}</Button>;
}

const showFailure = (): void => toast('The export stopped, because the service did not answer. Try again.', 'danger');

interface Read {
  rows: Connection[];
  /** Whether the list had no more rows. */
  isWhole: boolean;
}

async function readAll(query: Query, signal: AbortSignal, onCount: (count: number) => void): Promise<Read> {
  const rows: Connection[] = [];
  let cursor: string | null = null;
  do {
    onCount(rows.length);
    const page: { data: Connection[]; next_cursor: string | null } = await get('/v1/connections', {
      query: { ...query, limit: 100, cursor },
    });
    rows.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null && rows.length < MAX_ROWS && !signal.aborted);
  return { rows, isWhole: cursor === null };
}
