import { Badge } from '../parts/badge.tsx';
import { Time } from '../parts/time.tsx';
import type { Schemas } from '../paths.ts';
import type { Tone } from '../states.ts';
import { codeInWords } from '../words.ts';
import type { Endpoint } from './endpoint-form.tsx';

const REASONS: Readonly<Record<string, string>> = {
  gone: 'It answered 410 Gone.',
  failing: 'Every attempt of the last five days failed.',
};

/** Whether an endpoint gets events, and why not. */
export function EndpointStatus({ endpoint }: { endpoint: Endpoint }) {
  const { active, disabled_reason, disabled_at, failing_since } = endpoint;
  if (active && failing_since === null) return <Badge tone="good">Active</Badge>;
  return (
    <div>
      {active ? <Badge tone="warn">Failing</Badge> : <Badge tone={disabled_reason ? 'bad' : 'quiet'}>Disabled</Badge>}
      <p class="muted">
        {active ? (
          <>
            first failure <Time at={failing_since} />
          </>
        ) : disabled_reason === null ? (
          'By your team.'
        ) : (
          <>
            {REASONS[disabled_reason] ?? codeInWords(disabled_reason)} Disabled <Time at={disabled_at} />.
          </>
        )}
      </p>
    </div>
  );
}

const DELIVERY_TONES: Readonly<Record<string, Tone>> = { delivered: 'good', pending: 'busy', failed: 'bad' };

export const DeliveryStatus = ({ delivery }: { delivery: Schemas['Delivery'] }) => (
  <Badge tone={DELIVERY_TONES[delivery.status] ?? 'quiet'}>{codeInWords(delivery.status)}</Badge>
);
