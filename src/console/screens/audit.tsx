import { useLive } from '../live.ts';
import { Badge } from '../parts/badge.tsx';
import { Card, Empty, Page } from '../parts/basics.tsx';
import { Copy } from '../parts/code.tsx';
import { DataTable, Pager, type Column } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import type { Schemas } from '../paths.ts';
import { usePlace } from '../place.ts';
import { useSession } from '../session.ts';

type Entry = Schemas['AuditEntry'];

/** Audit: who changed which object. Values are not logged, so none can leak here. */
export default function Audit() {
  const { query } = usePlace();
  const own = useSession();
  const entries = useLive('/v1/audit', { query: { limit: 50, cursor: query['after'] } }, 10_000);
  const columns: readonly Column<Entry>[] = [
    { head: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
    { head: 'Action', cell: ({ action }) => <code>{action}</code>, class: 'tight' },
    { head: 'By', cell: ({ actor }) => <Actor of={actor} own={own.id} />, class: 'tight' },
    { head: 'Object', cell: ({ target_id }) => <ShortId id={target_id} />, class: 'tight' },
    { head: 'Fields', cell: ({ fields }) => fields.length > 0 && <span>{fields.join(', ')}</span> },
    { head: 'Environment', cell: ({ environment }) => environment === 'live' ? <Badge tone="good">Live</Badge> : <Badge tone="warn">Test</Badge> }, // prettier-ignore
  ];
  return (
    <Page title="Audit">
      <Card>
        <DataTable
          label="Audit log"
          columns={columns}
          rows={entries}
          keyOf={({ id }) => id}
          empty={
            <Empty title="Nothing is logged yet">
              <p>Changes to applications, keys, credentials, webhook endpoints and sessions appear here.</p>
            </Empty>
          }
        />
        <Pager next={entries.data?.next_cursor} noun="the audit log" />
      </Card>
    </Page>
  );
}

const ShortId = ({ id }: { id: string }) => (
  <span class="code">
    <code title={id}>{`…${id.slice(-12)}`}</code>
    <Copy value={id} of="the id of the object" />
  </span>
);

function Actor({ of: { kind, key_id, session_id }, own }: { of: Entry['actor']; own: string }) {
  if (session_id !== null)
    return <span title={session_id}>{session_id === own ? 'Your session' : `Session …${session_id.slice(-6)}`}</span>;
  return key_id === null ? (
    <span>{kind === 'operator' ? 'Operator' : kind}</span>
  ) : (
    <span title={key_id}>{`API key …${key_id.slice(-6)}`}</span>
  );
}
