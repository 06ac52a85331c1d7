import { post } from '../api.ts';
import { refresh, useLive } from '../live.ts';
import { Badge } from '../parts/badge.tsx';
import { Button, Card, Empty, Facts, Loading, Page, Problem } from '../parts/basics.tsx';
import { Time } from '../parts/time.tsx';
import { toast } from '../parts/toast.tsx';
import type { Schemas } from '../paths.ts';
import { usePlace } from '../place.ts';
import { useMay, useSession } from '../session.ts';
import { codeInWords } from '../words.ts';

type Usage = Schemas['Usage'];
type Plan = Schemas['Plan'];
const RARELY_MS = 60_000;

/** Usage and plan: what a month used, the limits, and the plans to choose from. */
export default function PlanScreen() {
  return (
    <Page title="Usage and plan">
      <UsageCard />
      <Plans />
    </Page>
  );
}

const MONTHS = 12;
const MONTH_NAME = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Returns the last months in UTC, newest first, as the API names them. */
function months(): (readonly [value: string, text: string])[] {
  const now = new Date();
  return Array.from({ length: MONTHS }, (_, i) => {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - i, 1));
    return [month.toISOString().slice(0, 7), MONTH_NAME.format(month)] as const;
  });
}

const KINDS: Readonly<Record<string, readonly [title: string, text: string]>> = {
  connect: ['New domains', 'connected in this month'],
  active_domain: ['Active domains', 'served in this month'],
  cert: ['Certificates', 'issued in this month'],
  api_call: ['API calls', 'by your keys in this month'],
};

function UsageCard() {
  const { query, scope, set } = usePlace();
  const { data, error } = useLive('/v1/usage', { query: { period: query['period'], application_id: scope.applicationId } }, RARELY_MS); // prettier-ignore
  const choices = months();
  return (
    <Card
      title="Usage"
      aside={
        <select
          aria-label="Month"
          value={query['period'] ?? choices[0]?.[0] ?? ''}
          onChange={(event) => set({ period: event.currentTarget.value === choices[0]?.[0] ? null : event.currentTarget.value })} // prettier-ignore
        >
          {choices.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      }
    >
      {data !== undefined ? (
        <dl class="figures">
          {data.data.map((entry) => (
            <Figure key={entry.kind} of={entry} />
          ))}
        </dl>
      ) : error === null || error.isTemporary ? (
        <Loading />
      ) : (
        <Problem error={error} />
      )}
      <p class="hint">
        {scope.applicationId === null ? 'All applications, in both environments.' : 'The chosen application.'} Hostnames
        below .test cost nothing. A limit concerns all applications together.
      </p>
    </Card>
  );
}

function Figure({ of: { kind, quantity, counted, limit } }: { of: Usage['data'][number] }) {
  const [title, text] = KINDS[kind] ?? [codeInWords(kind), ''];
  const used = counted ?? quantity;
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <strong>{quantity.toLocaleString('en')}</strong>
        <span class="muted">{text}</span>
        {limit !== null && (
          <>
            <progress aria-label={`${title} used of the limit`} max={limit} value={Math.min(used, limit)} />
            <span class={used >= limit ? 'error' : 'muted'}>
              {used.toLocaleString('en')} of {limit.toLocaleString('en')} count against the limit
            </span>
          </>
        )}
      </dd>
    </div>
  );
}

function Plans() {
  const plans = useLive('/v1/plans', {}, RARELY_MS);
  const mayChoose = useMay('apps:admin');
  const { environment } = useSession();
  const subscription = useLive(mayChoose ? '/v1/subscriptions' : null, {}, RARELY_MS).data;
  const usage = useLive('/v1/usage', {}, RARELY_MS).data;
  const current = subscription?.plan ?? usage?.plan;
  if (plans.data === undefined)
    return <Card title="Plan">{plans.error === null || plans.error.isTemporary ? <Loading /> : <Problem error={plans.error} />}</Card>; // prettier-ignore
  return (
    <Card title="Plan">
      {subscription && <SubscriptionFacts of={subscription} />}
      {plans.data.data.length === 0 ? (
        <Empty title="The operator offers no plans" />
      ) : (
        <ul class="plans">
          {plans.data.data.map((plan) => (
            <li key={plan.id} class={plan.id === current ? 'current' : undefined}>
              <PlanText plan={plan} />
              {plan.id === current ? (
                <Badge tone="good">Your plan</Badge>
              ) : (
                mayChoose && environment === 'live' && plan.price && <Button onClick={() => choose(plan)}>{`Choose ${plan.name}`}</Button> // prettier-ignore
              )}
            </li>
          ))}
        </ul>
      )}
      {mayChoose && environment === 'test' && <p class="hint">Sign in with a live key's link to change the plan.</p>}
    </Card>
  );
}

/** A first subscription opens the payment page of the billing provider. A change of an existing one is done here. */
async function choose({ id, name }: Plan): Promise<void> {
  const here = location.href;
  const body = { plan: id, success_url: here, cancel_url: here };
  const { checkout_url } = await post('/v1/subscriptions', {
    body,
    headers: { 'Idempotency-Key': crypto.randomUUID() },
  });
  if (checkout_url !== null) location.assign(checkout_url);
  else {
    toast(`Your plan is ${name}.`);
    refresh('/v1/');
  }
}

const SubscriptionFacts = ({ of }: { of: Schemas['Subscription'] }) => (
  <Facts
    of={[
      ['Status', codeInWords(of.status)],
      ['Paid until', of.current_period_end && <Time at={of.current_period_end} />],
      ['Renewal', of.cancel_at_period_end ? 'Ends with the period' : null],
    ]}
  />
);

const PlanText = ({ plan: { name, price, limits, features } }: { plan: Plan }) => (
  <div>
    <h3>{name}</h3>
    {price !== null && <p>{priceText(price)}</p>}
    <p class="muted">
      {limits.connects_per_period === null
        ? 'New domains without a limit'
        : `${limits.connects_per_period.toLocaleString('en')} new domains a month`}
    </p>
    {features.length > 0 && (
      <ul class="muted">
        {features.map((feature) => (
          <li key={feature}>{feature}</li>
        ))}
      </ul>
    )}
  </div>
);

/** The API gives amounts in the smallest unit of the currency, of which not every currency has a hundred. */
function priceText({ amount, currency, interval }: NonNullable<Plan['price']>): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return `${format.format(amount / 10 ** digits)} a ${interval}`;
}
