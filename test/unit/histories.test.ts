import fc from 'fast-check';
import { displacementsOf, type Displacement } from '../../src/domain/displacement.ts';
import { changeOf, decidedMeanwhile, oursIn, plan, type Purpose } from '../../src/domain/plan.ts';
import { undo } from '../../src/domain/undo.ts';
import { hostsOf, isOneOf, sameRecord, type Addition, type ZoneRecord } from '../../src/domain/zone-record.ts';
import { histories, play, type Subject, type Write } from '../support/zone-history.ts';
import { applyTo, tryApplyTo } from '../support/zone-model.ts';

/** The provisioning's bookkeeping over a zone in memory: what it notes before a write, and what after the answer. */
class PureSubject implements Subject {
  private records: readonly ZoneRecord[] = [];
  private ledger: { purpose: Purpose; record: Addition; status: 'intended' | 'standing' }[] = [];
  private layers: (Displacement & { purpose: Purpose })[] = [];

  zone = () => Promise.resolve(this.records);
  setZone = (zone: readonly ZoneRecord[]) => Promise.resolve(void (this.records = zone));
  owned = () => Promise.resolve(this.ledger.map(({ record }) => record));
  displaced = () => Promise.resolve(this.layers.flatMap(({ records }) => records));

  private of(purpose: Purpose) {
    const rows = this.ledger.filter((row) => row.purpose === purpose);
    return {
      rows,
      owned: rows.map(({ record }) => ({ record, previous: [] })),
      reserved: this.ledger.filter((row) => row.purpose !== purpose).map(({ record }) => record),
    };
  }

  async write({ purpose, wish, policy, answer }: Write, meanwhile: () => Promise<void>): Promise<void> {
    const hosts = hostsOf(wish);
    const { rows, owned, reserved } = this.of(purpose);
    const current = this.records.filter(({ host }) => hosts.includes(host));
    const here = owned.filter(({ record }) => hosts.includes(record.host));
    const made = plan({ current, desired: wish, owned: here, policy, reserved, displaced: this.layers });
    await meanwhile();
    if (made.conflicts.length > 0) return;
    const surrendered = made.surrenders.map(({ record }) => record);
    this.ledger = this.ledger.filter(
      (row) => !(rows.includes(row) && row.status === 'standing' && isOneOf(row.record, surrendered)),
    );
    this.layers = this.layers.filter(({ host }) => !made.decided.includes(host));
    const before = { ledger: this.ledger, layers: this.layers };
    const intended = [...made.creates.map(({ record }) => record), ...made.shares]
      .filter((record) => !this.ledger.some((row) => row.purpose === purpose && sameRecord(row.record, record)))
      .map((record) => ({ purpose, record, status: 'intended' as const }));
    const noted = made.displaces.filter((layer) => {
      const top = before.layers.findLast(({ host }) => host === layer.host);
      return !(top?.whole === layer.whole && JSON.stringify(top.records) === JSON.stringify(layer.records));
    });
    this.ledger = [...this.ledger, ...intended];
    this.layers = [...this.layers, ...noted.map((layer) => ({ ...layer, purpose }))];
    if (answer === 'silent') return;
    const applied = answer === 'refused' ? undefined : tryApplyTo(this.records, changeOf(made));
    if (applied === undefined) {
      Object.assign(this, before);
      return;
    }
    this.records = applied.zone;
    if (answer === 'lost') return;
    const ours = oursIn(current, here, reserved);
    const real = displacementsOf(applied.removed, ours);
    const decided = decidedMeanwhile(made, { ours, removed: applied.removed, seen: applied.zone });
    const added = noted.flatMap(({ host }) => real.filter((layer) => layer.host === host));
    const found: Displacement[] = made.displaces.flatMap(({ host }) =>
      noted.some((layer) => layer.host === host) ? [] : before.layers.filter((layer) => layer.host === host).slice(-1),
    );
    const realAt = (layer: Displacement) =>
      found.includes(layer) ? real.find(({ host }) => host === layer.host) : null;
    this.layers = [
      ...before.layers
        .filter((layer) => realAt(layer) ?? !decided.includes(layer.host))
        .map((layer) => ({ ...layer, records: realAt(layer)?.records ?? layer.records })),
      ...added.map((layer) => ({ ...layer, purpose })),
    ].filter(({ host }) => !hostsOf(made.restores).includes(host));
    this.ledger = this.ledger
      .filter((row) => !isOneOf(row.record, row.purpose === purpose ? made.removals : made.restores))
      .map((row) => (isOneOf(row.record, applied.zone) ? { ...row, status: 'standing' } : row));
  }

  undo(purpose: Purpose): Promise<void> {
    const { rows, owned, reserved } = this.of(purpose);
    const mine = [...rows.map(({ record }) => record), ...this.layers.filter((layer) => layer.purpose === purpose)];
    const displaced = this.layers.filter(({ host }) => hostsOf(mine).includes(host));
    const { change, left } = undo(this.records, owned, { displaced, reserved });
    this.records = applyTo(this.records, change);
    this.ledger = this.ledger.filter((row) => !rows.includes(row) && !isOneOf(row.record, change.add));
    this.layers = this.layers.filter((layer) => !displaced.includes(layer) || left.includes(layer.host));
    return Promise.resolve();
  }
}

test('whatever we write, for whichever purpose, and whatever the owner does meanwhile, undo leaves the owner’s zone', async () => {
  await fc.assert(
    fc.asyncProperty(histories(['shop.example.test', 'www.example.test']), (history) =>
      play(history, new PureSubject()),
    ),
    { numRuns: 3_000 },
  );
});
