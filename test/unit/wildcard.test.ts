import fc from 'fast-check';
import { challengeName } from '../../src/domain/connection/challenge.ts';
import { wildcardFindings } from '../../src/domain/observation/diagnosis.ts';
import type { Answer, NameObservation, ObservedType } from '../../src/domain/observation/observation.ts';
import { NO_WILDCARD, observeWildcard, UNKNOWN_WILDCARD } from '../../src/domain/observation/wildcard.ts';
import { isInZone, type DnsRecord } from '../../src/domain/record.ts';
import {
  hostnamesAtRisk,
  hostsToRead,
  namesAbove,
  remainingCopies,
  wildcardCopies,
} from '../../src/domain/zone/wildcard.ts';
import { excludes, hostsOf, isOneOf, type Addition, type ZoneRecord } from '../../src/domain/zone/zone-record.ts';
import { tries } from '../support/tries.ts';
import { answerAt, existsIn } from '../support/fixtures/wildcard-model.ts';
import { applyTo, contentOf } from '../support/fixtures/zone-model.ts';

const ZONE = 'example.test';
const UNUSED = 'unused';

const inZone = (host: string, type: DnsRecord['type'], value: string, more: Partial<ZoneRecord> = {}): ZoneRecord => ({
  host,
  type,
  value,
  ttl: 300,
  priority: type === 'MX' ? 10 : null,
  id: null,
  readOnly: false,
  extra: null,
  ...more,
});

/** Few labels, so that explicit names, wildcards and empty non-terminals meet in every possible way. */
const labels = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 3 });
const nameOf = (path: readonly string[]) => [...path, ZONE].join('.');
const hostname = labels.map(nameOf);
const owner = fc
  .tuple(fc.boolean(), fc.array(fc.constantFrom('a', 'b', 'mail'), { maxLength: 3 }))
  .map(([isWildcard, path]) => (isWildcard ? `*.${nameOf(path)}` : nameOf(path)));
const value = fc.constantFrom<[DnsRecord['type'], string]>(
  ['A', '192.0.2.1'],
  ['A', '192.0.2.2'],
  ['AAAA', '2001:db8::1'],
  ['CNAME', 'old.example.net'],
  ['MX', 'mail.example.net'],
  ['TXT', 'v=spf1 -all'],
);
/** A wildcard at the top in most zones: without one, hardly any hostname is covered. */
const zoneRecords = fc
  .tuple(value, fc.array(fc.tuple(owner, value), { maxLength: 6 }))
  .map(([top, others]) => [[`*.${ZONE}`, top] as const, ...others])
  .map((entries) => entries.map(([host, [type, text]]) => inZone(host, type, text)))
  .map((records) =>
    records.reduce<ZoneRecord[]>(
      (kept, record) =>
        isOneOf(record, kept) || kept.some((other) => excludes(other, record)) ? kept : [...kept, record],
      [],
    ),
  );

/** Every name that the tests ask for. */
const UNIVERSE = ['a', 'b', 'mail', 'x'].flatMap((one) => [
  [one],
  ...['a', 'b', 'x'].flatMap((two) => [[one, two], ...['a', 'b', 'x'].map((three) => [one, two, three])]),
]).map(nameOf); // prettier-ignore

const answers = (records: readonly ZoneRecord[], name: string) => contentOf(answerAt(records, ZONE, name));
const isCovered = (records: readonly ZoneRecord[], name: string) =>
  !existsIn(records, ZONE, name) && answerAt(records, ZONE, name).length > 0;

const challengeAt = (name: string) => ({ ...inZone(challengeName(name), 'TXT', 'token'), type: 'TXT' as const });

/** Names whose answers must not change: names below the hostname belong to the hostname that is connected. */
const others = (name: string) => UNIVERSE.filter((other) => other === name || !isInZone(other, name));

/** Adds the records of one name after another, as a provider that writes single record sets does. */
function stepByStep(before: readonly ZoneRecord[], added: readonly Addition[]): ZoneRecord[][] {
  const steps: ZoneRecord[][] = [];
  let zone = [...before];
  for (const host of hostsOf(added))
    steps.push((zone = applyTo(zone, { add: added.filter((record) => record.host === host), remove: [] })));
  return steps;
}

/** Expects that adding copies and then the challenge changes no answer, and that removing both restores the zone. */
function expectNoChange(before: readonly ZoneRecord[], name: string, copies: readonly Addition[]): void {
  const copied = applyTo(before, { add: copies, remove: [] });
  const proved = applyTo(copied, { add: [challengeAt(name)], remove: [] });
  for (const other of others(name))
    expect([other, answers(copied, other), answers(proved, other)]).toEqual([other, answers(before, other), answers(before, other)]); // prettier-ignore
  for (const moment of stepByStep(before, copies)) {
    expect(answers(moment, name)).toEqual(answers(before, name));
    // Between a wildcard and its parent, only the parent lacks its answer.
    const changed = others(name).filter((other) => String(answers(moment, other)) !== String(answers(before, other)));
    expect(changed.length).toBeLessThanOrEqual(1);
  }
  expect(contentOf(applyTo(proved, { add: [], remove: [...copies, challengeAt(name)] }))).toEqual(contentOf(before));
}

const evidenceAt = (records: readonly ZoneRecord[], name: string) => ({
  name,
  zone: ZONE,
  current: records.filter(({ host }) => hostsToRead(name, ZONE).includes(host)),
  copies: [],
  answers: [],
});

describe('for every zone and every hostname in it', () => {
  test('copies from the zone keep every answer while the challenge is added, at every moment, and can be undone', () => {
    let covered = 0;
    fc.assert(
      fc.property(zoneRecords, hostname, (before, name) => {
        if (!isCovered(before, name)) return;
        covered += 1;
        const made = wildcardCopies(evidenceAt(before, name))!;
        expectNoChange(before, name, made.records);
        const after = applyTo(before, { add: made.records, remove: [] });
        expect(wildcardCopies({ ...evidenceAt(after, name), copies: made.records })).toEqual(made);
      }),
      { numRuns: tries(5_000, 1_000) },
    );
    expect(covered).toBeGreaterThan(0);
  });

  test('a hostname with records of its own gets no copies', () => {
    fc.assert(
      fc.property(zoneRecords, hostname, (records, name) => {
        const own = [...records.filter(({ host }) => host !== name), inZone(name, 'A', '192.0.2.9')];
        expect(wildcardCopies(evidenceAt(own, name))).toBeUndefined();
      }),
    );
  });

  test('the name servers reveal exactly the covered hostnames, and their answers make copies that keep every answer', async () => {
    let covered = 0;
    await fc.assert(
      fc.asyncProperty(zoneRecords, hostname, async (before, name) => {
        const verdict = await observeWildcard(asking(before), UNUSED, name, { name: ZONE, registered: true });
        // An explicit hostname with a wildcard of its own that answers alike resembles a covered one.
        const isHidden = existsIn(before, ZONE, `*.${name}`);
        if (!isHidden) expect(verdict.covered).toBe(isCovered(before, name));
        if (!isCovered(before, name)) return;
        covered += 1;
        expect(verdict.covered).toBe(true);
        expectNoChange(before, name, verdict.records);
      }),
      { numRuns: tries(5_000, 1_000) },
    );
    expect(covered).toBeGreaterThan(0);
  });

  test('silent name servers allow no conclusion', async () => {
    await fc.assert(
      fc.asyncProperty(zoneRecords, hostname, fc.integer({ min: 0, max: 5 }), async (records, name, heard) => {
        let questions = 0;
        const verdict = await observeWildcard(
          async (host, types) => {
            questions += types.length;
            const seen = await asking(records)(host, types);
            return questions <= heard ? seen : { ...seen, servers: seen.servers.map(silenced) };
          },
          UNUSED,
          name,
          { name: ZONE, registered: true },
        );
        if (heard === 0) expect(verdict).toEqual(UNKNOWN_WILDCARD);
        if (verdict.covered !== null && !existsIn(records, ZONE, `*.${name}`))
          expect(verdict.covered).toBe(isCovered(records, name));
      }),
    );
  });
});

const SERVER = { name: 'ns1.example.test', address: '192.0.2.53', port: 53 };
const UNANSWERED: Answer = { outcome: 'unknown', cause: 'timeout' };
const silenced = (view: NameObservation['servers'][number]) => ({
  ...view,
  answers: Object.fromEntries(Object.keys(view.answers).map((type) => [type, UNANSWERED])),
});

/** Answers questions like a name server that serves the zone. */
const asking =
  (records: readonly ZoneRecord[]) =>
  (name: string, types: ObservedType[]): Promise<NameObservation> => {
    const found = answerAt(records, ZONE, name);
    const exists = found.length > 0 || existsIn(records, ZONE, name);
    const answerTo = (type: ObservedType): Answer => ({
      outcome: 'answered',
      exists,
      records: found
        .filter((record) => record.type === type || record.type === 'CNAME')
        .map((record) => ({ ...record, type: record.type as ObservedType })),
      omitted: 0,
      negativeTtl: null,
    });
    return Promise.resolve({
      name,
      resolvers: [],
      proxy: null,
      servers: [{ server: SERVER, answers: Object.fromEntries(types.map((type) => [type, answerTo(type)])) }],
    });
  };

describe('a hostname that only a wildcard answers for', () => {
  const [name, wildcard] = [`shop.${ZONE}`, `*.${ZONE}`];
  const copiesOf = (...records: ZoneRecord[]) => wildcardCopies({ ...evidenceAt(records, name) })?.records;

  test('gets the TTL and the settings of the wildcard, without its name', () => {
    const proxied = { proxied: true, name: '*', owner: `*.${ZONE}.`, hostname: wildcard };
    const record = inZone(wildcard, 'A', '192.0.2.1', { ttl: 1234, extra: proxied });

    expect(copiesOf(record)).toEqual([
      { host: name, type: 'A', value: '192.0.2.1', ttl: 1234, priority: null, extra: { proxied: true } },
    ]);
  });

  test('gets the answers of DNS if the wildcard is a service of the provider', () => {
    const answered: DnsRecord = { host: name, type: 'A', value: '192.0.2.7', ttl: 60, priority: null };
    const alias = inZone(wildcard, 'ALIAS', 'load-balancer', { readOnly: true });
    const evidence = evidenceAt([alias, inZone(wildcard, 'MX', 'mail.example.net')], name);

    expect(wildcardCopies({ ...evidence, answers: [answered] })?.records).toEqual([answered]);
    expect(wildcardCopies(evidence)).toBeUndefined();
    expect(copiesOf(inZone(wildcard, 'A', '192.0.2.1'), inZone(wildcard, 'OTHER' as 'A', 'HTTPS 1 .'))).toMatchObject([
      { host: name, type: 'A', value: '192.0.2.1' },
    ]);
  });

  test('has a finding with the records to add first; a hostname without a wildcard has none', () => {
    const records = [{ host: name, type: 'A' as const, value: '192.0.2.1', ttl: 60, priority: null }];

    expect(wildcardFindings(name, { covered: true, wildcard, records })).toMatchObject([
      {
        code: 'wildcard_covers_hostname',
        severity: 'warning',
        fix: expect.stringContaining(`A 192.0.2.1 at ${name}`) as string,
        records,
        params: { hostname: name, wildcard, records: 'A 192.0.2.1' },
      },
    ]);
    expect([...wildcardFindings(name, NO_WILDCARD), ...wildcardFindings(name, UNKNOWN_WILDCARD)]).toEqual([]);
  });
});

test('the apex of a zone always exists, so it needs no question', async () => {
  const ask = () => Promise.reject(new Error('It was asked.'));
  expect(await observeWildcard(ask, UNUSED, ZONE, { name: ZONE, registered: true })).toEqual(NO_WILDCARD);
  expect(await observeWildcard(ask, UNUSED, ZONE, { name: null, registered: null })).toEqual(UNKNOWN_WILDCARD);
});

test('one server that has not received the explicit records yet keeps the finding', async () => {
  const name = `shop.${ZONE}`;
  const covering = [inZone(`*.${ZONE}`, 'A', '192.0.2.1')];
  const late = asking(covering);
  const current = asking([...covering, inZone(name, 'A', '192.0.2.1')]);
  const both = async (host: string, types: ObservedType[]): Promise<NameObservation> => {
    const [one, two] = [await current(host, types), await late(host, types)];
    const other = two.servers.map((view) => ({ ...view, server: { ...SERVER, address: '192.0.2.54' } }));
    return { ...one, servers: [...one.servers, ...other] };
  };
  const verdict = (ask: typeof both) => observeWildcard(ask, UNUSED, name, { name: ZONE, registered: true });

  expect((await verdict(both)).covered).toBe(true);
  expect((await verdict(current)).covered).toBe(false);
});

test('a server that returns few of many addresses is recognised by a common one', async () => {
  let turn = 0;
  const rotating = (host: string, types: ObservedType[]) => {
    turn += 1;
    const addresses = ['192.0.2.1', `192.0.2.${10 + turn}`];
    return asking(addresses.map((address) => inZone(`*.${ZONE}`, 'A', address)))(host, types);
  };
  expect(await observeWildcard(rotating, UNUSED, `shop.${ZONE}`, { name: ZONE, registered: true })).toMatchObject({
    covered: true,
    wildcard: `*.${ZONE}`,
  });
});

test('records put the closest hostname at risk that gets no pointers of its own', () => {
  const at = (host: string, type: DnsRecord['type'] = 'TXT') => ({ host, type, value: 'x', priority: null });
  const risk = (...records: ReturnType<typeof at>[]) => hostnamesAtRisk(records, ZONE);
  const shop = `shop.${ZONE}`;

  expect(risk(at(challengeName(shop)))).toEqual([shop]);
  expect(risk(at(`_acme-challenge.${shop}`), at(`selector._domainkey.${shop}`))).toEqual([shop]);
  expect(risk(at(shop))).toEqual([shop]);
  expect(risk(at(shop, 'CNAME'), at(`track.${shop}`, 'CNAME'))).toEqual([]);
  expect(risk(at(`*.${shop}`, 'CNAME'))).toEqual([shop]);
  expect(risk(at(`a.b.${ZONE}`, 'A'))).toEqual([`b.${ZONE}`]);
  expect(risk(at(ZONE), at(`_dmarc.${ZONE}`), at(`selector._domainkey.${ZONE}`))).toEqual([]);
});

test('pointers of ours replace copies of pointers; mail records stay unless a CNAME comes', () => {
  const name = `shop.${ZONE}`;
  const copies = [
    inZone(name, 'A', '192.0.2.1'),
    inZone(name, 'MX', 'mail.example.net'),
    inZone(`x.${ZONE}`, 'A', '1'),
  ];
  const stay = (...desired: ZoneRecord[]) =>
    remainingCopies(copies, desired).map(({ type, host }) => `${type} ${host}`);

  expect(stay()).toHaveLength(3);
  expect(stay(inZone(name, 'A', '192.0.2.80'))).toEqual([`MX ${name}`, `A x.${ZONE}`]);
  expect(stay(inZone(name, 'CNAME', 'edge.example.net'))).toEqual([`A x.${ZONE}`]);
});

test('names above a name end at its zone', () => {
  expect(namesAbove(`a.b.c.${ZONE}`, ZONE)).toEqual([`b.c.${ZONE}`, `c.${ZONE}`]);
  expect([namesAbove(ZONE, ZONE), namesAbove('a.test', ''), namesAbove('other.test', ZONE)]).toEqual([
    [],
    ['test'],
    [],
  ]);
});
