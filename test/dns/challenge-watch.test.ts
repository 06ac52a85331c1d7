import { createChallengeWatch, type ChallengeWatch } from '../../src/dns/challenge-watch.ts';
import { createObserver } from '../../src/dns/observer.ts';
import { challengeName } from '../../src/domain/connection/challenge.ts';
import type { Subject } from '../../src/domain/observation/check.ts';
import type { Observer } from '../../src/domain/observation/observer.ts';
import { startInternetLab, type InternetLab } from '../support/fixtures/internet-lab.ts';

const TOKEN = 'd2F0Y2hlZC10b2tlbg';
const LONG_MS = 60_000;

let internet: InternetLab;
let observer: Observer;
let watch: ChallengeWatch;
const never = new AbortController().signal;

beforeAll(async () => {
  internet = await startInternetLab([], { counted: true });
  const { env, port } = internet;
  observer = createObserver({ resolvers: [env['DNS_RESOLVERS'] ?? ''], authoritativePort: port, allowPrivate: true });
});
beforeEach(() => (watch = createChallengeWatch(observer, 4)));
afterEach(() => watch.stop());
afterAll(async () => {
  await observer.close();
  await internet.stop();
});

const subjectOf = (zone: string, tenantId = 'tenant'): Subject => ({
  tenantId,
  hostname: `shop.${zone}`,
  challenge: { name: challengeName(`shop.${zone}`), value: TOKEN },
  desiredRecords: [],
  liveAt: null,
  nameservers: null,
});

/** Returns a hostname that a check has found without its challenge. */
async function checked(tenantId?: string) {
  const zone = await internet.domain();
  const subject = subjectOf(zone, tenantId);
  await observer.observeChallenge(subject.hostname, subject.challenge);
  return { zone, subject };
}

test('a watch sees a published challenge, and asks nothing but the challenge, at name servers only', async () => {
  const { zone, subject } = await checked();
  const { authoritative, resolver } = internet.questions!;
  for (const counter of [authoritative, resolver]) counter.reset();
  const seen = watch.await(subject, LONG_MS, never);
  await internet.powerdns.set(zone, subject.challenge.name, 'TXT', `"${TOKEN}"`);
  expect(await seen).toBe(true);
  expect(authoritative.counts()).toMatchObject([{ type: 'TXT', name: subject.challenge.name }]);
  expect(resolver.counts()).toEqual([]);
});

test('another value is no sighting', async () => {
  const { zone, subject } = await checked();
  await internet.powerdns.set(zone, subject.challenge.name, 'TXT', '"another"');
  expect(await watch.await(subject, 2_500, never)).toBe(false);
});

test('a zone that no check has found is not searched', async () => {
  const { authoritative, resolver } = internet.questions!;
  const subject = subjectOf(await internet.domain());
  for (const counter of [authoritative, resolver]) counter.reset();
  expect(await watch.await(subject, LONG_MS, never)).toBe(false);
  expect([...authoritative.counts(), ...resolver.counts()]).toEqual([]);
});

test('a tenant gets half of the watches, and another tenant the rest', async () => {
  const { subject } = await checked();
  const { subject: other } = await checked('another');
  const open = [1, 2].map(() => watch.await(subject, LONG_MS, never));
  const refused = await watch.await(subject, LONG_MS, never);
  const others = watch.await(other, LONG_MS, never);
  const race = await Promise.race([others, new Promise((done) => setTimeout(done, 1_500, 'watches'))]);
  await watch.stop();
  expect(refused).toBe(false);
  expect(race).toBe('watches');
  expect(await Promise.all([...open, others])).toEqual([false, false, false]);
});

test('the end of a check ends its watch', async () => {
  const { subject } = await checked();
  const ending = new AbortController();
  const seen = watch.await(subject, LONG_MS, ending.signal);
  ending.abort();
  expect(await seen).toBe(false);
});
