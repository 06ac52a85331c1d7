import { useParams } from 'wouter-preact';
import { post } from '../api.ts';
import { refresh, useLive } from '../live.ts';
import { Badge } from '../parts/badge.tsx';
import { Button, Card, Empty, Facts, Loading, Page, Problem } from '../parts/basics.tsx';
import { Block, Code } from '../parts/code.tsx';
import { Notice } from '../parts/notice.tsx';
import { Time, useNow } from '../parts/time.tsx';
import { toast } from '../parts/toast.tsx';
import { Unshown } from '../parts/unshown.tsx';
import type { Schemas } from '../paths.ts';
import { DeliveryStatus } from '../webhooks/status.tsx';
import { codeInWords } from '../words.ts';

type Delivery = Schemas['DeliveryDetail'];
const POLL_MS = 2_000;

/** Delivery: the event as we send it, and every attempt with its response. */
export default function DeliveryScreen() {
  const { id } = useParams<{ id: string }>();
  const { data, error } = useLive('/v1/deliveries/{id}', { params: { id } }, POLL_MS);
  if (data !== undefined) return <Shown delivery={data} />;
  return (
    <Page title="Delivery" back={{ path: '/webhooks', text: 'Webhooks' }}>
      <Unshown error={error} title="There is no such delivery" hint="Deliveries are kept for 30 days." />
    </Page>
  );
}

function Shown({ delivery }: { delivery: Delivery }) {
  const { id, endpoint_id, event_type, status, reason, next_attempt_at, delivered_at, event_id } = delivery;
  const replay = async () => {
    await post('/v1/deliveries/{id}:replay', { params: { id } });
    toast('The event is being sent again.');
    refresh('/v1/deliveries/');
  };
  return (
    <Page
      title={event_type}
      back={{ path: `/webhooks/${endpoint_id}`, text: 'Endpoint' }}
      heading={
        <>
          {event_type} <DeliveryStatus delivery={delivery} />
        </>
      }
      actions={
        <Button kind={status === 'delivered' ? 'quiet' : 'primary'} onClick={replay}>
          Send again
        </Button>
      }
    >
      {status === 'pending' && <Paused endpointId={endpoint_id} />}
      <Card>
        <Facts
          of={[
            ['Reason', reason && codeInWords(reason)],
            ['Next attempt', next_attempt_at && <Time at={next_attempt_at} />],
            ['Delivered', delivered_at && <Time at={delivered_at} />],
            ['Event', <Code value={event_id} of="the id of the event" />],
          ]}
        />
      </Card>
      <div class="grid">
        <Request eventId={event_id} />
        <Attempts of={delivery.attempts} />
      </div>
    </Page>
  );
}

/** Explains why a delivery waits although its time has come. */
function Paused({ endpointId: id }: { endpointId: string }) {
  const { data } = useLive('/v1/webhook-endpoints/{id}', { params: { id } });
  const now = useNow();
  const until = data?.paused_until ?? null;
  if (until === null || Date.parse(until) < now) return null;
  return (
    <Notice tone="warning">
      <p>
        The endpoint has failed several times in a row, so attempts are paused. We try again <Time at={until} />.
      </p>
    </Notice>
  );
}

/** Returns the body that receivers get: the event without its deliveries. */
const bodyOf = ({ deliveries: _deliveries, ...event }: Schemas['EventDetail']) => event;

function Request({ eventId: id }: { eventId: string }) {
  const { data, error } = useLive('/v1/events/{id}', { params: { id } }, 60_000);
  if (data === undefined)
    return <Card title="Request">{error === null || error.isTemporary ? <Loading /> : <Problem error={error} />}</Card>;
  return (
    <Card title="Request" aside="the same body on every attempt">
      <Facts
        of={[
          ['Method', 'POST'],
          ['Content-Type', <code>application/json</code>],
          ['webhook-id', <code>{id}</code>],
        ]}
      />
      <Block label="Body of the request" text={JSON.stringify(bodyOf(data), null, 2)} />
    </Card>
  );
}

const Attempts = ({ of }: { of: Delivery['attempts'] }) => (
  <Card title="Attempts" aside={of.length === 1 ? '1 attempt' : `${of.length} attempts`}>
    {of.length === 0 ? (
      <Empty title="No attempt yet">
        <p>The first one begins within seconds.</p>
      </Empty>
    ) : (
      <ol class="attempts" aria-label="Attempts">
        {of.map((attempt) => (
          <li key={attempt.number}>
            <p class="attempt-head">
              <strong>Attempt {attempt.number}</strong>
              <Badge tone={attempt.outcome === 'delivered' ? 'good' : 'bad'}>
                {attempt.status_code === null ? codeInWords(attempt.outcome) : `HTTP ${attempt.status_code}`}
              </Badge>
              <Time at={attempt.at} />
              <span class="muted">took {attempt.duration_ms.toLocaleString('en')} ms</span>
            </p>
            <p>
              <code>{attempt.url}</code>
            </p>
            {attempt.error && <p class="error">{attempt.error}</p>}
            {attempt.response !== null && attempt.response !== '' && (
              <Block label={`Response of attempt ${attempt.number}`} text={attempt.response} />
            )}
          </li>
        ))}
      </ol>
    )}
  </Card>
);
