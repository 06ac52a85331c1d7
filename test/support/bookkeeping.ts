import { displacementsOf, type Displacement } from '../../src/domain/zone/displacement.ts';
import { changeOf, decidedMeanwhile, oursIn, plan, type Plan, type Purpose } from '../../src/domain/zone/plan.ts';
import { undo } from '../../src/domain/zone/undo.ts';
import {
  hostsOf,
  isOneOf,
  sameRecord,
  type Addition,
  type ZoneChange,
  type ZoneRecord,
} from '../../src/domain/zone/zone-record.ts';
import type { Subject, Write } from './fixtures/zone-history.ts';

/** A zone in which histories are played: in memory, or at a provider. */
export interface PlayedZone {
  read(): Promise<readonly ZoneRecord[]>;
  /** The owner's doing. */
  set(records: readonly ZoneRecord[]): Promise<void>;
  /**
   * Reads at these names, decides, lets the owner act and writes; decides again where the provider was overtaken. Says
   * what it took away, nothing when the provider refused at once, and when it was refused or overtaken after a part was
   * written, what had gone by then, if that is known.
   */
  apply(
    hosts: readonly string[],
    decide: (current: readonly ZoneRecord[]) => ZoneChange | undefined,
    meanwhile: () => Promise<void>,
  ): Promise<readonly ZoneRecord[] | HalfWritten | undefined>;
}

export interface HalfWritten {
  removed: readonly ZoneRecord[] | undefined;
  /** The rest is to be tried again. */
  isOvertaken: boolean;
}

interface Noted {
  ledger: { purpose: Purpose; record: Addition; status: 'intended' | 'standing' }[];
  layers: (Displacement & { purpose: Purpose })[];
}

/** What one decision was made from, and what was noted for it. */
interface Decided {
  made: Plan;
  ours: readonly ZoneRecord[];
  before: Noted;
  noted: readonly Displacement[];
}

/** The provisioning's bookkeeping in memory: what it notes before a write, and what after the answer. */
export class Bookkeeping implements Subject {
  private readonly played: PlayedZone;
  private notes: Noted = { ledger: [], layers: [] };

  constructor(played: PlayedZone) {
    this.played = played;
  }

  zone = () => this.played.read();
  setZone = (zone: readonly ZoneRecord[]) => this.played.set(zone);
  owned = () => Promise.resolve(this.notes.ledger.map(({ record }) => record));
  displaced = () => Promise.resolve(this.notes.layers.flatMap(({ records }) => records));

  private of(purpose: Purpose) {
    const rows = this.notes.ledger.filter((row) => row.purpose === purpose);
    return {
      rows,
      owned: rows.map(({ record }) => ({ record, previous: [] })),
      reserved: this.notes.ledger.filter((row) => row.purpose !== purpose).map(({ record }) => record),
    };
  }

  async write(write: Write, meanwhile: () => Promise<void>): Promise<void> {
    const start = this.notes;
    const state: { decided?: Decided } = {};
    const decide = (current: readonly ZoneRecord[]): ZoneChange | undefined => {
      this.notes = start;
      delete state.decided;
      const decided = this.intend(write, current);
      if (decided === undefined) return undefined;
      state.decided = decided;
      return changeOf(decided.made);
    };
    if (write.answer === 'silent' || write.answer === 'refused') {
      decide((await this.played.read()).filter(({ host }) => hostsOf(write.wish).includes(host)));
      await meanwhile();
      if (write.answer === 'refused' && state.decided) this.notes = state.decided.before;
      return;
    }
    const removed = await this.played.apply(hostsOf(write.wish), decide, meanwhile);
    if (!state.decided) return;
    if (removed !== undefined && 'isOvertaken' in removed) {
      if (removed.removed) this.confirmLayers(write.purpose, state.decided, removed.removed, []);
      if (removed.isOvertaken) await this.write(write, () => Promise.resolve());
      return;
    }
    if (removed === undefined) this.notes = state.decided.before;
    else if (write.answer === 'heard') this.settle(write.purpose, state.decided, removed, await this.played.read());
  }

  /** Nothing where there is a conflict. */
  private intend({ purpose, wish, policy }: Write, current: readonly ZoneRecord[]): Decided | undefined {
    const hosts = hostsOf(wish);
    const { rows, owned, reserved } = this.of(purpose);
    const here = owned.filter(({ record }) => hosts.includes(record.host));
    const made = plan({ current, desired: wish, owned: here, policy, reserved, displaced: this.notes.layers });
    if (made.conflicts.length > 0) return undefined;
    const surrendered = made.surrenders.map(({ record }) => record);
    const before: Noted = {
      ledger: this.notes.ledger.filter(
        (row) => !(rows.includes(row) && row.status === 'standing' && isOneOf(row.record, surrendered)),
      ),
      layers: this.notes.layers.filter(({ host }) => !made.decided.includes(host)),
    };
    const intended = [...made.creates.map(({ record }) => record), ...made.shares]
      .filter((record) => !before.ledger.some((row) => row.purpose === purpose && sameRecord(row.record, record)))
      .map((record) => ({ purpose, record, status: 'intended' as const }));
    const noted = made.displaces.filter((layer) => {
      const top = before.layers.findLast(({ host }) => host === layer.host);
      return !(top?.whole === layer.whole && JSON.stringify(top.records) === JSON.stringify(layer.records));
    });
    this.notes = {
      ledger: [...before.ledger, ...intended],
      layers: [...before.layers, ...noted.map((layer) => ({ ...layer, purpose }))],
    };
    return { made, ours: oursIn(current, here, reserved), before, noted };
  }

  private settle(
    purpose: Purpose,
    { made, ours, before, noted }: Decided,
    removed: readonly ZoneRecord[],
    seen: readonly ZoneRecord[],
  ): void {
    const decided = decidedMeanwhile(made, { ours, removed, seen });
    this.confirmLayers(purpose, { made, ours, before, noted }, removed, decided);
    this.notes = {
      layers: this.notes.layers.filter(({ host }) => !hostsOf(made.restores).includes(host)),
      ledger: this.notes.ledger
        .filter((row) => !isOneOf(row.record, row.purpose === purpose ? made.removals : made.restores))
        .map((row) => (isOneOf(row.record, seen) ? { ...row, status: 'standing' } : row)),
    };
  }

  /**
   * What the write really took away, whatever was planned; names in `decided` were pointed elsewhere by their owner.
   */
  private confirmLayers(
    purpose: Purpose,
    { made, ours, before, noted }: Decided,
    removed: readonly ZoneRecord[],
    decided: readonly string[],
  ): void {
    const real = displacementsOf(removed, ours);
    const added = noted.flatMap(({ host }) => real.filter((layer) => layer.host === host));
    const found: Displacement[] = made.displaces.flatMap(({ host }) =>
      noted.some((layer) => layer.host === host) ? [] : before.layers.filter((layer) => layer.host === host).slice(-1),
    );
    const realAt = (layer: Displacement) =>
      found.includes(layer) ? real.find(({ host }) => host === layer.host) : null;
    this.notes = {
      layers: [
        ...before.layers
          .filter((layer) => realAt(layer) ?? !decided.includes(layer.host))
          .map((layer) => ({ ...layer, records: realAt(layer)?.records ?? layer.records })),
        ...added.map((layer) => ({ ...layer, purpose })),
      ],
      ledger: this.notes.ledger,
    };
  }

  async undo(purpose: Purpose): Promise<void> {
    const { rows, owned, reserved } = this.of(purpose);
    const mine = [
      ...rows.map(({ record }) => record),
      ...this.notes.layers.filter((layer) => layer.purpose === purpose),
    ];
    const hosts = hostsOf(mine);
    if (hosts.length === 0) return;
    const displaced = this.notes.layers.filter(({ host }) => hosts.includes(host));
    let undone = undo([], owned, { displaced, reserved });
    const decide = (current: readonly ZoneRecord[]) => {
      undone = undo(current, owned, { displaced, reserved });
      return undone.change;
    };
    expect(await this.played.apply(hosts, decide, () => Promise.resolve())).toBeDefined();
    this.notes = {
      ledger: this.notes.ledger.filter((row) => !rows.includes(row) && !isOneOf(row.record, undone.change.add)),
      layers: this.notes.layers.filter((layer) => !displaced.includes(layer) || undone.left.includes(layer.host)),
    };
  }
}
