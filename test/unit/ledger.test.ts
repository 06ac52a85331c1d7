import type { DnsRecord } from '../../src/domain/record.ts';
import {
  confirm,
  intend,
  surrender,
  undo,
  withdraw,
  writtenZones,
  type Planned,
} from '../../src/domain/zone/ledger.ts';
import type { Layer, Ledger, LedgerChange, OwnedValue, WriteContext } from '../../src/domain/zone/ledger-rows.ts';
import type { Plan } from '../../src/domain/zone/plan.ts';
import type { ZoneRecord } from '../../src/domain/zone/zone-record.ts';

const HOST = 'shop.example.test';
const AT = new Date('2026-11-17T00:00:00Z');
const location = { credential_id: 'c1', provider: 'p', zone_id: 'z', zone_name: 'example.test' };
const context: WriteContext = { purpose: 'connection', location, now: AT };

const record = (value: string, more: Partial<DnsRecord> = {}): DnsRecord => ({
  host: HOST,
  type: 'A',
  value,
  ttl: 300,
  priority: null,
  ...more,
});
const inTheZone = (value: string): ZoneRecord => ({
  ...record(value),
  id: `r-${value}`,
  readOnly: false,
  extra: null,
});
const owned = (id: string, value: string, more: Partial<OwnedValue> = {}): OwnedValue => ({
  ...record(value),
  ...location,
  id,
  purpose: 'connection',
  status: 'standing',
  at: AT,
  extra: null,
  wildcard: null,
  ...more,
});
const layer = (id: number, ...values: string[]): Layer => ({
  ...location,
  id,
  purpose: 'connection',
  host: HOST,
  records: values.map(inTheZone),
  whole: true,
});
const NOTHING: Plan = {
  creates: [],
  keeps: [],
  shares: [],
  conflicts: [],
  removals: [],
  displaces: [],
  restores: [],
  decided: [],
  atRisk: [],
  surrenders: [],
};
const planned = (plan: Partial<Plan>, more: Partial<Planned> = {}): Planned => ({
  plan: { ...NOTHING, ...plan },
  current: [],
  ours: [],
  owned: [],
  ...more,
});
const kinds = (changes: readonly LedgerChange[]) =>
  changes.map((change) => `${change.kind}${'id' in change ? ` ${change.id}` : ''}${'status' in change ? ` ${change.status}` : ''}`); // prettier-ignore

describe('before a write is sent', () => {
  const written = { record: record('192.0.2.1'), previous: [] };

  test('a new value is added, and an open row of the same value is reused', () => {
    const plan = planned({ creates: [written], shares: [record('192.0.2.2')] });
    const ledger: Ledger = { values: [owned('v2', '192.0.2.2', { status: 'intended' })], layers: [] };

    expect(kinds(intend(ledger, plan, context).changes)).toEqual(['add value', 'repeat value v2']);
  });

  test('a value that the customer removed is surrendered, and an unconfirmed value is not', () => {
    const values = [owned('v1', '192.0.2.1'), owned('v2', '192.0.2.2', { status: 'intended' })];
    const surrenders = values.map(({ value }) => ({ record: record(value), previous: [] }));
    const { changes } = intend({ values, layers: [] }, planned({ surrenders }, { owned: values }), context);

    expect(kinds(changes)).toEqual(['close value v1 surrendered']);
  });

  test('a layer at a name that the customer pointed elsewhere is surrendered and does not count as a repetition', () => {
    const displaced = { host: HOST, records: [inTheZone('192.0.2.9')], whole: true };
    const plan = planned({ decided: [HOST], displaces: [displaced] });
    const { changes, repeated } = intend({ values: [], layers: [layer(7, '192.0.2.9')] }, plan, context);

    expect(kinds(changes)).toEqual(['close layer 7 surrendered', 'add layer']);
    expect(repeated).toEqual([]);
  });

  test('a layer that equals the newest one is not added again, and a withdrawal leaves it', () => {
    const displaced = { host: HOST, records: [inTheZone('192.0.2.9')], whole: true };
    const ledger = { values: [], layers: [layer(6, '192.0.2.8'), layer(7, '192.0.2.9')] };
    const { changes, repeated } = intend(ledger, planned({ displaces: [displaced] }), context);

    expect(changes).toEqual([]);
    expect(repeated).toEqual([{ id: 7, host: HOST, isNew: false }]);
    expect(kinds(withdraw({ values: ['v1'], layers: [...repeated, { id: 8, host: HOST, isNew: true }] }))).toEqual([
      'close value v1 withdrawn',
      'close layer 8 withdrawn',
    ]);
  });
});

describe('after the provider has answered', () => {
  const intention = { values: [], layers: [] };
  const answer = { present: [], removed: [], overtaken: [] };

  test('values that exist are confirmed, values that the plan removed are closed, and others stay unconfirmed', () => {
    const values = ['1', '2', '3'].map((last) => owned(`v${last}`, `192.0.2.${last}`, { status: 'intended' }));
    const plan = planned({ removals: [inTheZone('192.0.2.2')] });
    const present = [{ ...inTheZone('192.0.2.1'), ttl: 60 }];

    expect(confirm({ values, layers: [] }, { planned: plan, intention }, { ...answer, present }, context)).toEqual([
      { kind: 'close value', id: 'v2', status: 'removed' },
      { kind: 'confirm value', id: 'v1', ttl: 60, recordId: 'r-192.0.2.1' },
    ]);
  });

  test('a restored record is the customer’s: our equal value of another purpose and the layer are closed', () => {
    const values = [owned('mail', '192.0.2.9', { purpose: 'email' })];
    const plan = planned({ restores: [record('192.0.2.9')] });
    const changes = confirm({ values, layers: [layer(7, '192.0.2.9')] }, { planned: plan, intention }, answer, context);

    expect(kinds(changes)).toEqual(['close value mail surrendered', 'close layer 7 restored']);
  });

  test('a layer holds what the write displaced, and a new layer that displaced nothing is withdrawn', () => {
    const other = 'www.example.test';
    const layers = [layer(7, '192.0.2.9'), { ...layer(8, '192.0.2.9'), host: other }];
    const both = layers.map(({ id, host }) => ({ id, host, isNew: true }));
    const removed = [inTheZone('192.0.2.5')];
    const made = { planned: planned({}), intention: { values: [], layers: both } };
    const changes = confirm({ values: [], layers }, made, { ...answer, removed }, context);

    expect(changes).toEqual([
      { kind: 'confirm layer', id: 7, records: removed },
      { kind: 'close layer', id: 8, status: 'withdrawn' },
    ]);
  });

  test('at a name that the owner pointed elsewhere in the meantime, older layers are surrendered and the new layer stays', () => {
    const layers = [layer(6, '192.0.2.8'), layer(7, '192.0.2.9')];
    const made = { planned: planned({}), intention: { values: [], layers: [{ id: 7, host: HOST, isNew: true }] } };
    const real = { ...answer, removed: [inTheZone('192.0.2.9')], overtaken: [HOST] };

    expect(kinds(confirm({ values: [], layers }, made, real, context))).toEqual([
      'confirm layer 7',
      'close layer 6 surrendered',
    ]);
  });

  test('rows of this purpose in the zone move to the credential that wrote last', () => {
    const old = { credential_id: 'c0' };
    const values = [owned('v1', '192.0.2.1', old), owned('mail', '192.0.2.2', { ...old, purpose: 'email' })];
    const ledger = { values, layers: [{ ...layer(7, '192.0.2.9'), ...old }] };
    const changes = confirm(ledger, { planned: planned({}), intention }, answer, context);

    expect(kinds(changes)).toEqual(['move value v1', 'move layer 7']);
  });
});

describe('when a connection is archived', () => {
  const values = [owned('v1', '192.0.2.1'), owned('v2', '192.0.2.2')];
  const ledger = { values, layers: [layer(7, '192.0.2.9')] };
  const successor = { id: 'next', is_own: true, desired_records: [record('192.0.2.1')], values: [] };

  test('a successor of the same application gets the rows that it wants, with the layers below them', () => {
    const { changes, remaining } = surrender(ledger, 'connection', successor);

    expect(kinds(changes)).toEqual(['pass on value v1', 'pass on layer 7']);
    expect(remaining).toEqual({ values: [values[1]], layers: [] });
  });

  test('a successor of another application gets only the values', () => {
    const { changes } = surrender(ledger, 'connection', { ...successor, is_own: false });

    expect(kinds(changes)).toEqual(['close value v1 surrendered', 'close layer 7 surrendered']);
  });

  test('a value that the successor owns already is closed instead of passed on', () => {
    const own = [owned('theirs', '192.0.2.1')];
    const { changes } = surrender(ledger, 'connection', { ...successor, values: own });

    expect(kinds(changes)).toEqual(['close value v1 surrendered', 'pass on layer 7']);
  });

  test('a successor gets the copies of a wildcard’s records, or its challenge would take the hostname out of DNS', () => {
    const copy = owned('copy', '192.0.2.7', { wildcard: '*.example.test' });
    const wants = { ...successor, desired_records: [] };
    const changesFor = (is_own: boolean) =>
      kinds(surrender({ values: [copy], layers: [] }, 'connection', { ...wants, is_own }).changes);

    expect(changesFor(true)).toEqual(['pass on value copy']);
    expect(changesFor(false)).toEqual(['close value copy surrendered']);
  });

  test('undo removes our values that exist, surrenders the others and restores the layer', () => {
    const [zone] = writtenZones(ledger, 'connection');
    const { change, changes } = undo(zone!, [inTheZone('192.0.2.1')], AT);

    expect(change).toMatchObject({ remove: [{ value: '192.0.2.1' }], add: [{ value: '192.0.2.9' }] });
    expect(kinds(changes)).toEqual(['close value v2 surrendered', 'close value v1 removed', 'close layer 7 restored']);
  });

  test('a write whose answer was lost keeps its rows open for two minutes', () => {
    const sent = [owned('v1', '192.0.2.1', { status: 'intended' })];
    const [zone] = writtenZones({ values: sent, layers: [layer(7, '192.0.2.9')] }, 'connection');
    const at = (seconds: number) => undo(zone!, [], new Date(AT.getTime() + seconds * 1_000));

    expect(at(119)).toMatchObject({ awaited: { id: 'v1' }, changes: [] });
    expect(at(120).awaited).toBeUndefined();
    expect(kinds(at(120).changes)).toContain('close value v1 surrendered');
  });
});
