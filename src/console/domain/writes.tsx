import { useState } from 'preact/hooks';
import { post } from '../api.ts';
import { refresh } from '../live.ts';
import { Button, Card } from '../parts/basics.tsx';
import { Diff, type DiffLine } from '../parts/code.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { toast } from '../parts/toast.tsx';
import type { Schemas } from '../paths.ts';
import { useMay } from '../session.ts';
import type { Detail } from './steps.ts';

type Plan = Schemas['DnsPlan'];
type Shown = { host: string; type: string; value: string; ttl: number; priority: number | null };

const lineOf = ({ host, type, value, ttl, priority }: Shown): string =>
  [host, ttl, type, priority, value].filter((part) => part !== null).join(' ');

/** Returns the zone's changes as lines. Records that exist as wanted are those that we wrote or found. */
export const planLines = (plan: Plan): DiffLine[] => [
  ...plan.conflicts.map(({ wanted, found, reason }) => ({ sign: '!' as const, text: lineOf(wanted), note: `${reason} Found: ${found.map(lineOf).join('; ')}` })), // prettier-ignore
  ...plan.removals.map((record) => ({ sign: '-' as const, text: lineOf(record) })),
  ...plan.creates.map((record) => ({ sign: '+' as const, text: lineOf(record) })),
  ...plan.restores.map((record) => ({
    sign: '+' as const,
    text: lineOf(record),
    note: 'Restored: it was there before us.',
  })),
  ...plan.keeps.map((record) => ({ sign: '=' as const, text: lineOf(record) })),
];

/** Records that the service writes by a credential: the difference to the zone now, and the way back. */
export function Writes({ connection }: { connection: Detail }) {
  const mayChange = useMay('connections:write');
  const [plan, setPlan] = useState<Plan | null>(null);
  const [isAsking, setAsking] = useState(false);
  if (!mayChange || connection.state === 'archived') return null;
  if (connection.plan === null && connection.setup_type !== 'automatic') return null;
  const { id } = connection;
  const compare = async () => setPlan(await post('/v1/connections/{id}/dns:plan', { params: { id } }));
  const undo = async () => {
    const { values } = await post('/v1/connections/{id}/dns:revert', { params: { id }, body: {} });
    toast(values === 0 ? 'There was nothing to remove.' : `Removed ${values} ${values === 1 ? 'value' : 'values'}.`);
    setAsking(false);
    refresh(`/v1/connections/${id}`);
    await compare();
  };
  return (
    <Card
      title="What we write in the zone"
      aside={connection.provider_name ? `by a credential at ${connection.provider_name}` : 'by a credential'}
    >
      {plan && (
        <>
          <p class="muted">
            Zone <code>{plan.zone}</code> now, compared with what the domain needs. Lines without a sign are there
            already.
          </p>
          <Diff lines={planLines(plan)} />
        </>
      )}
      <div class="actions">
        <Button onClick={compare}>{plan === null ? 'Compare with the zone' : 'Compare again'}</Button>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Undo what we wrote…
        </Button>
      </div>
      {isAsking && (
        <Dialog
          title="Undo what we wrote?"
          onClose={() => setAsking(false)}
          footer={
            <>
              <Button onClick={() => setAsking(false)}>Cancel</Button>
              <Button kind="danger" onClick={undo}>
                Undo
              </Button>
            </>
          }
        >
          <p>
            The service removes every record that it wrote for <bdi>{connection.hostname}</bdi> and restores the records
            that they replaced. Visitors are then no longer sent here.
          </p>
        </Dialog>
      )}
    </Card>
  );
}
