import { useState } from 'preact/hooks';
import { useLive } from '../live.ts';
import { Button, Card, Empty, Page } from '../parts/basics.tsx';
import { DataTable, Pager, type Column } from '../parts/table.tsx';
import { usePlace } from '../place.ts';
import { EndpointForm, type Endpoint } from '../webhooks/endpoint-form.tsx';
import { SecretDialog, type ShownSecret } from '../webhooks/secret.tsx';
import { EndpointStatus } from '../webhooks/status.tsx';

const COLUMNS: readonly Column<Endpoint>[] = [
  { head: 'URL', cell: ({ url }) => <bdi>{url}</bdi>, class: 'wide' },
  { head: 'Events', cell: ({ events }) => (events.includes('*') ? 'Every event' : <span title={events.join(', ')}>{`${events.length} types`}</span>) }, // prettier-ignore
  { head: 'Status', cell: (endpoint) => <EndpointStatus endpoint={endpoint} /> },
];

/** Webhooks: the endpoints to which the service sends events. */
export default function Webhooks() {
  const { query, scope, href } = usePlace();
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<ShownSecret | null>(null);
  const { data, error } = useLive('/v1/webhook-endpoints', {
    query: { application_id: scope.applicationId, limit: 100, cursor: query['after'] },
  });
  // A live session lists the endpoints of both environments.
  const rows = data && { ...data, data: data.data.filter(({ environment }) => environment === scope.environment) };
  return (
    <Page
      title="Webhooks"
      actions={
        <Button kind="primary" onClick={() => setAdding(true)}>
          Add an endpoint
        </Button>
      }
    >
      <Card>
        <DataTable
          label="Endpoints"
          columns={COLUMNS}
          rows={{ data: rows, error }}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => href(`/webhooks/${id}`)}
          empty={
            <Empty title="No endpoint yet">
              <p>Add the URL of your receiver. We send an event when a domain goes live, drifts or fails.</p>
            </Empty>
          }
        />
        <Pager next={data?.next_cursor} noun="endpoints" />
      </Card>
      {isAdding && (
        <EndpointForm
          endpoint={null}
          onClose={() => setAdding(false)}
          onCreated={(_endpoint, value) => setSecret({ value, activatesAt: null })}
        />
      )}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </Page>
  );
}
