import fc from 'fast-check';
import { changeOf, plan, type Situation, type Written } from '../../src/domain/zone/plan.ts';
import type { DnsRecord } from '../../src/domain/record.ts';
import { planUndo } from '../../src/domain/zone/undo.ts';
import { isOneOf, excludes, type ZoneRecord } from '../../src/domain/zone/zone-record.ts';
import { applyTo, contentOf } from '../support/fixtures/zone-model.ts';

const HOSTS = ['shop.example.test', 'www.example.test', 'example.test'];

/** Few values at few names, so that wanted and standing records meet in every possible way. */
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

const standing = (record: DnsRecord, more: Partial<ZoneRecord> = {}): ZoneRecord => ({
  ...record,
  id: null,
  readOnly: false,
  extra: null,
  ...more,
});

const dnsRecord = fc
  .record({ host: fc.constantFrom(...HOSTS), value: fc.constantFrom(...POOL), ttl: fc.constantFrom(60, 300, 3600) })
  .map(({ host, value, ttl }): DnsRecord => ({ host, ttl, ...value }));

/** Keeps what can stand together, and gives each set one TTL, as in a zone that some server serves. */
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
  .map(([records, proxied]) => records.map((record, i) => standing(record, { extra: { proxied: proxied[i] } })));
const desired = fc.array(dnsRecord, { maxLength: 6 }).map(consistent);
const policy = fc.constantFrom('refuse', 'replace');
const situation = fc.record<Situation>({ current: zone, desired, owned: fc.constant([]), policy });

describe('for every zone, every wish and either policy', () => {
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

  test('what is not a pointer in the way stays, to the byte; under refuse everything stays', () => {
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

  test('planning again after applying finds nothing to do', () => {
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

  test('every wish is created, kept or in conflict, and what stands afterwards can stand together', () => {
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

const wish = (record: Partial<DnsRecord> = {}): DnsRecord => ({
  host: 'shop.example.test',
  type: 'CNAME',
  value: 'edge.example.net',
  ttl: 300,
  priority: null,
  ...record,
});
const a = (value: string, more: Partial<ZoneRecord> = {}) => standing(wish({ type: 'A', value, ttl: 600 }), more);
const planned = (current: ZoneRecord[], wanted: DnsRecord[], more: Partial<Situation> = {}) =>
  plan({ current, desired: wanted, owned: [], policy: 'refuse', ...more });

describe('in particular', () => {
  test('an address in the way is reported, and replaced only when asked, with its values kept for undo', () => {
    expect(planned([a('192.0.2.1')], [wish()]).conflicts).toMatchObject([
      { reason: 'points_elsewhere', found: [{ value: '192.0.2.1' }] },
    ]);
    const replaced = planned([a('192.0.2.1')], [wish()], { policy: 'replace' });
    expect(replaced).toMatchObject({ conflicts: [], removals: [{ value: '192.0.2.1' }] });
    expect(replaced.creates).toMatchObject([{ previous: [{ value: '192.0.2.1', ttl: 600 }] }]);
  });

  test('a record that the provider manages is in the way even under replace', () => {
    const made = planned([a('192.0.2.1', { readOnly: true })], [wish()], { policy: 'replace' });
    expect(made).toMatchObject({ creates: [], removals: [], conflicts: [{ reason: 'read_only' }] });
  });

  test('an AAAA that leads elsewhere is a conflict for an A alone: half the visitors would go there', () => {
    const aaaa = standing(wish({ type: 'AAAA', value: '2001:db8::1' }));
    expect(planned([aaaa], [wish({ type: 'A', value: '192.0.2.9' })]).conflicts).toMatchObject([
      { reason: 'points_elsewhere' },
    ]);
  });

  test.each<[string, DnsRecord, DnsRecord]>([
    [
      'an MX',
      wish({ type: 'MX', value: 'theirs.test', priority: 10 }),
      wish({ type: 'MX', value: 'ours.test', priority: 10 }),
    ],
    [
      'an SPF record',
      wish({ type: 'TXT', value: 'v=spf1 -all' }),
      wish({ type: 'TXT', value: 'V=SPF1 include:ours.test' }),
    ],
    [
      'a DMARC policy',
      wish({ type: 'TXT', value: 'v=DMARC1; p=reject' }),
      wish({ type: 'TXT', value: 'v=DMARC1;p=none' }),
    ],
  ])('%s of the customer is never joined or replaced', (_, theirs, ours) => {
    for (const chosen of ['refuse', 'replace'] as const) {
      const made = planned([standing(theirs)], [ours], { policy: chosen });
      expect(made).toMatchObject({ creates: [], removals: [], conflicts: [{ reason: 'mail_policy' }] });
    }
  });

  test('mail records at the name of a wanted CNAME are a conflict that replace does not resolve', () => {
    const mx = standing(wish({ type: 'MX', value: 'mail.test', priority: 10 }));
    const made = planned([mx, a('192.0.2.1')], [wish()], { policy: 'replace' });
    expect(made).toMatchObject({ creates: [], removals: [], conflicts: [{ reason: 'name_is_taken' }] });
  });

  test('when a new target meets a conflict, the name goes on leading where we led it before', () => {
    const old = wish({ type: 'A', value: '192.0.2.9' });
    const theirs = standing(wish({ type: 'TXT', value: 'theirs' }));
    const made = planned([standing(old), theirs], [wish()], {
      owned: [{ record: old, previous: [] }],
      policy: 'replace',
    });
    expect(made).toMatchObject({ creates: [], removals: [], conflicts: [{ reason: 'name_is_taken' }] });
  });

  test('what gives way is a layer of the snapshot: all that the customer had, unless ours stood beside it', () => {
    const theirs = a('192.0.2.1');
    const alone = planned([theirs], [wish()], { policy: 'replace' });
    expect(alone.displaces).toEqual([{ host: theirs.host, records: [theirs], whole: true }]);
    const ours = { record: wish({ type: 'A', value: '192.0.2.2' }), previous: [] };
    const wanted = [ours.record, wish({ type: 'AAAA', value: '2001:db8::1' })];
    const beside = planned([theirs, standing(ours.record)], wanted, { owned: [ours], policy: 'replace' });
    expect(beside.displaces).toEqual([{ host: theirs.host, records: [theirs], whole: false }]);
  });

  test('a value that stood before us is kept and is not ours to remove', () => {
    const made = planned([standing(wish())], [wish()]);
    expect(made).toMatchObject({ keeps: [wish()], creates: [] });
    expect(planUndo([standing(wish())], made.creates).change).toEqual({ add: [], remove: [] });
  });

  test('a value of ours that the customer changed is surrendered, and what it displaced is not forced back', () => {
    const written: Written[] = [{ record: wish(), previous: [a('192.0.2.1')] }];
    const changed = standing(wish({ value: 'customers-choice.example.net' }));
    expect(planUndo([changed], written)).toMatchObject({ change: { add: [], remove: [] }, surrendered: written });
  });

  test('what we wrote and the customer deleted is surrendered, and undo returns what it had displaced to the empty name', () => {
    const owned: Written[] = [{ record: wish(), previous: [] }];
    const displaced = [{ host: wish().host, records: [a('192.0.2.1')], whole: true }];
    expect(planned([], [], { owned }).surrenders).toEqual(owned);
    expect(planUndo([], owned, { displaced }).change).toEqual({
      add: [expect.objectContaining({ value: '192.0.2.1', ttl: 600 })],
      remove: [],
    });
  });

  test('of layers that contradict each other the newest that can stand comes back', () => {
    const owned: Written[] = [{ record: wish(), previous: [] }];
    const layers = (whole: boolean) => [
      { host: wish().host, records: [standing(wish({ value: 'first.example.net' }))], whole: true },
      { host: wish().host, records: [a('192.0.2.1')], whole },
    ];
    for (const whole of [true, false])
      expect(planUndo([standing(wish())], owned, { displaced: layers(whole) }).change.add).toMatchObject([
        { type: 'A' },
      ]);
    const aside = standing(wish({ type: 'TXT', value: 'theirs' }));
    const reversed = planUndo([aside], owned, { displaced: layers(true).toReversed() });
    expect(reversed.change.add).toMatchObject([{ type: 'A' }]);
  });
});

describe('two purposes in one zone', () => {
  const connection = wish({ type: 'A', value: '192.0.2.9' });
  const mail = wish({ type: 'TXT', value: 'v=spf1 include:mail.test -all' });
  const zone = [standing(connection), standing(mail)];
  const mine = (record: DnsRecord): Written[] => [{ record, previous: [] }];

  test.each([
    ['mail', mail, connection],
    ['the connection', connection, mail],
  ])(
    'a plan for %s neither removes nor counts as obsolete what the other wrote, nor does its undo',
    (_, own, other) => {
      const given = { current: zone, owned: mine(own), reserved: [other], policy: 'replace' as const };
      expect(plan({ ...given, desired: [] })).toMatchObject({ removals: [standing(own)], conflicts: [] });
      expect(planUndo(zone, mine(own), { reserved: [other] }).change).toEqual({ add: [], remove: [standing(own)] });
    },
  );

  test('a pointer of the other purpose is in the way under replace too', () => {
    const made = planned([standing(connection)], [wish()], { reserved: [connection], policy: 'replace' });
    expect(made).toMatchObject({ creates: [], removals: [], conflicts: [{ reason: 'name_is_taken' }] });
  });

  test('a value that both want is owned by both, and stands until both are undone', () => {
    const made = planned([standing(mail)], [mail], { reserved: [mail] });
    expect(made).toMatchObject({ creates: [], shares: [mail] });
    expect(planUndo([standing(mail)], mine(mail), { reserved: [mail] })).toMatchObject({
      change: { add: [], remove: [] },
      surrendered: mine(mail),
    });
    expect(planUndo([standing(mail)], mine(mail)).change.remove).toEqual([standing(mail)]);
  });

  test('what was displaced does not return over a value of the other purpose, which takes the snapshot over', () => {
    const displaced = [{ host: wish().host, records: [standing(wish())], whole: true }];
    expect(planUndo(zone, mine(connection), { displaced, reserved: [mail] })).toMatchObject({
      change: { add: [], remove: [standing(connection)] },
      left: [wish().host],
    });
  });
});
