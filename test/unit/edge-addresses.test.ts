import fc from 'fast-check';
import {
  currentRecords,
  EDGE_POLICIES,
  storedRecords,
  wantedRecords,
  type EdgeTargets,
} from '../../src/domain/connection/edge-addresses.ts';
import { desiredRecords, type TemplateRecord } from '../../src/domain/connection/template.ts';
import { diagnoseRecords } from '../../src/domain/observation/diagnosis.ts';
import type { AliasPath, RecordsObservation, ServerView } from '../../src/domain/observation/observation.ts';
import { judgeRecords, type RecordVerdict, type Verdict } from '../../src/domain/observation/verdict.ts';
import { plainRecord, type DnsRecord } from '../../src/domain/record.ts';

const HOST = 'shop.com';
const APEX = { connectionId: 'id', hostname: HOST, kind: 'apex', domain: HOST, suffix: 'com' } as const;
const POOL = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'];
const UNLISTED = ['198.51.100.1', '198.51.100.2'];

const edgeOf = (ipv4: readonly string[], policy: EdgeTargets['policy'] = 'any'): EdgeTargets => ({
  cnameTarget: 'edge.net',
  ipv4,
  ipv6: [],
  policy,
});
/** The records of a connection that was created while the edge had these addresses. */
const storedAt = (ipv4: readonly string[], template: TemplateRecord[] = []) =>
  storedRecords(desiredRecords(template, APEX, edgeOf(ipv4)), edgeOf(ipv4));

const viewOf = (a: readonly string[], aaaa: readonly string[] = []): ServerView => {
  const answer = (type: 'A' | 'AAAA', values: readonly string[]) => ({
    outcome: 'answered' as const,
    exists: a.length + aaaa.length > 0,
    records: values.map((value) => ({ type, value, priority: null, ttl: 300 })),
    omitted: 0,
    negativeTtl: null,
  });
  const server = { name: 'ns1.shop.com', address: '203.0.113.53', port: 53 };
  return { server, answers: { A: answer('A', a), AAAA: answer('AAAA', aaaa) } };
};
const observed = (servers: ServerView[], resolvers: ServerView[], paths: AliasPath[] = []): RecordsObservation => ({
  hostname: HOST,
  startedAt: '2026-01-01T00:00:00.000Z',
  finishedAt: '2026-01-01T00:00:01.000Z',
  zone: { name: HOST, registered: true, nameservers: ['ns1.shop.com'], unresolved: [], soa: null, dnssec: 'insecure', cause: null }, // prettier-ignore
  names: [{ name: HOST, servers, resolvers, proxy: null }],
  paths,
  doubled: [],
});
const overall = (judged: RecordVerdict[]): Verdict =>
  judged.some(({ verdict }) => verdict === 'mismatch') ? 'mismatch' : 'match';
const errorsIn = (seen: RecordsObservation, wanted: DnsRecord[]) =>
  diagnoseRecords(seen, wanted).filter(({ severity }) => severity === 'error');
const findingsAt = (a: readonly string[], edge: EdgeTargets) =>
  errorsIn(observed([viewOf(a)], []), wantedRecords(storedAt(edge.ipv4), edge)).map(
    ({ code, record }) => `${code} ${record?.value ?? ''}`,
  );

const policy = fc.constantFrom(...EDGE_POLICIES);
const list = fc.subarray(POOL, { minLength: 1 });
const published = fc.subarray([...POOL, ...UNLISTED]);
const isRight = (seen: string[], { ipv4, policy: needed }: EdgeTargets): boolean =>
  needed === 'any'
    ? seen.length > 0 && seen.every((address) => ipv4.includes(address))
    : seen.length === ipv4.length && seen.every((address) => ipv4.includes(address));

test('a set is right with `any` if it is a non-empty subset of the list, with `all` if it is the list', () => {
  fc.assert(
    fc.property(list, policy, fc.array(published, { minLength: 1, maxLength: 3 }), (ipv4, needed, sets) => {
      const edge = edgeOf(ipv4, needed);
      const wanted = wantedRecords(storedAt(ipv4), edge);
      const seen = observed(sets.map((set) => viewOf(set)), []); // prettier-ignore
      const right = sets.every((set) => isRight(set, edge));
      expect(overall(judgeRecords(seen, wanted))).toBe(right ? 'match' : 'mismatch');
      expect(diagnoseRecords(seen, wanted).length > 0).toBe(!right);
    }),
  );
});

test('the list at create does not matter, only the present list', () => {
  fc.assert(
    fc.property(list, list, policy, published, (before, now, needed, set) => {
      const edge = edgeOf(now, needed);
      const judged = judgeRecords(observed([viewOf(set)], []), wantedRecords(storedAt(before), edge));
      expect(judged.map(({ record }) => record.value)).toEqual(now);
      expect(overall(judged)).toBe(isRight(set, edge) ? 'match' : 'mismatch');
    }),
  );
});

test('each record is propagated exactly if its own address is, and a missing one is optional only with `any`', () => {
  fc.assert(
    fc.property(list, policy, published, (ipv4, needed, set) => {
      const edge = edgeOf(ipv4, needed);
      const right = isRight(set, edge);
      const view = viewOf(set);
      const seen = observed([view], right ? [view, view, viewOf([])] : []);
      for (const { record, propagated, optional, settled } of judgeRecords(seen, wantedRecords(storedAt(ipv4), edge))) {
        const isThere = set.includes(record.value);
        expect(settled).toBe(right);
        expect(propagated).toBe(right && isThere);
        expect(optional).toBe(needed === 'any' && !isThere && set.some((address) => ipv4.includes(address)));
      }
    }),
  );
});

test('findings name what is to be added or deleted, and nothing that is not required', () => {
  const [one, two, other] = ['192.0.2.1', '192.0.2.2', '198.51.100.1'];
  const [any, all] = [edgeOf([one, two], 'any'), edgeOf([one, two], 'all')];

  expect(findingsAt([one], any)).toEqual([]);
  expect(findingsAt([one, other], any)).toEqual([`extra_values ${one}`]);
  expect(findingsAt([other], any)).toEqual([`wrong_value ${one}`, `wrong_value ${two}`]);
  expect(findingsAt([], any)).toEqual([`missing ${one}`, `missing ${two}`]);
  expect(findingsAt([one], all)).toEqual([`missing ${two}`]);
  expect(findingsAt([one, other], all)).toEqual([`extra_values ${one}`, `missing ${two}`]);
  expect(findingsAt([one, two], all)).toEqual([]);
});

test('an alias that was flattened in another region is right with `any`', () => {
  const path: AliasPath = { name: 'edge.net', through: [], addresses: ['192.0.2.2'], cause: null };
  const alias = { host: HOST, type: 'ALIAS', value: 'edge.net', ttl: 300, priority: null } as const;
  const verdict = (set: string[], needed: EdgeTargets['policy']) =>
    judgeRecords(
      observed([viewOf(set)], [], [path]),
      wantedRecords([alias], edgeOf(['192.0.2.1', '192.0.2.2'], needed)),
    ).map((judged) => judged.verdict);

  expect(verdict(['192.0.2.1'], 'any')).toEqual(['match']);
  expect(verdict(['192.0.2.1', '198.51.100.1'], 'any')).toEqual(['mismatch']);
  expect(verdict(['192.0.2.1'], 'all')).toEqual(['mismatch']);
  expect(verdict(['192.0.2.2'], 'all')).toEqual(['match']);
});

test('an IPv6 address of the edge is not stale, although only A records are wanted', () => {
  const edge: EdgeTargets = { ...edgeOf(['192.0.2.1']), ipv6: ['2001:DB8::1'] };
  const wanted = wantedRecords(storedAt(['192.0.2.1']), edge);
  const codes = (aaaa: string) => errorsIn(observed([viewOf(['192.0.2.1'], [aaaa])], []), wanted).map(({ code }) => code); // prettier-ignore

  expect(codes('2001:db8::1')).toEqual([]);
  expect(codes('2001:db8::2')).toEqual(['stale_aaaa']);
});

describe('the records that a connection wants', () => {
  const TEMPLATE: TemplateRecord[] = [
    { host: '@', type: 'A', value: '{edge_ipv4}', ttl: 60 },
    { host: '@', type: 'A', value: '203.0.113.7' },
    { host: 'files', type: 'A', value: '203.0.113.8' },
    { host: '_spf', type: 'TXT', value: 'ip4:{edge_ipv4} ip6:{edge_ipv6}' },
  ];
  const shown = (records: DnsRecord[]) =>
    records.map(({ host, type, value, ttl }) => `${host} ${type} ${value} ${ttl}`);

  test('have one record per address where the template has the variable', () => {
    expect(shown(desiredRecords(TEMPLATE, APEX, edgeOf(['192.0.2.1', '192.0.2.2'])))).toEqual([
      'shop.com A 192.0.2.1 60',
      'shop.com A 192.0.2.2 60',
      'shop.com A 203.0.113.7 300',
      'files.shop.com A 203.0.113.8 300',
      '_spf.shop.com TXT ip4:192.0.2.1 ip6: 300',
      '_spf.shop.com TXT ip4:192.0.2.2 ip6: 300',
    ]);
  });

  test("follow the edge's addresses, and keep every other value", () => {
    const stored = storedAt(['192.0.2.1', '192.0.2.2'], TEMPLATE.slice(0, 3));
    const others = ['shop.com A 203.0.113.7 300', 'files.shop.com A 203.0.113.8 300'];

    expect(shown(currentRecords(stored, edgeOf(['192.0.2.3'])))).toEqual(['shop.com A 192.0.2.3 60', ...others]);
    // Without any address there is nothing to follow.
    expect(currentRecords(stored, edgeOf([]))).toEqual(stored.map(plainRecord));
  });

  test('a connection from before the mark follows the list while its address is on it', () => {
    const unmarked = storedAt(['192.0.2.1']).map(plainRecord);
    const values = (ipv4: string[]) => currentRecords(unmarked, edgeOf(ipv4)).map(({ value }) => value);

    expect(values(['192.0.2.2', '192.0.2.1'])).toEqual(['192.0.2.2', '192.0.2.1']);
    expect(values(['192.0.2.2'])).toEqual(['192.0.2.1']);
  });

  test('a literal value next to the addresses stays required', () => {
    const edge = edgeOf(['192.0.2.1', '192.0.2.2']);
    const wanted = wantedRecords(storedAt(edge.ipv4, TEMPLATE.slice(0, 2)), edge);
    const verdict = (set: string[]) => overall(judgeRecords(observed([viewOf(set)], []), wanted));

    expect(verdict(['192.0.2.1', '203.0.113.7'])).toBe('match');
    expect(verdict(['192.0.2.1'])).toBe('mismatch');
    expect(verdict(['203.0.113.7'])).toBe('mismatch');
  });
});
