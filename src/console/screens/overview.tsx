import { useMemo } from 'preact/hooks';
import { STATES } from '../../domain/connection/connection.ts';
import { useLive } from '../live.ts';
import { Bars } from '../parts/bars.tsx';
import { StateBadge } from '../parts/badge.tsx';
import { A, Card, Empty, Loading, Page, Problem } from '../parts/basics.tsx';
import { Chart } from '../parts/chart.tsx';
import { Icon } from '../parts/icon.tsx';
import type { Answer } from '../paths.ts';
import { scopeQuery, usePlace } from '../place.ts';

type Counts = Answer<'/v1/connections:counts', 'get'>;
type Series = Answer<'/v1/connections:series', 'get'>;

const DAYS = 30;
const SERIES_MS = 60_000;

/** Overview: how many domains are in which state, what needs attention, and how the last month went. */
export default function Overview() {
  const { scope } = usePlace();
  const query = scopeQuery(scope);
  const counts = useLive('/v1/connections:counts', { query });
  const series = useLive('/v1/connections:series', { query: { ...query, days: DAYS } }, SERIES_MS);
  const failure = counts.error ?? series.error;
  return (
    <Page title="Overview">
      {counts.data === undefined && failure !== null && !failure.isTemporary && <Problem error={failure} />}
      {counts.data === undefined && (failure === null || failure.isTemporary) && <Loading />}
      {counts.data?.total === 0 && <NoDomains />}
      {counts.data && counts.data.total > 0 && (
        <>
          <div class="grid">
            <Attention counts={counts.data} />
            <Card title="Domains by state" aside={`${counts.data.total.toLocaleString('en')} in all`}>
              <ByState counts={counts.data} />
            </Card>
            {series.data && (
              <Card title="New and live per day" aside={`last ${DAYS} days, UTC`}>
                <PerDay series={series.data} />
              </Card>
            )}
            {series.data && (
              <Card title="Time from create to live" aside={`last ${DAYS} days`}>
                <TimeToLive series={series.data} />
              </Card>
            )}
          </div>
        </>
      )}
    </Page>
  );
}

const NoDomains = () => (
  <Card>
    <Empty title="No domains here yet">
      <p>
        Domains appear as soon as a customer connects one in the widget, or your server calls{' '}
        <code>POST /v1/connections</code>.
      </p>
    </Empty>
  </Card>
);

const ByState = ({ counts }: { counts: Counts }) => (
  <Bars
    label="Domains by state"
    of={STATES.filter((state) => counts.by_state[state] > 0).map((state) => ({
      key: state,
      label: (
        <A to="/domains" query={{ state }}>
          <StateBadge state={state} />
        </A>
      ),
      count: counts.by_state[state],
    }))}
  />
);

interface Concern {
  text: (count: number) => string;
  to: string;
  isFilter: boolean;
}
const plural = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

const CONCERNS: Readonly<Record<string, Concern>> = {
  stalled: { text: (n) => plural(n, 'domain waits', 'domains wait') + ' for records for too long', to: '/domains', isFilter: true }, // prettier-ignore
  drifted: { text: (n) => plural(n, 'domain no longer points', 'domains no longer point') + ' here', to: '/domains', isFilter: true }, // prettier-ignore
  failing_certificates: { text: (n) => plural(n, 'domain has', 'domains have') + ' no certificate because orders fail', to: '/domains', isFilter: true }, // prettier-ignore
  dangling: { text: (n) => plural(n, 'archived domain still points', 'archived domains still point') + ' here', to: '/domains', isFilter: true }, // prettier-ignore
  refused_credentials: { text: (n) => plural(n, 'credential is', 'credentials are') + ' refused by the DNS provider', to: '/credentials', isFilter: false }, // prettier-ignore
  disabled_endpoints: { text: (n) => plural(n, 'webhook endpoint is', 'webhook endpoints are') + ' disabled', to: '/webhooks', isFilter: false }, // prettier-ignore
};

function Attention({ counts }: { counts: Counts }) {
  const attention = new Map(Object.entries(counts.attention));
  const concerns = Object.entries(CONCERNS).filter(([key]) => (attention.get(key) ?? 0) > 0);
  return (
    <Card title="Needs attention">
      {concerns.length === 0 ? (
        <p class="calm">
          <Icon name="check" />
          Nothing needs attention.
        </p>
      ) : (
        <ul class="concerns">
          {concerns.map(([key, { text, to, isFilter }]) => (
            <li key={key}>
              <A to={to} query={isFilter ? { attention: key } : {}}>
                <Icon name="alert" />
                {text(attention.get(key) ?? 0)}
                <Icon name="next" />
              </A>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function PerDay({ series: { days } }: { series: Series }) {
  const names = useMemo(() => days.map(({ day }) => day), [days]);
  const lines = useMemo(
    () => [
      { name: 'New', color: 'accent' as const, values: days.map(({ created }) => created) },
      { name: 'Live', color: 'good' as const, values: days.map(({ live }) => live) },
    ],
    [days],
  );
  return <Chart label="New and live domains per day" days={names} series={lines} />;
}

const span = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : seconds < 3_600 ? `${seconds / 60} min` : seconds < 86_400 ? `${seconds / 3_600} h` : `${seconds / 86_400} d`; // prettier-ignore

function TimeToLive({ series: { seconds_to_live: buckets } }: { series: Series }) {
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return <p class="muted">No domain went live in these days.</p>;
  const bars = buckets.map(({ up_to, count }, i) => ({
    key: String(up_to),
    label: up_to === null ? `over ${span(buckets[i - 1]?.up_to ?? 0)}` : `up to ${span(up_to)}`,
    count,
  }));
  return (
    <>
      <p class="muted">{medianSentence(buckets, total)}</p>
      <Bars label="Domains by time from create to live" of={bars} />
    </>
  );
}

/** States the bucket in which half of the domains were live. */
function medianSentence(buckets: Series['seconds_to_live'], total: number): string {
  let seen = 0;
  for (const { up_to, count } of buckets) {
    seen += count;
    if (seen >= total / 2) return up_to === null ? 'Half took longer than shown.' : `Half were live within ${span(up_to)}.`; // prettier-ignore
  }
  return '';
}
