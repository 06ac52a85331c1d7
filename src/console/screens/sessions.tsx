import { useState } from 'preact/hooks';
import { del } from '../api.ts';
import { refresh, useLive } from '../live.ts';
import { Badge } from '../parts/badge.tsx';
import { Button, Card, Empty, Page } from '../parts/basics.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Scopes } from '../parts/scopes.tsx';
import { DataTable, Pager, type Column } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { toast } from '../parts/toast.tsx';
import type { Schemas } from '../paths.ts';
import { usePlace } from '../place.ts';
import { useSession } from '../session.ts';

type Listed = Schemas['ConsoleSession'];

const MAKERS: Readonly<Record<string, string>> = {
  key: 'API key',
  operator: 'Operator',
  openid_connect: 'OpenID Connect',
};

/** Sessions: people who are signed in to the console, and links that were not used yet. */
export default function Sessions() {
  const { query } = usePlace();
  const own = useSession();
  const sessions = useLive('/v1/console-sessions', { query: { limit: 50, cursor: query['after'] } });
  const [ending, setEnding] = useState<Listed | null>(null);
  const columns: readonly Column<Listed>[] = [
    {
      head: 'Session',
      class: 'tight',
      cell: ({ id, signed_in_at, made_by }) => (
        <div>
          <p>
            <code title={id}>{id.slice(-12)}</code>{' '}
            {id === own.id ? (
              <Badge tone="good">Yours</Badge>
            ) : (
              signed_in_at === null && <Badge tone="busy">Link, not used yet</Badge>
            )}
          </p>
          <p class="muted">
            by {MAKERS[made_by.kind] ?? made_by.kind}
            {made_by.key_id !== null && <span title={made_by.key_id}>{` …${made_by.key_id.slice(-6)}`}</span>}
          </p>
        </div>
      ),
    },
    { head: 'Scopes', cell: ({ scopes }) => <Scopes of={scopes} /> },
    { head: 'Reaches', cell: ({ environment }) => (environment === 'live' ? 'Live and test' : 'Test') },
    { head: 'Signed in', cell: ({ signed_in_at }) => <Time at={signed_in_at} /> },
    { head: 'Last seen', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
    { head: 'Ends', cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      head: 'Actions',
      cell: (session) => (
        <Button
          kind="danger"
          label={`End ${session.id === own.id ? 'your session' : session.id.slice(-12)}…`}
          onClick={() => setEnding(session)}
        >
          End…
        </Button>
      ),
    },
  ];
  return (
    <Page title="Sessions">
      <p class="muted">Everyone who is signed in to this console, and links that were not used yet.</p>
      <Card>
        <DataTable
          label="Sessions"
          columns={columns}
          rows={sessions}
          keyOf={({ id }) => id}
          empty={<Empty title="No session" />}
        />
        <Pager next={sessions.data?.next_cursor} noun="sessions" />
      </Card>
      {ending && (
        <Confirm
          title={ending.id === own.id ? 'End your own session?' : 'End this session?'}
          button="End the session"
          onClose={() => setEnding(null)}
          run={async () => {
            await del('/v1/console-sessions/{id}', { params: { id: ending.id } });
            toast('The session has ended.');
            refresh('/v1/console-sessions');
          }}
        >
          <p>
            {ending.id === own.id
              ? 'You are signed out, and need a new link to come back.'
              : 'The next request of that browser is refused. A link that was not used yet stops working.'}
          </p>
        </Confirm>
      )}
    </Page>
  );
}
