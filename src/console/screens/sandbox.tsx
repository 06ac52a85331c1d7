import { useState } from 'preact/hooks';
import { get, put } from '../api.ts';
import { refresh, useLive } from '../live.ts';
import { Badge } from '../parts/badge.tsx';
import { Button, Card, Empty, Page } from '../parts/basics.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { DataTable, Pager, type Column } from '../parts/table.tsx';
import { Time, useNow } from '../parts/time.tsx';
import { toast } from '../parts/toast.tsx';
import { usePlace } from '../place.ts';
import { Behaviours } from '../sandbox/behaviours.tsx';
import { RecordForm } from '../sandbox/record-form.tsx';
import { NEW_RECORD, type Listed, type RecordSet } from '../sandbox/record-set.ts';
import { useMay, useSession } from '../session.ts';

/** Sandbox: the DNS of names below .test, with an editor, and names that behave in a known way. */
export default function Sandbox() {
  const { environment } = useSession();
  return (
    <Page title="Sandbox">
      {environment === 'test' ? (
        <>
          <Behaviours />
          <Records />
        </>
      ) : (
        <Card>
          <Empty title="The sandbox needs a session of the test environment">
            <p>Your session is a live one. Ask for a link that a test key created.</p>
          </Empty>
        </Card>
      )}
    </Page>
  );
}

/** Reads the whole set of a record, because saving replaces it. The set can begin on another page of the list. */
async function readSet({ host, type }: Listed): Promise<RecordSet> {
  const lines: Listed[] = [];
  let cursor: string | null = null;
  do {
    const page: { data: Listed[]; next_cursor: string | null } = await get('/v1/sandbox/records', { query: { limit: 100, cursor } }); // prettier-ignore
    lines.push(...page.data.filter((one) => one.host === host && one.type === type));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return { host, type, lines, isNew: false };
}

function Records() {
  const { query } = usePlace();
  const mayWrite = useMay('connections:write');
  const now = useNow();
  const records = useLive('/v1/sandbox/records', { query: { limit: 50, cursor: query['after'] } }, 3_000);
  const [editing, setEditing] = useState<RecordSet | null>(null);
  const [removing, setRemoving] = useState<Listed | null>(null);
  const columns: readonly Column<Listed>[] = [
    { head: 'Name', cell: ({ host }) => <code>{host}</code> },
    { head: 'Type', cell: ({ type }) => type, class: 'tight' },
    { head: 'Value', cell: ({ value, priority }) => <code>{priority === null ? value : `${priority} ${value}`}</code> },
    { head: 'TTL', cell: ({ ttl }) => ttl, class: 'num' },
    { head: 'Visible', cell: ({ visible_at }) => Date.parse(visible_at) > now ? <Badge tone="busy">soon</Badge> : <Time at={visible_at} /> }, // prettier-ignore
    ...(mayWrite
      ? [
          {
            head: 'Actions',
            class: 'num',
            cell: (record: Listed) => (
              <div class="actions">
                <Button
                  label={`Edit ${record.type} at ${record.host}`}
                  onClick={async () => setEditing(await readSet(record))}
                >
                  Edit…
                </Button>
                <Button
                  kind="danger"
                  label={`Remove ${record.type} at ${record.host}`}
                  onClick={() => setRemoving(record)}
                >
                  Remove…
                </Button>
              </div>
            ),
          },
        ]
      : []),
  ];
  return (
    <Card
      title="DNS records"
      aside={
        mayWrite && (
          <Button icon="plus" onClick={() => setEditing(NEW_RECORD)}>
            Add a record
          </Button>
        )
      }
    >
      <DataTable
        label="Sandbox records"
        columns={columns}
        rows={records}
        keyOf={({ host, type, value, priority }) => `${host} ${type} ${priority ?? ''} ${value}`}
        empty={
          <Empty title="The sandbox's DNS is empty">
            <p>Add a record as a customer would, or connect one of the names above.</p>
          </Empty>
        }
      />
      <Pager next={records.data?.next_cursor} noun="records" />
      {editing && <RecordForm set={editing} onClose={() => setEditing(null)} />}
      {removing && (
        <Confirm
          title={`Remove ${removing.type} at ${removing.host}?`}
          button="Remove"
          onClose={() => setRemoving(null)}
          run={async () => {
            const { host, type } = removing;
            await put('/v1/sandbox/records', { body: { records: [], remove: [{ host, type }] } });
            toast('Removed.');
            refresh('/v1/sandbox/records');
          }}
        >
          <p>This removes every {removing.type} record at this name. A connected domain may drift.</p>
        </Confirm>
      )}
    </Card>
  );
}
