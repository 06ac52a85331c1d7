import fc from 'fast-check';
import type { ConflictPolicy, Purpose } from '../../src/domain/zone/plan.ts';
import type { DnsRecord } from '../../src/domain/record.ts';
import {
  excludes,
  isOneOf,
  isPointer,
  sameRecord,
  type Named,
  type ZoneRecord,
} from '../../src/domain/zone/zone-record.ts';
import { valuesOf } from './zone-model.ts';

/** What happens to one zone: we write for one purpose or the other, and its owner edits it in between. */
export interface History {
  start: ZoneRecord[];
  steps: Step[];
  /** In this order both purposes are undone. */
  undone: Purpose[];
}

type Step = { kind: 'write'; write: Write } | { kind: 'edit'; edit: Edit };

export interface Write {
  purpose: Purpose;
  wish: DnsRecord[];
  policy: ConflictPolicy;
  /** What the owner does after we have read the zone and before we write. */
  meanwhile: Edit | null;
  /** Whether the provider acted, and whether we heard of it. `refused` is the one failure after which we are sure. */
  answer: 'heard' | 'lost' | 'silent' | 'refused';
}

/** What owners do: lead a name elsewhere, delete what we wrote, set something beside it, remove something of theirs. */
type Edit =
  | { kind: 'point'; host: string; values: DnsRecord[] }
  | { kind: 'delete ours'; host: string }
  | { kind: 'add'; record: DnsRecord }
  | { kind: 'remove'; record: DnsRecord };

/** The service as a history sees it. */
export interface Subject {
  zone(): Promise<readonly ZoneRecord[]>;
  /** The owner's doing. */
  setZone(zone: readonly ZoneRecord[]): Promise<void>;
  /** Runs `meanwhile` between reading and writing. Refusals and silence are the subject's own matter. */
  write(write: Write, meanwhile: () => Promise<void>): Promise<void>;
  /** What we believe to be ours, and what we remember to have displaced. */
  owned(): Promise<readonly Named[]>;
  displaced(): Promise<readonly Named[]>;
  undo(purpose: Purpose): Promise<void>;
}

/** Few values at few names, so that wanted and standing records meet in every possible way. */
const VALUES: Pick<DnsRecord, 'type' | 'value' | 'priority'>[] = [
  { type: 'A', value: '192.0.2.1', priority: null },
  { type: 'A', value: '192.0.2.2', priority: null },
  { type: 'A', value: '192.0.2.3', priority: null },
  { type: 'AAAA', value: '2001:db8::1', priority: null },
  { type: 'CNAME', value: 'edge.example.net', priority: null },
  { type: 'CNAME', value: 'other.example.net', priority: null },
  { type: 'TXT', value: 'token', priority: null },
  { type: 'TXT', value: 'another', priority: null },
  { type: 'MX', value: 'mail.example.net', priority: 10 },
];

export function histories(hosts: string[]): fc.Arbitrary<History> {
  const host = fc.constantFrom(...hosts);
  const recordAt = (at: fc.Arbitrary<string>, of = VALUES) =>
    fc.record({ host: at, value: fc.constantFrom(...of) }).map(({ host: name, value }) => ({
      host: name,
      ttl: 300,
      ...value,
    }));
  const record = recordAt(host);
  const edit: fc.Arbitrary<Edit> = fc.oneof(
    host.chain((name) =>
      fc
        .array(recordAt(fc.constant(name), VALUES.filter(isPointer)), { minLength: 1, maxLength: 2 })
        .map((values): Edit => ({ kind: 'point', host: name, values: consistent(values) })),
    ),
    host.map((name): Edit => ({ kind: 'delete ours', host: name })),
    record.map((one): Edit => ({ kind: 'add', record: one })),
    record.map((one): Edit => ({ kind: 'remove', record: one })),
  );
  const write = fc.record({
    purpose: fc.constantFrom<Purpose[]>('connection', 'connection', 'email'),
    wish: fc.array(record, { maxLength: 4 }).map(consistent),
    policy: fc.constantFrom<ConflictPolicy[]>('replace', 'replace', 'refuse'),
    meanwhile: fc.option(edit, { freq: 2 }),
    answer: fc.constantFrom<Write['answer'][]>('heard', 'heard', 'heard', 'lost', 'silent', 'refused'),
  });
  return fc.record({
    start: fc.array(record, { maxLength: 5 }).map((records) => consistent(records).map(standing)),
    steps: fc.array(
      fc.oneof(
        write.map((one): Step => ({ kind: 'write', write: one })),
        edit.map((one): Step => ({ kind: 'edit', edit: one })),
      ),
      { minLength: 1, maxLength: 8 },
    ),
    undone: fc.constantFrom<Purpose[][]>(['connection', 'email'], ['email', 'connection']),
  });
}

/** Plays a history; at its end the zone must be as its owner, who knows nothing of us, left it. */
export async function play({ start, steps, undone }: History, subject: Subject): Promise<void> {
  await subject.setZone(start);
  const owner = new Owner(start, subject);
  for (const step of steps) {
    if (step.kind === 'edit') {
      await owner.edit(step.edit);
      continue;
    }
    const write = knowable(step.write, owner);
    await subject.write(write, async () => {
      if (write.meanwhile !== null) await owner.edit(write.meanwhile, write.wish);
    });
  }
  for (const purpose of undone) await subject.undo(purpose);
  expect(valuesOf(await subject.zone())).toEqual(valuesOf(owner.own));
}

/**
 * Histories in which nothing tells whose doing something was are not played: a write that never happened, of a value
 * that the owner has too; an edit in the very moment of a write whose answer was lost, or of one that gives a name up
 * and returns to it what stood there before.
 */
function knowable(write: Write, { own }: Owner): Write {
  if (write.answer === 'silent' && write.wish.some((record) => isOneOf(record, own)))
    return { ...write, answer: 'refused' };
  const { meanwhile: edit, wish, answer } = write;
  const host = edit === null ? null : 'host' in edit ? edit.host : edit.record.host;
  const isClear = answer === 'heard' || answer === 'refused';
  return isClear && wish.some((record) => record.host === host && isPointer(record) && !isOneOf(record, own))
    ? write
    : { ...write, meanwhile: null };
}

/** The owner, and the zone as it would be had we never come. Edits whose meaning no program could know are not made. */
class Owner {
  own: readonly ZoneRecord[];
  private readonly subject: Subject;

  constructor(start: readonly ZoneRecord[], subject: Subject) {
    this.own = start;
    this.subject = subject;
  }

  /** `awaited` is what we are about to write: set by the owner in that moment, it could be told from ours by nothing. */
  async edit(edit: Edit, awaited?: readonly Named[]): Promise<void> {
    const [zone, owned] = [await this.subject.zone(), await this.subject.owned()];
    const isOurs = (record: Named) => isOneOf(record, owned);
    const pointsAt = (host: string) => (record: Named) => record.host === host && isPointer(record);
    /** Their pointers stand alone: whatever else they had at the name, this is what they say now. */
    const stateAlone = (host: string, after: readonly ZoneRecord[]): readonly ZoneRecord[] => [
      ...this.own.filter((record) => !pointsAt(host)(record)),
      ...after.filter(pointsAt(host)),
    ];
    const commit = async (after: readonly ZoneRecord[], own: readonly ZoneRecord[]) => {
      if (!isConsistent(after)) return;
      this.own = own;
      await this.subject.setZone(after);
    };
    switch (edit.kind) {
      case 'point': {
        if (edit.values.some((value) => isOurs(value) || isOneOf(value, awaited ?? []))) return;
        const after = [...zone.filter((record) => !pointsAt(edit.host)(record)), ...edit.values.map(standing)];
        return commit(after, stateAlone(edit.host, after));
      }
      case 'delete ours': {
        const after = zone.filter((record) => record.host !== edit.host || !isOurs(record));
        const isAlone = after.some(pointsAt(edit.host)) && zone.some((one) => pointsAt(edit.host)(one) && isOurs(one));
        if (isAlone && awaited !== undefined) return; // we would return what stood beside theirs, and they would not
        return commit(after, isAlone ? stateAlone(edit.host, after) : this.own);
      }
      case 'add': {
        const { record } = edit;
        if (isOneOf(record, [...zone, ...(awaited ?? [])]) || isOurs(record)) return;
        // It would keep the newest layer from returning: an older one then does, which has a test of its own.
        const remembered = (await this.subject.displaced()).filter(({ host }) => host === record.host);
        if (remembered.length > 1 && remembered.some((one) => excludes(one, record))) return;
        const after = [...zone, standing(record)];
        const isBesideOurs = zone.some((one) => pointsAt(record.host)(one) && isOurs(one));
        if (isPointer(record) && !isBesideOurs) return commit(after, stateAlone(record.host, after));
        const compatible = this.own.filter((one) => !excludes(one, record) && !sameRecord(one, record));
        return commit(after, [...compatible, standing(record)]);
      }
      case 'remove': {
        const { record } = edit;
        const mayReturn = (await this.subject.displaced()).some(({ host }) => host === record.host);
        if (isPointer(record) || isOurs(record) || mayReturn) return;
        return commit(
          zone.filter((one) => !sameRecord(one, record)),
          this.own.filter((one) => !sameRecord(one, record)),
        );
      }
    }
  }
}

const standing = (record: DnsRecord): ZoneRecord => ({ ...record, id: null, readOnly: false, extra: null });

const isConsistent = (zone: readonly Named[]): boolean =>
  !zone.some((one) => zone.some((other) => excludes(one, other)));

const consistent = (records: readonly DnsRecord[]): DnsRecord[] =>
  records.reduce<DnsRecord[]>(
    (kept, record) =>
      isOneOf(record, kept) || kept.some((other) => excludes(other, record)) ? kept : [...kept, record],
    [],
  );
