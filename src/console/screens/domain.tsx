import { useState } from 'preact/hooks';
import { useParams } from 'wouter-preact';
import { shownHostname } from '../connections.ts';
import { Actions } from '../domain/actions.tsx';
import { Findings } from '../domain/findings.tsx';
import { Events, Timeline } from '../domain/history.tsx';
import { Records, type Checked } from '../domain/records.tsx';
import { stepsOf, type Detail, type Step, type StepStatus } from '../domain/steps.ts';
import { Writes } from '../domain/writes.tsx';
import { useLive } from '../live.ts';
import { Badge, StateBadge } from '../parts/badge.tsx';
import { A, Card, Facts, Page } from '../parts/basics.tsx';
import { Code } from '../parts/code.tsx';
import { Icon } from '../parts/icon.tsx';
import { Time } from '../parts/time.tsx';
import { Unshown } from '../parts/unshown.tsx';
import { useSession } from '../session.ts';
import { codeInWords } from '../words.ts';

const BACK = { path: '/domains', text: 'Domains' };
const POLL_MS = 2_000;

/** Domain: where it is on its way, what is wrong and what fixes it, its records, certificate and history. */
export default function Domain() {
  const { id } = useParams<{ id: string }>();
  const { data, error } = useLive('/v1/connections/{id}', { params: { id } }, POLL_MS);
  if (data !== undefined) return <Shown key={id} connection={data} />;
  return (
    <Page title="Domain" back={BACK}>
      <Unshown
        error={error}
        title="There is no such domain"
        hint="It may belong to another tenant or environment, or the address may be incomplete."
      />
    </Page>
  );
}

function Shown({ connection }: { connection: Detail }) {
  const [checked, setChecked] = useState<Checked | null>(null);
  const { scopes } = useSession();
  const maySeeEvents = scopes.includes('webhooks:write') || scopes.includes('apps:admin');
  const { name, ascii } = shownHostname(connection.hostname);
  const heading = (
    <>
      <bdi>{name}</bdi> <StateBadge state={connection.state} />
    </>
  );
  return (
    <Page
      title={name}
      heading={heading}
      back={BACK}
      actions={<Actions connection={connection} onChecked={setChecked} />}
    >
      {ascii && (
        <p>
          <Code value={ascii} of="the hostname" />
        </p>
      )}
      <Stepper steps={stepsOf(connection)} />
      <Findings of={connection.findings} />
      <div class="columns">
        <div>
          <Records connection={connection} checked={checked} />
          <Writes connection={connection} />
          {maySeeEvents && <Events id={connection.id} />}
        </div>
        <div>
          <About connection={connection} />
          {connection.serve && <Certificate of={connection.certificate} />}
          <Timeline connection={connection} />
        </div>
      </div>
    </Page>
  );
}

const STATUS_TEXT: Record<StepStatus, string> = {
  done: 'done',
  active: 'in progress',
  problem: 'needs attention',
  todo: 'to do',
};

const Stepper = ({ steps }: { steps: readonly Step[] }) => (
  <ol class="stepper" aria-label="Progress">
    {steps.map(({ key, title, status }) => (
      <li key={key} class={status} aria-current={status === 'active' || status === 'problem' ? 'step' : undefined}>
        <span class="mark">
          {status === 'done' && <Icon name="check" />}
          {status === 'problem' && <Icon name="alert" />}
          {status === 'active' && <Icon name="clock" />}
        </span>
        <span>
          {title}
          <small>{STATUS_TEXT[status]}</small>
        </span>
      </li>
    ))}
  </ol>
);

const About = ({ connection: c }: { connection: Detail }) => (
  <Card title="About">
    <Facts
      of={[
        ['Environment', c.environment === 'live' ? <Badge tone="good">Live</Badge> : <Badge tone="warn">Test</Badge>],
        ['Problem', c.error_code && codeInWords(c.error_code)],
        ['Customer', c.external_id && <CustomerLink id={c.external_id} />],
        ['DNS provider', c.provider_name ?? c.provider],
        ['Setup', c.setup_type === 'automatic' ? 'Automatic, by us' : 'Manual, by the customer'],
        ['Created', <Time at={c.created_at} />],
        ['Companion', c.companion && <A to={`/domains/${c.companion.connection_id}`}>{c.companion.hostname}</A>],
        ['Forwards to', c.origin_url],
        ['Redirects to', c.redirect && c.redirect.to],
        [
          'Batch',
          c.batch_id && (
            <A to="/domains" query={{ batch: c.batch_id }}>
              {c.batch_id.slice(0, 8)}
            </A>
          ),
        ],
        ['Id', <Code value={c.id} of="the id" />],
      ]}
    />
  </Card>
);

const CustomerLink = ({ id }: { id: string }) => (
  <A to="/domains" query={{ customer: id }}>
    <bdi>{id}</bdi>
  </A>
);

const CERTIFICATE_TONES = { issued: 'good', pending: 'busy', failed: 'bad', expired: 'bad' } as const;

const Certificate = ({ of: c }: { of: Detail['certificate'] }) => (
  <Card title="Certificate">
    <Facts
      of={
        [
          ['Status', <Badge tone={c.status in CERTIFICATE_TONES ? CERTIFICATE_TONES[c.status as keyof typeof CERTIFICATE_TONES] : 'quiet'}>{codeInWords(c.status)}</Badge>], // prettier-ignore
          ['Issued by', c.ca],
          ['Expires', c.not_after && <Time at={c.not_after} />],
          ['Renewed from', c.renew_at && <Time at={c.renew_at} />],
          ['Names', c.names.length > 0 && c.names.join(', ')],
          ['Source', c.source && codeInWords(c.source)],
          ['Serial', c.serial && <Code value={c.serial} of="the serial number" />],
        ].filter(([, value]) => value !== false) as [string, never][]
      }
    />
  </Card>
);
