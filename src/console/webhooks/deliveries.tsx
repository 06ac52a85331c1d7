import { EVENT_TYPES, TEST_EVENT } from '../../domain/webhook/events.ts';
import { useLive } from '../live.ts';
import { Card, Empty } from '../parts/basics.tsx';
import { DataTable, Pager, type Column } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import type { Schemas } from '../paths.ts';
import { usePlace } from '../place.ts';
import { DeliveryStatus } from './status.tsx';

type Delivery = Schemas['Delivery'];

const COLUMNS: readonly Column<Delivery>[] = [
  { head: 'Event', cell: ({ event_type }) => event_type },
  { head: 'Status', cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
  { head: 'Attempts', cell: ({ attempt_count }) => attempt_count, class: 'num' },
  { head: 'Last attempt', cell: ({ last_attempt_at }) => <Time at={last_attempt_at} /> },
  { head: 'Next attempt', cell: ({ next_attempt_at }) => next_attempt_at && <Time at={next_attempt_at} /> },
  { head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
];
const POLL_MS = 3_000;

/** Deliveries to an endpoint, newest first. Each has its own screen with every attempt. */
export function DeliveryTable({ endpointId: id }: { endpointId: string }) {
  const { query, set, href } = usePlace();
  const deliveries = useLive('/v1/webhook-endpoints/{id}/deliveries', { params: { id }, query: { status: query['status'], event: query['event'], limit: 50, cursor: query['after'] } }, POLL_MS); // prettier-ignore
  const isFiltered = query['status'] !== undefined || query['event'] !== undefined;
  const choose = (field: string) => (event: { currentTarget: { value: string } }) =>
    set({ [field]: event.currentTarget.value, after: null });
  return (
    <Card title="Deliveries" aside="last 30 days">
      <div class="filters">
        <select aria-label="Status" value={query['status'] ?? ''} onChange={choose('status')}>
          <option value="">Any status</option>
          <option value="pending">Pending</option>
          <option value="delivered">Delivered</option>
          <option value="failed">Failed</option>
        </select>
        <select aria-label="Event" value={query['event'] ?? ''} onChange={choose('event')}>
          <option value="">Any event</option>
          {[TEST_EVENT, ...EVENT_TYPES].map((type) => (
            <option key={type} value={type}>
              {type}
            </option>
          ))}
        </select>
      </div>
      <DataTable
        label="Deliveries"
        columns={COLUMNS}
        rows={deliveries}
        keyOf={(row) => row.id}
        hrefOf={(row) => href(`/webhooks/deliveries/${row.id}`)}
        empty={
          <Empty title={isFiltered ? 'No delivery matches' : 'No delivery yet'}>
            <p>{isFiltered ? 'Choose another status or event.' : 'Send a test event to see the first one.'}</p>
          </Empty>
        }
      />
      <Pager next={deliveries.data?.next_cursor} noun="deliveries" />
    </Card>
  );
}
