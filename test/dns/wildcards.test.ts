import { challengeName } from '../../src/domain/connection/challenge.ts';
import { judgeCaa } from '../../src/domain/observation/caa.ts';
import { diagnoseCaa } from '../../src/domain/observation/caa-findings.ts';
import { diagnoseChallenge, diagnoseRecords } from '../../src/domain/observation/diagnosis.ts';
import { judgeChallenge, judgeRecords } from '../../src/domain/observation/verdict.ts';
import { EDGE, startDnsLab, wantedRecord, type DnsLab } from '../support/fixtures/dns-lab.ts';

const TOKEN = 'b3duZXJzaGlwLXRva2VuLW9mLTMyLWJ5dGVz';
const OTHER = 'elsewhere.saas.test';

let lab: DnsLab;
beforeAll(async () => (lab = await startDnsLab()));
afterAll(() => lab.stop());

/** Returns a new domain whose absent names resolvers remember for an hour, and the record that its wildcard wants. */
async function wildcard() {
  const domain = await lab.domain({ negativeTtl: 3_600 });
  return { domain, hostname: `*.${domain}`, wanted: [wantedRecord(`*.${domain}`, 'CNAME', EDGE.target)] };
}
const verdictsOf = async (hostname: string, wanted: Awaited<ReturnType<typeof wildcard>>['wanted']) =>
  judgeRecords(await lab.observer.observeRecords(hostname, wanted), wanted);

test('a wildcard propagates at the next check although earlier checks failed, because each asks for a new label', async () => {
  const { domain, hostname, wanted } = await wildcard();
  for (let check = 0; check < 2; check++) {
    const seen = await lab.observer.observeRecords(hostname, wanted);
    expect(judgeRecords(seen, wanted)).toMatchObject([{ verdict: 'mismatch', propagated: false, observedValue: null }]);
    expect(diagnoseRecords(seen, wanted)).toMatchObject([
      { code: 'missing', fix: `Add CNAME ${EDGE.target} at ${hostname}.` },
    ]);
  }
  await lab.powerdns.set(domain, hostname, 'CNAME', `${EDGE.target}.`);
  const found = { verdict: 'match', propagated: true, observedValue: EDGE.target };
  expect(await verdictsOf(hostname, wanted)).toMatchObject([found]);
});

test('a wildcard that moves elsewhere is a mismatch immediately, and single labels of the customer do not matter', async () => {
  const { domain, hostname, wanted } = await wildcard();
  await lab.powerdns.set(domain, hostname, 'CNAME', `${EDGE.target}.`);
  await lab.powerdns.set(domain, `mail.${domain}`, 'A', '192.0.2.25');
  await lab.powerdns.set(domain, domain, 'A', '192.0.2.1');
  expect(await verdictsOf(hostname, wanted)).toMatchObject([{ verdict: 'match', propagated: true }]);
  await lab.powerdns.set(domain, hostname, 'CNAME', `${OTHER}.`);
  expect(await verdictsOf(hostname, wanted)).toMatchObject([{ verdict: 'mismatch', observedValue: OTHER }]);
});

test('a resolver that still has the wildcard’s previous target does not delay the new one', async () => {
  const { domain, hostname, wanted } = await wildcard();
  await lab.powerdns.set(domain, hostname, 'CNAME', `${EDGE.target}.`);
  expect(await verdictsOf(hostname, wanted)).toMatchObject([{ propagated: true }]);
  await lab.powerdns.set(domain, hostname, 'CNAME', `${OTHER}.`);
  expect(await verdictsOf(hostname, [wantedRecord(hostname, 'CNAME', OTHER)])).toMatchObject([{ propagated: true }]);
});

test('a wildcard can have addresses instead of an alias', async () => {
  const { domain, hostname } = await wildcard();
  const wanted = [wantedRecord(hostname, 'A', EDGE.ipv4), wantedRecord(hostname, 'AAAA', EDGE.ipv6)];
  await lab.powerdns.set(domain, hostname, 'A', EDGE.ipv4);
  await lab.powerdns.set(domain, hostname, 'AAAA', EDGE.ipv6);
  expect(await verdictsOf(hostname, wanted)).toMatchObject(wanted.map(() => ({ verdict: 'match', propagated: true })));
});

test('a wildcard is proved at its domain, also while the wildcard record answers for the missing challenge', async () => {
  const { domain, hostname } = await wildcard();
  const challenge = { name: challengeName(hostname), value: TOKEN };
  expect(challenge.name).toBe(`_service-challenge.${domain}`);
  const observe = () => lab.observer.observeChallenge(hostname, challenge);

  await lab.powerdns.set(domain, domain, 'TXT', `"${TOKEN}"`);
  const misplaced = await observe();
  expect(judgeChallenge(misplaced, challenge).verdict).toBe('mismatch');
  expect(diagnoseChallenge(misplaced, challenge)).toMatchObject([
    { code: 'challenge_at_bare_host', params: { found: domain, host: challenge.name } },
  ]);
  await lab.powerdns.set(domain, hostname, 'CNAME', `${EDGE.target}.`);
  expect(diagnoseChallenge(await observe(), challenge)).toMatchObject([{ code: 'challenge_is_cname' }]);
  await lab.powerdns.set(domain, challenge.name, 'TXT', `"${TOKEN}"`);
  expect(judgeChallenge(await observe(), challenge)).toMatchObject({ verdict: 'match' });
});

test('records in the way of a wildcard are reported at the wildcard itself', async () => {
  const { domain, hostname, wanted } = await wildcard();
  await lab.powerdns.set(domain, hostname, 'A', '192.0.2.7');
  await lab.powerdns.set(domain, `shop.${domain}`, 'A', '192.0.2.8');
  const { conflicts, kind, zone } = await lab.observer.observeDomain(hostname, wanted);
  expect([kind, zone.name]).toEqual(['subdomain', domain]);
  expect(conflicts).toMatchObject([{ host: hostname, type: 'A', value: '192.0.2.7' }]);
});

test('for a wildcard, the issuewild records of its domain count, and issue records only without them', async () => {
  const { domain, hostname } = await wildcard();
  const identities = ['letsencrypt.org'];
  const judged = async (...records: string[]) => {
    await lab.powerdns.set(domain, domain, 'CAA', ...records);
    const caa = await lab.observer.caa(hostname);
    const single = judgeCaa({ ...caa, hostname: `shop.${domain}` }, 'edge', { identities }).verdict;
    const { verdict } = judgeCaa(caa, 'ordered', { identities });
    return [verdict, single, diagnoseCaa(caa, 'ordered', { identities })[0]?.record?.value];
  };
  expect(await judged('0 issue "letsencrypt.org"')).toEqual(['allowed', 'allowed', undefined]);
  expect(await judged('0 issue "letsencrypt.org"', '0 issuewild ";"')).toEqual([
    'blocked',
    'allowed',
    '0 issuewild "letsencrypt.org"',
  ]);
  expect(await judged('0 issue ";"', '0 issuewild "letsencrypt.org"')).toEqual(['allowed', 'blocked', undefined]);
  expect(await judged('0 issue ";"')).toEqual(['blocked', 'blocked', '0 issue "letsencrypt.org"']);
});
