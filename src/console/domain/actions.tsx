import { useState } from 'preact/hooks';
import { ApiError, del, post } from '../api.ts';
import { canArchive, canVerify, hasEnded } from '../connections.ts';
import { refresh } from '../live.ts';
import { Button } from '../parts/basics.tsx';
import { Code } from '../parts/code.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Select } from '../parts/fields.tsx';
import { exact } from '../parts/time.tsx';
import { toast } from '../parts/toast.tsx';
import { useMay } from '../session.ts';
import type { Checked } from './records.tsx';
import type { Detail } from './steps.ts';

/** The buttons of a domain. A session that may only read sees none. */
export function Actions({ connection, onChecked }: { connection: Detail; onChecked: (checked: Checked) => void }) {
  const [open, setOpen] = useState<'share' | 'archive' | null>(null);
  if (!useMay('connections:write') || connection.state === 'archived') return null;
  const { id } = connection;
  const again = () => refresh(`/v1/connections/${id}`);
  const check = async () => {
    const { records } = await post('/v1/connections/{id}/records:check', { params: { id } });
    onChecked(records);
    again();
    const found = records.filter(({ propagated }) => propagated).length;
    toast(`${found} of ${records.length} records are published as wanted.`, found === records.length ? 'good' : 'info');
  };
  const verify = async () => {
    try {
      const { state } = await post('/v1/connections/{id}/verify', { params: { id } });
      toast(
        state === 'pending_ownership' ? 'The check still runs. This page shows its result.' : 'Ownership is proved.',
      );
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409)) throw error;
      toast(error.message, 'danger');
    }
    again();
  };
  return (
    <>
      {canVerify(connection) && (
        <Button kind="primary" onClick={verify}>
          Verify
        </Button>
      )}
      <Button onClick={check}>Check now</Button>
      {!hasEnded(connection) && <Button onClick={() => setOpen('share')}>Share…</Button>}
      {canArchive(connection) && (
        <Button kind="danger" onClick={() => setOpen('archive')}>
          Archive…
        </Button>
      )}
      {open === 'share' && <Share id={id} onClose={() => setOpen(null)} />}
      {open === 'archive' && <Archive connection={connection} onClose={() => setOpen(null)} />}
    </>
  );
}

const DAY_S = 86_400;

function Share({ id, onClose }: { id: string; onClose: () => void }) {
  const [seconds, setSeconds] = useState(String(7 * DAY_S));
  const [link, setLink] = useState<{ url: string; expires_at: string } | null>(null);
  const create = async () =>
    setLink(await post('/v1/connections/{id}/share', { params: { id }, body: { expires_in: Number(seconds) } }));
  const revoke = async () => {
    await del('/v1/connections/{id}/share', { params: { id } });
    toast('All links of this domain are revoked.');
    onClose();
  };
  return (
    <Dialog
      title="Share the records"
      onClose={onClose}
      footer={
        <>
          <Button kind="plain" onClick={revoke}>
            Revoke all links
          </Button>
          {link === null ? (
            <Button kind="primary" onClick={create}>
              Create link
            </Button>
          ) : (
            <Button onClick={onClose}>Close</Button>
          )}
        </>
      }
    >
      <p>A link shows the records of this domain, and nothing else, to a person who manages its DNS.</p>
      {link === null ? (
        <Select
          label="The link works for"
          value={seconds}
          onValue={setSeconds}
          choices={[
            [String(DAY_S), '1 day'],
            [String(7 * DAY_S), '7 days'],
            [String(30 * DAY_S), '30 days'],
          ]}
        />
      ) : (
        <>
          <p>
            <Code value={link.url} of="the link" />
          </p>
          <p class="muted">It works until {exact(link.expires_at)}. We show it only once.</p>
        </>
      )}
    </Dialog>
  );
}

function Archive({ connection, onClose }: { connection: Detail; onClose: () => void }) {
  const { id, hostname } = connection;
  const [typed, setTyped] = useState('');
  const isTyped = typed.trim().toLowerCase() === hostname;
  const archive = async () => {
    await del('/v1/connections/{id}', { params: { id } });
    toast('The domain is archived.');
    refresh('/v1/connections');
    onClose();
  };
  return (
    <Dialog
      title="Archive this domain?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" disabled={!isTyped} onClick={archive}>
            Archive
          </Button>
        </>
      }
    >
      <p>
        Visitors get an error page as soon as you archive it. The service releases the hostname and removes the records
        that it wrote. You cannot undo this.
      </p>
      <Field label={`Type ${hostname} to confirm`} value={typed} onValue={setTyped} />
    </Dialog>
  );
}
