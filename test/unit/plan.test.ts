import fc from 'fast-check';
import { changeOf, plan, type Situation, type Written } from '../../src/domain/zone/plan.ts';
import type { DnsRecord } from '../../src/domain/record.ts';
import { planUndo } from '../../src/domain/zone/undo.ts';
import { isOneOf, excludes, type ZoneRecord } from '../../src/domain/zone/zone-record.ts';
import { applyTo, contentOf } from '../support/fixtures/zone-model.ts';

const HOSTS = ['shop.example.test', 'www.example.test', 'example.test'];

/** Few values at few names, so that desired and existing records meet in every possible way. */
const POOL: Pick<DnsRecord, 'type' | 'value' | 'priority'>[] = [
  { type: 'A', value: '192.0.2.1', priority: null },
  { type: 'A', value: '192.0.2.2', priority: null },
  { type: 'AAAA', value: '2001:db8::1', priority: null },
  { type: 'CNAME', value: 'edge.example.net', priority: null },
  { type: 'CNAME', value: 'other.example.net', priority: null },
  { type: 'ALIAS', value: 'edge.example.net', priority: null },
  { type: 'TXT', value: 'token', priority: null },
  { type: 'TXT', value: 'v=spf1 include:example.net ~all', priority: null },
  { type: 'TXT', value: 'v=spf1 -all', priority: null },
  { type: 'TXT', value: 'v=DMARC1; p=none', priority: null },
  { type: 'MX', value: 'mail.example.net', priority: 10 },
  { type: 'MX', value: 'mail.example.net', priority: 20 },
  { type: 'CAA', value: '0 issue "letsencrypt.org"', priority: null },
];

const existing = (record: DnsRecord, more: Partial<ZoneRecord> = {}): ZoneRecord => ({
  ...record,
  id: null,
  readOnly: false,
  extra: null,
  ...more,
});

const dnsRecord = fc
  .record({ host: fc.constantFrom(...HOSTS), value: fc.constantFrom(...POOL), ttl: fc.constantFrom(60, 300, 3600) })
  .map(({ host, value, ttl }): DnsRecord => ({ host, ttl, ...value }));

/** Keeps records that can coexist and gives each record set one TTL, like a zone that a server can serve. */
const consistent = (records: readonly DnsRecord[]): DnsRecord[] =>
  records.reduce<DnsRecord[]>((kept, record) => {
    if (isOneOf(record, kept) || kept.some((other) => excludes(other, record))) return kept;
    const set = kept.find((other) => other.host === record.host && other.type === record.type);
    return [...kept, { ...record, ttl: set?.ttl ?? record.ttl }];
  }, []);

const zone = fc
  .tuple(
    fc.array(dnsRecord, { maxLength: 10 }).map(consistent),
    fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
  )
  .map(([records, proxied]) => records.map((record, i) => existing(record, { extra: { proxied: proxied[i] } })));
const desired = fc.array(dnsRecord, { maxLength: 6 }).map(consistent);
const policy = fc.constantFrom('refuse', 'replace');
const situation = fc.record<Situation>({ current: zone, desired, owned: fc.constant([]), policy });

describe('for every zone, every set of desired records and either policy', () => {
  test('plan, apply and undo restore the zone exactly', () => {
    fc.assert(
      fc.property(situation, (given) => {
        const made = plan(given);
        const after = applyTo(given.current, changeOf(made));
        expect(contentOf(applyTo(after, planUndo(after, made.creates).change))).toEqual(contentOf(given.current));
      }),
      { numRuns: 2000 },
    );
  });

  test('only conflicting pointers are removed, and under refuse every record stays', () => {
    fc.assert(
      fc.property(situation, (given) => {
        const after = contentOf(applyTo(given.current, changeOf(plan(given))));
        const mayGo = (record: ZoneRecord) =>
          given.policy === 'replace' && ['A', 'AAAA', 'CNAME', 'ALIAS'].includes(record.type);
        const foreign = contentOf(given.current.filter((record) => !mayGo(record)));
        expect(after).toEqual(expect.arrayContaining(foreign));
      }),
      { numRuns: 2000 },
    );
  });

  test('planning again after applying changes nothing', () => {
    fc.assert(
      fc.property(situation, (given) => {
        const made = plan(given);
        const after = applyTo(given.current, changeOf(made));
        const again = plan({ ...given, current: after, owned: made.creates });
        expect(changeOf(again)).toEqual({ add: [], remove: [] });
        expect(again.keeps).toHaveLength(made.keeps.length + made.creates.length);
      }),
      { numRuns: 2000 },
    );
  });

  test('every desired record is created, kept or in conflict, and the resulting records can coexist', () => {
    fc.assert(
      fc.property(situation, (given) => {
        const { creates, keeps, conflicts, ...rest } = plan(given);
        expect(creates.length + keeps.length + conflicts.length).toBe(given.desired.length);
        const after = applyTo(given.current, changeOf({ creates, keeps, conflicts, ...rest }));
        expect(after.some((record) => after.some((other) => excludes(record, other)))).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});

const someRecord = (record: Partial<DnsRecord> = {}): DnsRecord => ({
  host: 'shop.example.test',
  type: 'CNAME',
  value: 'edge.example.net',
  ttl: 300,
  priority: null,
  ...record,
});
const a = (value: string, more: Partial<ZoneRecord> = {}) => existing(someRecord({ type: 'A', value, ttl: 600 }), more);
const planned = (current: ZoneRecord[], wanted: DnsRecord[], more: Partial<Situation> = {}) =>
  plan({ current, desired: wanted, owned: [], policy: 'refuse', ...more });

describe('specific cases', () => {
  test('a conflicting address is reported, and replaced only under replace, with its values kept for undo', () => {
    expect(planned([a('192.0.2.1')], [someRecord()]).conflicts).toMatchObject([
      { reason: 'points_elsewhere', found: [{ value: '192.0.2.1' }] },
    ]);
    const replaced = planned([a('192.0.2.1')], [someRecord()], { policy: 'replace' });
    expect(replaced).toMatchObject({ conflicts: [], removals: [{ value: '192.0.2.1' }] });
    expect(replaced.creates).toMatchObject([{ previous: [{ value: '192.0.2.1', ttl: 600 }] }]);
  });

  test('a record that the provider manages is a conflict even under replace', () => {
    const made = planned([a('192.0.2.1', { readOnly: true })], [someRecord()], { policy: 'replace' });
    expect(made).toMatchObject({ creates: [], removals: [], conflicts: [{ reason: 'read_only' }] });
  });

  test('an AAAA record that points elsewhere conflicts with an A record, because half the visitors would go there', () => {
    const aaaa = existing(someRecord({ type: 'AAAA', value: '2001:db8::1' }));
    expect(planned([aaaa], [someRecord({ type: 'A', value: '192.0.2.9' })]).conflicts).toMatchObject([
      { reason: 'points_elsewhere' },
    ]);
  });

  test.each<[string, DnsRecord, DnsRecord]>([
    [
      'an MX',
      someRecord({ type: 'MX', value: 'theirs.test', priority: 10 }),
      someRecord({ type: 'MX', value: 'ours.test', priority: 10 }),
    ],
    [
      'an SPF record',
      someRecord({ type: 'TXT', value: 'v=spf1 -all' }),
      someRecord({ type: 'TXT', value: 'V=SPF1 include:ours.test' }),
    ],
    [
      'a DMARC policy',
      someRecord({ type: 'TXT', value: 'v=DMARC1; p=reject' }),
      someRecord({ type: 'TXT', value: 'v=DMARC1;p=none' }),
    ],
  ])('%s of the customer is never merged or replaced', (_, theirs, ours) => {
    for (const chosen of ['refuse', 'replace'] as const) {
      const made = planned([existing(theirs)], [ours], { policy: chosen });
      expect(made).toMatchObject({ creates: [], removals: [], conflicts: [{ reason: 'mail_policy' }] });
    }
  });

  test('mail records at the name of a desired CNAME are a conflict that replace does not resolve', () => {
    const mx = existing(someRecord({ type: 'MX', value: 'mail.test', priority: 10 }));
    const made = planned([mx, a('192.0.2.1')], [someRecord()], { policy: 'replace' });
    expect(made).toMatchObject({ creates: [], removals: [], conflicts: [{ reason: 'name_is_taken' }] });
  });

  test('if a new target conflicts, the hostname keeps our previous record', () => {
    const old = someRecord({ type: 'A', value: '192.0.2.9' });
    const theirs = existing(someRecord({ type: 'TXT', value: 'theirs' }));
    const made = planned([existing(old), theirs], [someRecord()], {
      owned: [{ record: old, previous: [] }],
      policy: 'replace',
    });
    expect(made).toMatchObject({ creates: [], removals: [], conflicts: [{ reason: 'name_is_taken' }] });
  });

  test('displaced records form a snapshot layer, which is whole unless a record of ours existed next to them', () => {
    const theirs = a('192.0.2.1');
    const alone = planned([theirs], [someRecord()], { policy: 'replace' });
    expect(alone.displaces).toEqual([{ host: theirs.host, records: [theirs], whole: true }]);
    const ours = { record: someRecord({ type: 'A', value: '192.0.2.2' }), previous: [] };
    const wanted = [ours.record, someRecord({ type: 'AAAA', value: '2001:db8::1' })];
    const shared = planned([theirs, existing(ours.record)], wanted, { owned: [ours], policy: 'replace' });
    expect(shared.displaces).toEqual([{ host: theirs.host, records: [theirs], whole: false }]);
  });

  test('a value that existed before we wrote is kept, and undo does not remove it', () => {
    const made = planned([existing(someRecord())], [someRecord()]);
    expect(made).toMatchObject({ keeps: [someRecord()], creates: [] });
    expect(planUndo([existing(someRecord())], made.creates).change).toEqual({ add: [], remove: [] });
  });

  test('a value of ours that the customer changed is surrendered, and undo does not restore the displaced records', () => {
    const written: Written[] = [{ record: someRecord(), previous: [a('192.0.2.1')] }];
    const changed = existing(someRecord({ value: 'customers-choice.example.net' }));
    expect(planUndo([changed], written)).toMatchObject({ change: { add: [], remove: [] }, surrendered: written });
  });

  test('a value of ours that the customer deleted is surrendered, and undo restores the displaced records to the empty name', () => {
    const owned: Written[] = [{ record: someRecord(), previous: [] }];
    const displaced = [{ host: someRecord().host, records: [a('192.0.2.1')], whole: true }];
    expect(planned([], [], { owned }).surrenders).toEqual(owned);
    expect(planUndo([], owned, { displaced }).change).toEqual({
      add: [expect.objectContaining({ value: '192.0.2.1', ttl: 600 })],
      remove: [],
    });
  });

  test('if layers contradict each other, undo restores the newest layer that can coexist with the zone', () => {
    const owned: Written[] = [{ record: someRecord(), previous: [] }];
    const layers = (whole: boolean) => [
      { host: someRecord().host, records: [existing(someRecord({ value: 'first.example.net' }))], whole: true },
      { host: someRecord().host, records: [a('192.0.2.1')], whole },
    ];
    for (const whole of [true, false])
      expect(planUndo([existing(someRecord())], owned, { displaced: layers(whole) }).change.add).toMatchObject([
        { type: 'A' },
      ]);
    const aside = existing(someRecord({ type: 'TXT', value: 'theirs' }));
    const reversed = planUndo([aside], owned, { displaced: layers(true).toReversed() });
    expect(reversed.change.add).toMatchObject([{ type: 'A' }]);
  });
});

describe('two purposes in one zone', () => {
  const connection = someRecord({ type: 'A', value: '192.0.2.9' });
  const mail = someRecord({ type: 'TXT', value: 'v=spf1 include:mail.test -all' });
  const zone = [existing(connection), existing(mail)];
  const mine = (record: DnsRecord): Written[] => [{ record, previous: [] }];

  test.each([
    ['mail', mail, connection],
    ['the connection', connection, mail],
  ])('a plan for %s and its undo leave the other purpose’s records alone', (_, own, other) => {
    const given = { current: zone, owned: mine(own), reserved: [other], policy: 'replace' as const };
    expect(plan({ ...given, desired: [] })).toMatchObject({ removals: [existing(own)], conflicts: [] });
    expect(planUndo(zone, mine(own), { reserved: [other] }).change).toEqual({ add: [], remove: [existing(own)] });
  });

  test('a pointer that the other purpose owns is a conflict even under replace', () => {
    const made = planned([existing(connection)], [someRecord()], { reserved: [connection], policy: 'replace' });
    expect(made).toMatchObject({ creates: [], removals: [], conflicts: [{ reason: 'name_is_taken' }] });
  });

  test('a value that both purposes want is owned by both, and exists until both are undone', () => {
    const made = planned([existing(mail)], [mail], { reserved: [mail] });
    expect(made).toMatchObject({ creates: [], shares: [mail] });
    expect(planUndo([existing(mail)], mine(mail), { reserved: [mail] })).toMatchObject({
      change: { add: [], remove: [] },
      surrendered: mine(mail),
    });
    expect(planUndo([existing(mail)], mine(mail)).change.remove).toEqual([existing(mail)]);
  });

  test('displaced records do not return over a value of the other purpose, which takes over the snapshot', () => {
    const displaced = [{ host: someRecord().host, records: [existing(someRecord())], whole: true }];
    expect(planUndo(zone, mine(connection), { displaced, reserved: [mail] })).toMatchObject({
      change: { add: [], remove: [existing(connection)] },
      left: [someRecord().host],
    });
  });
});
