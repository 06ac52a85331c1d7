import { useRef, useState } from 'preact/hooks';
import { del, post, sentenceOf } from './api.ts';
import { canArchive, canVerify, shownHostname, type Connection } from './connections.ts';
import { refresh } from './live.ts';
import { Badge, StateBadge } from './parts/badge.tsx';
import type { Tone } from './states.ts';
import { Button } from './parts/basics.tsx';
import { Dialog } from './parts/dialog.tsx';
import { Field } from './parts/fields.tsx';

export type BulkAction = 'verify' | 'archive';

interface Kind {
  title: string;
  text: string;
  button: (count: number) => string;
  applies: (row: Connection) => boolean;
  skipped: string;
  run: (id: string) => Promise<unknown>;
}

const KINDS: Record<BulkAction, Kind> = {
  verify: {
    title: 'Verify domains',
    text: 'The service asks the name servers of each domain for its ownership record now.',
    button: (count) => `Verify ${count}`,
    applies: canVerify,
    skipped: 'Skipped: it does not wait for its ownership record.',
    run: (id) => post('/v1/connections/{id}/verify', { params: { id } }),
  },
  archive: {
    title: 'Archive domains',
    text: 'Visitors of these domains get an error page as soon as you archive them. The service releases the hostnames and removes the records that it wrote. You cannot undo this.',
    button: (count) => `Archive ${count}`,
    applies: canArchive,
    skipped: 'Skipped: it is archived already.',
    run: (id) => del('/v1/connections/{id}', { params: { id } }),
  },
};

type Outcome = { tone: Tone; text: string };
/** Verify waits for DNS, so some run side by side. More would only wait for the tenant's own limit. */
const AT_A_TIME = 4;

/** Shows what an action would do to each chosen domain, runs it after a confirmation, and shows each result. */
export function BulkDialog(props: {
  action: BulkAction;
  rows: readonly Connection[];
  onClose: (isDone: boolean) => void;
}) {
  const { action, rows, onClose } = props;
  const kind = KINDS[action];
  const applicable = rows.filter(kind.applies);
  const [typed, setTyped] = useState('');
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const [phase, setPhase] = useState<'preview' | 'running' | 'done'>('preview');
  const stopped = useRef(false);
  const isConfirmed = action === 'verify' || typed.trim() === String(applicable.length);

  async function run(): Promise<void> {
    setPhase('running');
    const queue = [...applicable];
    const work = async () => {
      for (let row = queue.shift(); row !== undefined && !stopped.current; row = queue.shift()) {
        const { id } = row;
        const outcome: Outcome = await kind.run(id).then(
          () => ({ tone: 'good' as const, text: 'Done' }),
          (error: unknown) => ({ tone: 'bad' as const, text: sentenceOf(error) }),
        );
        setOutcomes((known) => new Map(known).set(id, outcome));
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    refresh('/v1/connections');
    setPhase('done');
  }

  const close = () => {
    stopped.current = true;
    onClose(phase !== 'preview');
  };
  return (
    <Dialog
      wide
      title={kind.title}
      onClose={close}
      footer={
        <>
          <Button onClick={close}>{phase === 'preview' ? 'Cancel' : phase === 'running' ? 'Stop' : 'Close'}</Button>
          {phase !== 'done' && (
            <Button
              kind={action === 'archive' ? 'danger' : 'primary'}
              disabled={applicable.length === 0 || !isConfirmed}
              busy={phase === 'running'}
              onClick={() => void run()}
            >
              {kind.button(applicable.length)}
            </Button>
          )}
        </>
      }
    >
      <p>{kind.text}</p>
      <ul class="preview" tabIndex={0} aria-label="Chosen domains">
        {rows.map((row) => (
          <li key={row.id}>
            <bdi>{shownHostname(row.hostname).name}</bdi>
            {!kind.applies(row) ? (
              <span class="muted">{kind.skipped}</span>
            ) : (
              <Result outcome={outcomes.get(row.id)} row={row} />
            )}
          </li>
        ))}
      </ul>
      {phase !== 'preview' && (
        <p role="status">
          {outcomes.size} of {applicable.length} done
        </p>
      )}
      {action === 'archive' && phase === 'preview' && applicable.length > 0 && (
        <Field
          label={`Type ${applicable.length} to archive ${applicable.length === 1 ? 'this domain' : 'these domains'}`}
          value={typed}
          inputMode="numeric"
          onValue={setTyped}
        />
      )}
    </Dialog>
  );
}

const Result = ({ outcome, row }: { outcome: Outcome | undefined; row: Connection }) =>
  outcome === undefined ? <StateBadge state={row.state} /> : outcome.tone === 'good' ? <Badge tone="good">{outcome.text}</Badge> : <span class="error">{outcome.text}</span>; // prettier-ignore
