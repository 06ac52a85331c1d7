import fc from 'fast-check';
import { judgeCaa } from '../../src/domain/observation/caa.ts';
import { diagnoseChallenge, diagnoseRecords } from '../../src/domain/observation/diagnosis.ts';
import { FINDING_CODES } from '../../src/domain/observation/finding.ts';
import { judgeChallenge, judgeRecords, quorum } from '../../src/domain/observation/verdict.ts';
import { UNKNOWN_WILDCARD } from '../../src/domain/observation/wildcard.ts';
import type {
  Answer,
  CaaRecord,
  ChallengeObservation,
  DelegationObservation,
  NameObservation,
  RecordsObservation,
  ObservedType,
  ServerView,
  UnknownCause,
  ZoneObservation,
} from '../../src/domain/observation/observation.ts';
import { RECORD_TYPES, type DnsRecord } from '../../src/domain/record.ts';

const HOST = 'shop.example.net';
const CHALLENGE = { name: `_service-challenge.${HOST}`, value: 'token' };
const SEEN_TYPES: ObservedType[] = ['A', 'AAAA', 'CNAME', 'TXT', 'MX', 'CAA', 'NS', 'SRV'];

const cause = fc.constantFrom<UnknownCause>(
  'timeout',
  'servfail',
  'refused',
  'lame',
  'truncated',
  'unreachable',
  'bogus',
);
const unknown = cause.map((why): Answer => ({ outcome: 'unknown', cause: why }));
const value = fc.constantFrom(
  'token',
  '"token"',
  'other',
  '192.0.2.1',
  '2001:db8::1',
  'edge.example.net',
  'x.example.net',
);
const seenRecord = (type: ObservedType) =>
  fc.record({
    type: fc.constantFrom<ObservedType>(type, type, 'CNAME'),
    value,
    priority: fc.constantFrom(null, 10),
    ttl: fc.nat(86_400),
  });
const answerTo = (type: ObservedType) =>
  fc.record({
    outcome: fc.constant('answered' as const),
    exists: fc.boolean(),
    records: fc.array(seenRecord(type), { maxLength: 3 }),
    omitted: fc.constant(0),
    negativeTtl: fc.option(fc.nat(3_600)),
  });
const answers = (answer: (type: ObservedType) => fc.Arbitrary<Answer>) =>
  fc.record(
    Object.fromEntries(SEEN_TYPES.map((type) => [type, answer(type)])) as Record<ObservedType, fc.Arbitrary<Answer>>,
    { requiredKeys: [] },
  );
const server = fc.nat(9).map((i) => ({ name: `ns${i}.example.net`, address: `192.0.2.${i}`, port: 53 }));
const anyView: fc.Arbitrary<ServerView> = fc.record({
  server,
  answers: answers((type) => fc.oneof(unknown, answerTo(type))),
});
const silentView: fc.Arbitrary<ServerView> = fc.record({ server, answers: answers(() => unknown) });

const zone: ZoneObservation = {
  name: 'example.net',
  registered: true,
  nameservers: ['ns1.example.net'],
  unresolved: [],
  soa: null,
  dnssec: 'insecure',
  cause: null,
};
const check = { hostname: HOST, startedAt: '2026-01-01T00:00:00.000Z', finishedAt: '2026-01-01T00:00:01.000Z', zone };
const nameObservation = (name: string, servers: ServerView[], resolvers: ServerView[] = []): NameObservation => ({
  name,
  servers,
  resolvers,
  proxy: null,
});
const agreed: DelegationObservation = {
  domain: 'example.net',
  nameservers: ['ns1.example.net'],
  resolved: [],
  resolvers: [
    {
      resolver: { name: null, address: '198.51.100.1', port: 53 },
      nameservers: ['ns1.example.net'],
      addresses: [],
    },
  ],
};
const challengeSeen = (servers: ServerView[]): ChallengeObservation => ({
  ...check,
  challenge: nameObservation(CHALLENGE.name, servers),
  bareHost: null,
  doubled: null,
  delegation: agreed,
  wildcard: UNKNOWN_WILDCARD,
});
const recordsSeen = (servers: ServerView[], resolvers: ServerView[] = []): RecordsObservation => ({
  ...check,
  names: [nameObservation(HOST, servers, resolvers)],
  doubled: [],
  paths: [{ name: 'edge.example.net', through: [], addresses: ['192.0.2.1'], cause: null }],
});

const wantedRecord: fc.Arbitrary<DnsRecord> = fc.record({
  host: fc.constant(HOST),
  type: fc.constantFrom(...RECORD_TYPES),
  value,
  ttl: fc.constant(300),
  priority: fc.constantFrom(null, 10),
});
const views = (view: fc.Arbitrary<ServerView>) => fc.array(view, { maxLength: 4 });

test('a server that could not be asked never causes a mismatch', () => {
  fc.assert(
    fc.property(views(silentView), fc.array(wantedRecord), (servers, wanted) => {
      expect(judgeChallenge(challengeSeen(servers), CHALLENGE).verdict).toBe('unknown');
      for (const { verdict } of judgeRecords(recordsSeen(servers), wanted)) expect(verdict).toBe('unknown');
    }),
  );
});

test('a server that could not be asked does not change the verdict of the others', () => {
  fc.assert(
    fc.property(views(anyView), silentView, fc.array(wantedRecord), (servers, silent, wanted) => {
      const verdicts = (all: ServerView[]) => [
        judgeChallenge(challengeSeen(all), CHALLENGE).verdict,
        ...judgeRecords(recordsSeen(all), wanted).map(({ verdict }) => verdict),
      ];
      expect(verdicts([...servers, silent])).toEqual(verdicts(servers));
    }),
  );
});

test('the order of servers does not matter', () => {
  fc.assert(
    fc.property(views(anyView), fc.array(wantedRecord), (servers, wanted) => {
      const verdicts = (all: ServerView[]) => judgeRecords(recordsSeen(all), wanted).map(({ verdict }) => verdict);
      expect(verdicts(servers.toReversed())).toEqual(verdicts(servers));
    }),
  );
});

test('a match needs the exact token on every server that answered', () => {
  fc.assert(
    fc.property(views(anyView), (servers) => {
      const answered = servers.flatMap(({ answers: { TXT } }) => (TXT?.outcome === 'answered' ? [TXT] : []));
      const all = answered.every(({ records }) => records.some((r) => r.type === 'TXT' && r.value === CHALLENGE.value));
      const matches = judgeChallenge(challengeSeen(servers), CHALLENGE).verdict === 'match';
      expect(matches).toBe(answered.length > 0 && all);
    }),
  );
});

test('a record counts as propagated only if the authoritative servers match and a resolver was asked', () => {
  fc.assert(
    fc.property(views(anyView), views(anyView), fc.array(wantedRecord), (servers, resolvers, wanted) => {
      for (const { verdict, propagated } of judgeRecords(recordsSeen(servers, resolvers), wanted))
        if (propagated) expect([verdict, resolvers.length > 0]).toEqual(['match', true]);
    }),
  );
});

test('two of three resolvers are enough; with fewer than three, all must agree', () => {
  expect([1, 2, 3, 4, 5, 6].map(quorum)).toEqual([1, 2, 2, 3, 4, 4]);
});

test('every mismatch has a finding with a message and the record that fixes it', () => {
  fc.assert(
    fc.property(views(anyView), fc.array(wantedRecord, { minLength: 1 }), (servers, wanted) => {
      const observation = recordsSeen(servers);
      const findings = diagnoseRecords(observation, wanted);
      for (const { verdict, record } of judgeRecords(observation, wanted))
        if (verdict === 'mismatch') expect(findings.map((finding) => finding.record)).toContainEqual(record);
      for (const { code, message, fix, severity } of findings) {
        expect(FINDING_CODES).toContain(code);
        expect(message).toMatch(/^[^]+\.$/);
        if (severity === 'error') expect(fix).toBeTruthy();
      }
    }),
  );
});

test('the challenge has a finding exactly when it is missing', () => {
  fc.assert(
    fc.property(views(anyView), (servers) => {
      const observation = challengeSeen(servers);
      const reasons = diagnoseChallenge(observation, CHALLENGE).filter(({ record }) => record !== undefined);
      expect(reasons.length).toBe(judgeChallenge(observation, CHALLENGE).verdict === 'mismatch' ? 1 : 0);
    }),
  );
});

test('verdicts and findings survive JSON serialization', () => {
  fc.assert(
    fc.property(views(anyView), fc.array(wantedRecord), (servers, wanted) => {
      const observation = recordsSeen(servers);
      const stored = JSON.parse(JSON.stringify(observation)) as RecordsObservation;
      expect(judgeRecords(stored, wanted)).toEqual(judgeRecords(observation, wanted));
      expect(diagnoseRecords(stored, wanted)).toEqual(diagnoseRecords(observation, wanted));
    }),
  );
});

describe('CAA', () => {
  const OWN = { identities: ['letsencrypt.org'] };
  const judge = (records: CaaRecord[]) =>
    judgeCaa({ hostname: HOST, outcome: 'found', at: HOST, records, cause: null }, 'edge', OWN).verdict;
  const issue = (value: string): CaaRecord => ({ critical: false, tag: 'issue', value });

  test.each<[string, CaaRecord[], string]>([
    ['our CA is allowed', [issue('letsencrypt.org')], 'allowed'],
    ['our CA with parameters is allowed', [issue(' LetsEncrypt.org ; validationmethods=http-01')], 'allowed'],
    ['our CA next to another is allowed', [issue('digicert.com'), issue('letsencrypt.org')], 'allowed'],
    ['another CA is blocked', [issue('digicert.com')], 'blocked'],
    ['a name that only contains our CA is blocked', [issue('letsencrypt.org.evil.example')], 'blocked'],
    ['an empty issuer list is blocked', [issue(';')], 'blocked'],
    ['a restriction of wildcards only is allowed', [{ critical: false, tag: 'issuewild', value: ';' }], 'allowed'],
    [
      'an unknown critical tag is blocked',
      [issue('letsencrypt.org'), { critical: true, tag: 'tbs', value: 'x' }],
      'blocked',
    ],
  ])('%s', (_, records, verdict) => {
    expect(judge(records)).toBe(verdict);
  });

  test('a failed lookup blocks nothing', () => {
    const caa = { hostname: HOST, outcome: 'unknown', at: null, records: [], cause: 'timeout' } as const;
    expect(judgeCaa({ ...caa, records: [] }, 'edge', OWN)).toEqual({ verdict: 'unknown', property: null });
  });
});
