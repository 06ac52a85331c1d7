import { post } from '../api.ts';
import { refresh, useLive } from '../live.ts';
import { Badge, StateBadge } from '../parts/badge.tsx';
import { stateName, type Tone } from '../states.ts';
import { Button, Card, Empty } from '../parts/basics.tsx';
import { Time } from '../parts/time.tsx';
import { toast } from '../parts/toast.tsx';
import type { Schemas } from '../paths.ts';
import { codeInWords } from '../words.ts';
import type { Detail } from './steps.ts';

/** The last changes of the connection, newest first. */
export function Timeline({ connection }: { connection: Detail }) {
  const entries = [...connection.timeline].sort((a, b) => b.at.localeCompare(a.at));
  return (
    <Card title="Timeline">
      <ol class="timeline">
        {entries.map(({ at, kind, from, to, reason }, i) => (
          <li key={`${at} ${i}`}>
            <Time at={at} />
            <div>
              {to !== null && <StateBadge state={to} />}
              {to === null && kind !== 'reason' && <strong>{codeInWords(kind)}</strong>}
              {from && to && <span class="muted"> after {stateName(from).toLowerCase()}</span>}
              {reason && <p>{reason}</p>}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

type Delivery = Schemas['Delivery'];
const TONES: Readonly<Record<string, Tone>> = { delivered: 'good', pending: 'busy', failed: 'bad' };
const EVENTS_MS = 10_000;

/** Events of the connection, each with its deliveries to webhook endpoints. */
export function Events({ id }: { id: string }) {
  const query = { connection_id: id, limit: 50 };
  const events = useLive('/v1/events', { query }, EVENTS_MS);
  const deliveries = useLive('/v1/deliveries', { query }, EVENTS_MS);
  if (events.data === undefined) return null;
  return (
    <Card title="Events and deliveries" aside="last 30 days">
      {events.data.data.length === 0 ? (
        <Empty title="No events yet" />
      ) : (
        <ol class="timeline">
          {events.data.data.map((event) => (
            <li key={event.id}>
              <Time at={event.timestamp} />
              <div>
                <code>{event.type}</code>
                <Deliveries of={(deliveries.data?.data ?? []).filter(({ event_id }) => event_id === event.id)} />
              </div>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

const Deliveries = ({ of }: { of: readonly Delivery[] }) =>
  of.length === 0 ? (
    <p class="muted">No endpoint subscribes to it.</p>
  ) : (
    <ul>
      {of.map((delivery) => (
        <li key={delivery.id} class="delivery">
          <Badge tone={TONES[delivery.status] ?? 'quiet'}>{codeInWords(delivery.status)}</Badge>
          <span class="muted">
            {delivery.attempt_count === 1 ? '1 attempt' : `${delivery.attempt_count} attempts`}
            {delivery.next_attempt_at && (
              <>
                , next <Time at={delivery.next_attempt_at} />
              </>
            )}
          </span>
          {delivery.status !== 'delivered' && (
            <Button kind="plain" onClick={() => replay(delivery.id)}>
              Send again
            </Button>
          )}
        </li>
      ))}
    </ul>
  );

async function replay(id: string): Promise<void> {
  await post('/v1/deliveries/{id}:replay', { params: { id } });
  toast('The event is being sent again.');
  refresh('/v1/deliveries');
}
