import { challengeName } from '../../src/domain/connection/challenge.ts';
import { judgeChallenge, judgeRecords } from '../../src/domain/observation/verdict.ts';
import { askOnce } from '../support/dns-ask.ts';
import { EDGE, startDnsLab, wantedRecord, type DnsLab } from '../support/fixtures/dns-lab.ts';

/**
 * The zone lets resolvers cache the absence of a name for an hour, so an early query delays a customer by that time.
 */
const HOUR = 3_600;
const TOKEN = 'b3duZXJzaGlwLXRva2VuLW9mLTMyLWJ5dGVz';

let lab: DnsLab;
beforeAll(async () => (lab = await startDnsLab()));
afterAll(() => lab.stop());

test('the lab reproduces the problem: a resolver that is asked too early caches the absence', async () => {
  const domain = await lab.domain({ negativeTtl: HOUR });
  const question = { name: `early.${domain}`, type: 'TXT', recursion: true } as const;
  await askOnce(lab.recursor, question);
  await lab.powerdns.set(domain, question.name, 'TXT', '"here now"');
  const reply = await askOnce(lab.recursor, question);
  expect(reply).toMatchObject({ ok: true, message: { rcode: 3, answers: [] } });
});

test('a challenge published after the first check is seen at the next, and the resolver never sees its name', async () => {
  const domain = await lab.domain({ negativeTtl: HOUR });
  const hostname = `shop.${domain}`;
  const challenge = { name: challengeName(hostname), value: TOKEN };

  const first = await lab.observer.observeChallenge(hostname, challenge);
  expect(judgeChallenge(first, challenge)).toEqual({ verdict: 'mismatch', outcome: 'missing', observed: [] });

  await lab.powerdns.set(domain, challenge.name, 'TXT', `"${TOKEN}"`);
  const second = await lab.observer.observeChallenge(hostname, challenge);
  expect(judgeChallenge(second, challenge).verdict).toBe('match');

  const fresh = await askOnce(lab.recursor, { name: challenge.name, type: 'TXT', recursion: true });
  expect(fresh).toMatchObject({ ok: true, message: { answers: [{ value: TOKEN }] } });
});

test('records published after the domain check, the CAA check and failed checks propagate at the next check', async () => {
  const domain = await lab.domain({ negativeTtl: HOUR });
  const hostname = `shop.${domain}`;
  const wanted = [wantedRecord(hostname, 'CNAME', EDGE.target)];

  await lab.observer.observeDomain(hostname, wanted);
  await lab.observer.caa(hostname);
  await lab.observer.dnssec(hostname);
  const before = await lab.observer.observeRecords(hostname, wanted);
  expect(judgeRecords(before, wanted)).toMatchObject([{ verdict: 'mismatch', propagated: false, observedValue: null }]);

  await lab.powerdns.set(domain, hostname, 'CNAME', `${EDGE.target}.`);
  const after = await lab.observer.observeRecords(hostname, wanted);
  expect(judgeRecords(after, wanted)).toMatchObject([
    { verdict: 'match', propagated: true, observedValue: EDGE.target },
  ]);
});

test('a domain registered after the first check is seen immediately, although the resolver still denies it', async () => {
  const hostname = `shop.late-${crypto.randomUUID().slice(0, 8)}.test`;
  const domain = hostname.slice('shop.'.length);
  const challenge = { name: challengeName(hostname), value: TOKEN };
  const first = await lab.observer.observeChallenge(hostname, challenge);
  expect(first.zone).toMatchObject({ registered: false });

  await lab.powerdns.zone(domain, ['ns1.lab.test']);
  await lab.powerdns.set(domain, challenge.name, 'TXT', `"${TOKEN}"`);
  const second = await lab.observer.observeChallenge(hostname, challenge);
  expect(second.zone).toMatchObject({ registered: true, name: domain });
  expect(judgeChallenge(second, challenge).verdict).toBe('match');
});
