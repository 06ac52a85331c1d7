import { useState } from 'preact/hooks';
import { useParams } from 'wouter-preact';
import { del, patch, post } from '../api.ts';
import { refresh, useLive } from '../live.ts';
import { Button, Card, Facts, Page } from '../parts/basics.tsx';
import { Code } from '../parts/code.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Time } from '../parts/time.tsx';
import { toast } from '../parts/toast.tsx';
import { Unshown } from '../parts/unshown.tsx';
import { usePlace } from '../place.ts';
import { DeliveryTable } from '../webhooks/deliveries.tsx';
import { EndpointForm, type Endpoint } from '../webhooks/endpoint-form.tsx';
import { Recover } from '../webhooks/recover.tsx';
import { Rotate } from '../webhooks/rotate.tsx';
import { EndpointStatus } from '../webhooks/status.tsx';

const BACK = { path: '/webhooks', text: 'Webhooks' };

/** Endpoint: its settings, its secret, and its deliveries. */
export default function Webhook() {
  const { id } = useParams<{ id: string }>();
  const { data, error } = useLive('/v1/webhook-endpoints/{id}', { params: { id } });
  return (
    <Page title="Endpoint" back={BACK} actions={data && <Actions endpoint={data} />}>
      {data !== undefined ? (
        <>
          <About endpoint={data} />
          <DeliveryTable endpointId={data.id} />
        </>
      ) : (
        <Unshown
          error={error}
          title="There is no such endpoint"
          hint="It may be deleted, or belong to another tenant or environment."
        />
      )}
    </Page>
  );
}

const isAhead = (at: string | null): at is string => at !== null && Date.parse(at) > Date.now();

const About = ({ endpoint }: { endpoint: Endpoint }) => (
  <Card>
    <Facts
      of={[
        ['URL', <Code value={endpoint.url} of="the URL" />],
        ['Status', <EndpointStatus endpoint={endpoint} />],
        ['Paused until', isAhead(endpoint.paused_until) ? <Time at={endpoint.paused_until} /> : null],
        ['Events', endpoint.events.includes('*') ? 'Every event' : endpoint.events.join(', ')],
        ['New secret', endpoint.next_secret_activates_at && <>signs <Time at={endpoint.next_secret_activates_at} /></>], // prettier-ignore
        ['Created', <Time at={endpoint.created_at} />],
      ]}
    />
  </Card>
);

type Open = 'edit' | 'rotate' | 'recover' | 'delete';

function Actions({ endpoint }: { endpoint: Endpoint }) {
  const { go } = usePlace();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const params = { id: endpoint.id };
  const enable = async (active: boolean) => {
    await patch('/v1/webhook-endpoints/{id}', { params, body: { active } });
    toast(active ? 'The endpoint gets events again.' : 'The endpoint gets no more events.');
    refresh('/v1/webhook-endpoints');
  };
  const test = async () => {
    await post('/v1/webhook-endpoints/{id}:test', { params });
    toast('A test event is on its way.');
    refresh('/v1/webhook-endpoints');
  };
  return (
    <>
      {endpoint.active && (
        <>
          <Button kind="primary" onClick={test}>
            Send test event
          </Button>
          <Button onClick={() => setOpen('recover')}>Recover…</Button>
        </>
      )}
      {!endpoint.active && (
        <Button kind="primary" onClick={() => enable(true)}>
          Enable
        </Button>
      )}
      <Button onClick={() => setOpen('edit')}>Edit…</Button>
      <Button onClick={() => setOpen('rotate')}>Rotate secret…</Button>
      {endpoint.active && <Button onClick={() => enable(false)}>Disable</Button>}
      <Button kind="danger" onClick={() => setOpen('delete')}>
        Delete…
      </Button>
      {open === 'edit' && <EndpointForm endpoint={endpoint} onClose={close} />}
      {open === 'rotate' && <Rotate id={endpoint.id} onClose={close} />}
      {open === 'recover' && <Recover id={endpoint.id} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title="Delete this endpoint?"
          button="Delete"
          onClose={close}
          run={async () => {
            await del('/v1/webhook-endpoints/{id}', { params });
            toast('The endpoint is deleted.');
            go('/webhooks');
            refresh('/v1/webhook-endpoints');
          }}
        >
          <p>Pending deliveries are not sent, and its signing secret is lost. You cannot undo this.</p>
        </Confirm>
      )}
    </>
  );
}
