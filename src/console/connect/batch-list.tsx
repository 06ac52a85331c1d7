import { useLive } from '../live.ts';
import { Badge } from '../parts/badge.tsx';
import { Card, Empty } from '../parts/basics.tsx';
import { DataTable, Pager, type Column } from '../parts/table.tsx';
import { exact, Time } from '../parts/time.tsx';
import type { Schemas } from '../paths.ts';
import { scopeQuery, usePlace } from '../place.ts';
import { useMay } from '../session.ts';

type Listed = Schemas['ListedBatch'];

const COLUMNS: readonly Column<Listed>[] = [
  { head: 'Sent', cell: ({ created_at }) => exact(created_at) },
  { head: 'Age', cell: ({ created_at }) => <Time at={created_at} /> },
  { head: 'Domains', cell: ({ total }) => total.toLocaleString('en'), class: 'num' },
  {
    head: 'Progress',
    cell: ({ completed_at, unsettled }) =>
      completed_at === null ? (
        <Badge tone="busy">{`${unsettled.toLocaleString('en')} on their way`}</Badge>
      ) : (
        <Badge tone="good">Complete</Badge>
      ),
  },
];

/** The files that were sent before, newest first. */
export function BatchList() {
  const { query, scope, href } = usePlace();
  const batches = useLive(useMay('connections:read') ? '/v1/batches' : null, {
    query: { ...scopeQuery(scope), limit: 10, cursor: query['after'] },
  });
  if (!useMay('connections:read')) return null;
  return (
    <Card title="Batches">
      <DataTable
        label="Batches"
        columns={COLUMNS}
        rows={batches}
        keyOf={({ batch_id }) => batch_id}
        hrefOf={({ batch_id }) => href(`/connect/${batch_id}`)}
        empty={
          <Empty title="No batch yet">
            <p>Each file of domains that you send appears here, with its progress.</p>
          </Empty>
        }
      />
      <Pager next={batches.data?.next_cursor} noun="batches" />
    </Card>
  );
}
