import { useParams } from 'wouter-preact';
import { STATES } from '../../domain/connection/connection.ts';
import { AT_REST } from '../../domain/connection/state-sets.ts';
import { get } from '../api.ts';
import { csvOf, download } from '../csv.ts';
import { useLive } from '../live.ts';
import { StateBadge } from '../parts/badge.tsx';
import { A, Button, Card, Empty, Facts, Page } from '../parts/basics.tsx';
import { Code } from '../parts/code.tsx';
import { DataTable, Pager, type Column } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { toast } from '../parts/toast.tsx';
import { Unshown } from '../parts/unshown.tsx';
import type { Schemas } from '../paths.ts';
import { usePlace } from '../place.ts';
import { codeInWords } from '../words.ts';

type Batch = Schemas['Batch'];
type Failure = Batch['failures']['data'][number];

const POLL_MS = 1_500;
const BACK = { path: '/connect', text: 'Connect' };

/** Batch: how far its domains are, and which of them failed. */
export default function BatchScreen() {
  const { id } = useParams<{ id: string }>();
  const { query } = usePlace();
  const { data, error } = useLive('/v1/batches/{id}', { params: { id }, query: { limit: 50, cursor: query['after'] } }, POLL_MS); // prettier-ignore
  return (
    <Page
      title="Batch"
      back={BACK}
      actions={
        <A class="button" to="/domains" query={{ batch: id }}>
          Show its domains
        </A>
      }
    >
      {data !== undefined ? (
        <>
          <Progress batch={data} />
          <Failures batch={data} />
        </>
      ) : (
        <Unshown
          error={error}
          title="There is no such batch"
          hint="It may belong to another tenant or environment, or the address may be incomplete."
        />
      )}
    </Page>
  );
}

/** Returns the rows that have come to rest: live, failed, archived, or refused from the start. */
function settledRows(batch: Batch): { refused: number; settled: number } {
  const { conflict, invalid, quota_exceeded } = batch.results;
  const refused = conflict + invalid + quota_exceeded;
  const counts = batch.states;
  return { refused, settled: [...AT_REST].reduce((sum, state) => sum + (counts[state] ?? 0), refused) };
}

function Progress({ batch }: { batch: Batch }) {
  const { total, results, states, completed_at, created_at, batch_id } = batch;
  const { refused, settled } = settledRows(batch);
  const text = completed_at === null ? `${Math.min(settled, total).toLocaleString('en')} of ${total.toLocaleString('en')} rows are settled` : 'Complete'; // prettier-ignore
  return (
    <Card title="Progress" aside={<Time at={created_at} />}>
      <progress
        aria-label="Settled rows"
        max={total}
        value={completed_at === null ? Math.min(settled, total) : total}
      />
      <p role="status">{text}</p>
      <ul class="tally" aria-label="Domains by state">
        {STATES.filter((state) => (states[state] ?? 0) > 0).map((state) => (
          <li key={state}>
            <StateBadge state={state} /> {count(states[state] ?? 0)}
          </li>
        ))}
      </ul>
      <Facts
        of={[
          ['Created', results.created > 0 && count(results.created)],
          ['Existed already', results.existing > 0 && count(results.existing)],
          ['Refused', refused > 0 && refusals(batch)],
          ['Completed', completed_at && <Time at={completed_at} />],
          ['Id', <Code value={batch_id} of="the id" />],
        ].filter((fact): fact is [string, string] => fact[1] !== false)}
      />
    </Card>
  );
}

const count = (rows: number): string => rows.toLocaleString('en');

const refusals = ({ results: { conflict, invalid, quota_exceeded } }: Batch): string =>
  [
    invalid > 0 && `${count(invalid)} invalid`,
    conflict > 0 && `${count(conflict)} connected elsewhere`,
    quota_exceeded > 0 && `${count(quota_exceeded)} beyond the limit of the plan`,
  ]
    .filter(Boolean)
    .join(', ');

const reasonOf = ({ problem, error_code }: Failure): string =>
  problem === null ? codeInWords(error_code ?? 'failed') : problem.message + (problem.suggestion ? ` Did you mean ${problem.suggestion}?` : ''); // prettier-ignore

const COLUMNS: readonly Column<Failure>[] = [
  { head: 'Row', cell: ({ row }) => row, class: 'num' },
  { head: 'Hostname', cell: ({ hostname, connection_id }) => connection_id === null ? <bdi>{hostname}</bdi> : <A to={`/domains/${connection_id}`}><bdi>{hostname}</bdi></A> }, // prettier-ignore
  { head: 'Customer', cell: ({ external_id }) => external_id && <bdi>{external_id}</bdi> },
  { head: 'Reason', cell: (failure) => reasonOf(failure), class: 'wide' },
];

function Failures({ batch }: { batch: Batch }) {
  const { batch_id, failures, completed_at } = batch;
  return (
    <Card
      title="Failures"
      aside={failures.data.length > 0 && <Button onClick={() => saveFailures(batch_id)}>Download as CSV</Button>}
    >
      <DataTable
        label="Failures"
        columns={COLUMNS}
        rows={{ data: failures, error: null }}
        keyOf={({ row }) => String(row)}
        empty={
          <Empty title={completed_at === null ? 'No failure so far' : 'No row failed'}>
            <p>Rows that the service refused, and domains that failed, appear here.</p>
          </Empty>
        }
      />
      <Pager next={failures.next_cursor} noun="failures" />
    </Card>
  );
}

const HEADER = ['row', 'hostname', 'external_id', 'result', 'state', 'error_code', 'reason', 'connection_id'];

/** Saves every failure. A batch has at most a thousand rows, so ten pages are enough. */
async function saveFailures(id: string): Promise<void> {
  const rows: (string | number | null)[][] = [HEADER];
  let cursor: string | null = null;
  do {
    const { failures }: Batch = await get('/v1/batches/{id}', { params: { id }, query: { limit: 100, cursor } });
    for (const f of failures.data)
      rows.push([f.row, f.hostname, f.external_id, f.result, f.state, f.error_code, reasonOf(f), f.connection_id]);
    cursor = failures.next_cursor;
  } while (cursor !== null);
  download('failures.csv', csvOf(rows));
  toast(`Saved ${count(rows.length - 1)} failures.`);
}
