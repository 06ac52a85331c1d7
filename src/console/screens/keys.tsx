import { useState } from 'preact/hooks';
import { del } from '../api.ts';
import { PerApplication } from '../applications.tsx';
import { refresh, useLive } from '../live.ts';
import { Badge } from '../parts/badge.tsx';
import { Button, Empty, Page } from '../parts/basics.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Notice } from '../parts/notice.tsx';
import { Scopes } from '../parts/scopes.tsx';
import { DataTable, type Column } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { toast } from '../parts/toast.tsx';
import type { Schemas } from '../paths.ts';

type Key = Schemas['ApiKey'];

/** Keys: API keys of the applications. A session can revoke them, and cannot create one. */
export default function Keys() {
  return (
    <Page title="Keys">
      <Notice>
        <p>
          The console cannot create API keys, so that nothing outlives a session. Create one with another key:{' '}
          <code>POST /v1/applications/ID/keys</code>.
        </p>
      </Notice>
      <PerApplication>{({ id }) => <OfApplication id={id} />}</PerApplication>
    </Page>
  );
}

const POLL_MS = 15_000;

function OfApplication({ id }: { id: string }) {
  const keys = useLive('/v1/applications/{id}/keys', { params: { id }, query: { limit: 100 } }, POLL_MS);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const columns: readonly Column<Key>[] = [
    {
      head: 'Name',
      cell: ({ name, last4 }) => (
        <div>
          <strong>
            <bdi>{name}</bdi>
          </strong>
          <p class="muted">ends with {last4}</p>
        </div>
      ),
    },
    { head: 'Scopes', cell: ({ scopes }) => <Scopes of={scopes} /> },
    { head: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    { head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      head: 'Status',
      cell: (key) =>
        key.revoked_at === null ? (
          <Button kind="danger" label={`Revoke ${key.name}…`} onClick={() => setRevoking(key)}>
            Revoke…
          </Button>
        ) : (
          <div>
            <Badge tone="quiet">Revoked</Badge>
            <p class="muted">
              <Time at={key.revoked_at} />
            </p>
          </div>
        ),
    },
  ];
  return (
    <>
      <DataTable
        label="API keys"
        columns={columns}
        rows={keys}
        keyOf={(key) => key.id}
        empty={<Empty title="This application has no API key" />}
      />
      {revoking && (
        <Confirm
          title="Revoke this key?"
          button="Revoke"
          onClose={() => setRevoking(null)}
          run={async () => {
            await del('/v1/applications/{id}/keys/{keyId}', { params: { id, keyId: revoking.id } });
            toast('The key is revoked.');
            refresh(`/v1/applications/${id}/keys`);
          }}
        >
          <p>
            We refuse the next request with <bdi>{revoking.name}</bdi> (…{revoking.last4}). Console sessions that this
            key created end too, which may include yours. You cannot undo this.
          </p>
        </Confirm>
      )}
    </>
  );
}
