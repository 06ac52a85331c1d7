import { useState } from 'preact/hooks';
import { del, post } from '../api.ts';
import { PerApplication } from '../applications.tsx';
import { refresh, useLive } from '../live.ts';
import { Badge } from '../parts/badge.tsx';
import { A, Button, Empty, Page } from '../parts/basics.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { DataTable, type Column } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { toast } from '../parts/toast.tsx';
import type { Schemas } from '../paths.ts';
import { codeInWords } from '../words.ts';
import type { Tone } from '../states.ts';

type Credential = Schemas['Credential'];

/** Credentials: with which the service writes records at DNS providers. */
export default function Credentials() {
  return (
    <Page
      title="Credentials"
      actions={
        <A class="button primary" to="/credentials/new">
          Add a credential
        </A>
      }
    >
      <p class="muted">With a credential of a DNS provider, we add the records of its zones for your customers.</p>
      <PerApplication>{({ id }) => <OfApplication id={id} />}</PerApplication>
    </Page>
  );
}

const TONES: Readonly<Record<string, Tone>> = { ok: 'good', invalid: 'bad', unverified: 'warn' };
const STATUS: Readonly<Record<string, string>> = { ok: 'Works', invalid: 'Refused', unverified: 'Not tested' };
const SHOWN_ZONES = 3;
const POLL_MS = 15_000;

function OfApplication({ id }: { id: string }) {
  const credentials = useLive('/v1/applications/{id}/credentials', { params: { id }, query: { limit: 100 } }, POLL_MS);
  const { data: providers } = useLive('/v1/providers', {}, 3_600_000);
  const nameOf = (slug: string): string => providers?.data.find((one) => one.slug === slug)?.name ?? slug;
  const [deleting, setDeleting] = useState<Credential | null>(null);
  const columns: readonly Column<Credential>[] = [
    {
      head: 'Credential',
      cell: ({ provider, label, hint }) => (
        <div>
          <strong>{label === null ? nameOf(provider) : <bdi>{label}</bdi>}</strong>
          <p class="muted">
            {label !== null && nameOf(provider)} {hint !== '…' && hint}
          </p>
        </div>
      ),
    },
    { head: 'Zones', cell: ({ zones }) => <Zones of={zones} /> },
    {
      head: 'Status',
      cell: ({ status, reason, last_verified_at }) => (
        <div>
          <Badge tone={TONES[status] ?? 'quiet'}>{STATUS[status] ?? codeInWords(status)}</Badge>
          {reason && <p class="error">{reason}</p>}
          <p class="muted">
            tested <Time at={last_verified_at} />
          </p>
        </div>
      ),
    },
    { head: 'Expires', cell: ({ expires_at }) => expires_at && <Time at={expires_at} /> },
    {
      head: 'Actions',
      class: 'num',
      cell: (credential) => <Actions credential={credential} onDelete={() => setDeleting(credential)} />,
    },
  ];
  return (
    <>
      <DataTable
        label="Credentials"
        columns={columns}
        rows={credentials}
        keyOf={(row) => row.id}
        empty={
          <Empty title="No credential yet">
            <p>Without one, your customers add the records themselves.</p>
          </Empty>
        }
      />
      {deleting && (
        <Confirm
          title="Delete this credential?"
          button="Delete"
          onClose={() => setDeleting(null)}
          run={async () => {
            await del('/v1/applications/{id}/credentials/{cid}', { params: { id, cid: deleting.id } });
            toast('The credential is deleted.');
            refresh(`/v1/applications/${id}/credentials`);
          }}
        >
          <p>
            The records that it wrote stay in place. We can no longer write, repair or remove records of{' '}
            <bdi>{deleting.zones.join(', ') || 'its zones'}</bdi> with it.
          </p>
        </Confirm>
      )}
    </>
  );
}

const Zones = ({ of }: { of: readonly string[] }) => (
  <span title={of.join(', ')}>
    {of.slice(0, SHOWN_ZONES).join(', ')}
    {of.length > SHOWN_ZONES && ` and ${of.length - SHOWN_ZONES} more`}
    {of.length === 0 && <span class="muted">none known</span>}
  </span>
);

function Actions({ credential, onDelete }: { credential: Credential; onDelete: () => void }) {
  const { id: cid, application_id: id, provider } = credential;
  const test = async () => {
    const { status, reason } = await post('/v1/applications/{id}/credentials/{cid}:test', { params: { id, cid } });
    if (status === 'ok') toast('The provider accepts the credential.');
    else toast(reason ?? 'The provider could not be asked. Try again.', 'danger');
    refresh(`/v1/applications/${id}/credentials`);
  };
  return (
    <div class="actions">
      <Button onClick={test}>Test</Button>
      <A class="button" to="/credentials/new" query={{ application: id, provider, replace: cid }}>
        Replace…
      </A>
      <Button kind="danger" onClick={onDelete}>
        Delete…
      </Button>
    </div>
  );
}
