import { createObserver } from '../../src/dns/observer.ts';
import { challengeName } from '../../src/domain/connection/challenge.ts';
import { judgeChallenge, judgeRecords } from '../../src/domain/observation/verdict.ts';
import { startLyingServer, type LyingServer } from '../support/doubles/lying-server.ts';
import { wantedRecord } from '../support/fixtures/dns-lab.ts';
import { freeDnsPort, loopbackAddresses } from '../support/fixtures/dns-port.ts';
import { EDGE_TARGET, startInternetLab, type InternetLab } from '../support/fixtures/internet-lab.ts';
import { askOnce } from '../support/dns-ask.ts';

const TOKEN = 'c2hhcmVkLXpvbmUtdG9rZW4';
const SECOND = 1_000;

let internet: InternetLab;
let liar: LyingServer;
beforeAll(async () => {
  internet = await startInternetLab([], { counted: true });
  const [address = ''] = loopbackAddresses(1);
  liar = await startLyingServer(address, await freeDnsPort([address]));
});
afterAll(async () => {
  await liar.stop();
  await internet.stop();
});

/** An observer whose clock moves only when the test moves it. */
function startObserver(resolvers = [internet.env['DNS_RESOLVERS'] ?? '']) {
  const clock = { now: 0 };
  const options = { resolvers, authoritativePort: internet.port, allowPrivate: true };
  return { clock, observer: createObserver(options, { clock: () => clock.now }) };
}

type Observer = ReturnType<typeof startObserver>['observer'];

const challengeOf = (hostname: string) => ({ name: challengeName(hostname), value: TOKEN });

async function prove(observer: Observer, hostname: string) {
  const seen = await observer.observeChallenge(hostname, challengeOf(hostname));
  return { seen, verdict: judgeChallenge(seen, challengeOf(hostname)).verdict };
}

const publish = (zone: string, label: string) =>
  internet.powerdns.set(zone, challengeName(`${label}.${zone}`), 'TXT', `"${TOKEN}"`);

/** Returns the questions that the service sent meanwhile. */
async function questionsOf(run: () => Promise<unknown>) {
  const { authoritative, resolver } = internet.questions!;
  for (const counter of [authoritative, resolver]) counter.reset();
  await run();
  const list = (counter: typeof resolver) =>
    counter.counts().map(({ type, name, count }) => `${count} ${type} ${name}`);
  return { authoritative: list(authoritative).sort(), resolver: list(resolver).sort() };
}

test('a further hostname shares zone cut, SOA, DNSSEC and delegation, and has its own challenge asked', async () => {
  const zone = await internet.domain({ signed: true });
  const { observer } = startObserver();
  for (const label of ['first', 'second']) await publish(zone, label);
  const first = await prove(observer, `first.${zone}`);
  const questions = await questionsOf(async () => {
    const { seen, verdict } = await prove(observer, `second.${zone}`);
    expect(verdict).toBe('match');
    expect(seen).toMatchObject({ zone: first.seen.zone, delegation: first.seen.delegation });
  });
  await observer.close();
  expect(first.seen.zone.dnssec).toBe('secure');
  expect(questions).toEqual({
    authoritative: [`1 SOA second.${zone}`, `1 TXT ${challengeName(`second.${zone}`)}`],
    resolver: [],
  });
});

test('hostnames of a zone that are checked at the same time share one lookup of the zone', async () => {
  const zone = await internet.domain();
  const { observer } = startObserver();
  const labels = Array.from({ length: 8 }, (_, i) => `name-${i}`);
  for (const label of labels) await publish(zone, label);
  const questions = await questionsOf(async () => {
    const proofs = await Promise.all(labels.map((label) => prove(observer, `${label}.${zone}`)));
    expect(proofs.map(({ verdict }) => verdict)).toEqual(labels.map(() => 'match'));
  });
  await observer.close();
  // The search for the zone asks once, and the confirmation of the delegation once more.
  expect(questions.resolver).toEqual([`2 A ns1.dns-host.com`, `2 NS ${zone}`]);
  expect(questions.authoritative).toContain(`1 SOA ${zone}`);
});

test('a changed NS set is seen after half a minute', async () => {
  const zone = await internet.domain();
  const { clock, observer } = startObserver();
  await prove(observer, `a.${zone}`);
  for (const at of ['com', zone]) await internet.powerdns.set(at, zone, 'NS', 'ns1.dns-host.com.', 'ns2.dns-host.com.');
  await internet.recursor.flush(zone);
  clock.now += 29 * SECOND;
  const before = await prove(observer, `b.${zone}`);
  clock.now += SECOND;
  const after = await Promise.all(['a', 'b', 'c'].map((label) => prove(observer, `${label}.${zone}`)));
  await observer.close();
  expect(before.seen.zone.nameservers).toEqual(['ns1.dns-host.com']);
  for (const { seen } of after) expect(seen.zone.nameservers).toEqual(['ns1.dns-host.com', 'ns2.dns-host.com']);
});

describe('with a second resolver', () => {
  let zone: string;
  let observer: Observer;
  let clock: { now: number };
  beforeEach(async () => {
    zone = await internet.domain();
    for (const label of ['first', 'second']) await publish(zone, label);
    const honest = internet.env['DNS_RESOLVERS'] ?? '';
    ({ clock, observer } = startObserver([honest, `${liar.address}:${liar.port}`]));
  });
  afterEach(() => observer.close());

  const lying = () =>
    liar.answerWith(({ name, type }) =>
      type === 'NS' ? { answers: [{ type, name, ttl: 60, data: 'ns1.attacker.com' }] } : { answers: [] },
    );
  /** Forwards what the recursor answers. */
  const honest = async () => {
    const address = await askOnce(internet.recursor, { name: 'ns1.dns-host.com', type: 'A', recursion: true });
    const data = address.ok ? (address.message.answers[0]?.value ?? '') : '';
    liar.answerWith(({ name, type }) => ({
      answers: [type === 'NS' ? { type, name, ttl: 60, data: 'ns1.dns-host.com' } : { type: 'A', name, ttl: 60, data }],
    }));
  };

  test('a resolver that disagrees blocks the proof of every hostname, and its agreement is seen immediately', async () => {
    lying();
    expect((await prove(observer, `first.${zone}`)).verdict).toBe('unknown');
    expect((await prove(observer, `second.${zone}`)).verdict).toBe('unknown');
    await honest();
    expect((await prove(observer, `second.${zone}`)).verdict).toBe('match');
  });

  test('an agreement that is ten seconds old proves nothing', async () => {
    await honest();
    expect((await prove(observer, `first.${zone}`)).verdict).toBe('match');
    lying();
    clock.now += 10 * SECOND;
    expect((await prove(observer, `second.${zone}`)).verdict).toBe('unknown');
  });
});

test('a CNAME is found with one question at each server, and a step after the check needs none', async () => {
  const zone = await internet.domain();
  const hostname = `shop.${zone}`;
  const { clock, observer } = startObserver();
  const wanted = [wantedRecord(hostname, 'CNAME', EDGE_TARGET)];
  const verdicts = async (recent: boolean) =>
    judgeRecords(await observer.observeRecords(hostname, wanted, undefined, { recent }), wanted)[0]?.verdict;
  await internet.powerdns.set(zone, hostname, 'CNAME', `${EDGE_TARGET}.`);
  await prove(observer, hostname);
  const first = await questionsOf(async () => expect(await verdicts(false)).toBe('match'));
  expect(first).toEqual({ authoritative: [`1 A ${hostname}`], resolver: [`1 A ${hostname}`] });
  const next = await questionsOf(async () => expect(await verdicts(true)).toBe('match'));
  expect(next).toEqual({ authoritative: [], resolver: [] });

  await internet.powerdns.set(zone, hostname, 'CNAME');
  expect(await verdicts(true)).toBe('match');
  clock.now += 10 * SECOND;
  expect(await verdicts(true)).toBe('mismatch');
  await observer.close();
});

test('records that are no longer right are not taken from an earlier check', async () => {
  const zone = await internet.domain();
  const hostname = `shop.${zone}`;
  const { observer } = startObserver();
  const wanted = [wantedRecord(hostname, 'A', '192.0.2.80')];
  const verdict = async (recent: boolean) =>
    judgeRecords(await observer.observeRecords(hostname, wanted, undefined, { recent }), wanted)[0]?.verdict;
  await internet.powerdns.set(zone, hostname, 'A', '192.0.2.80');
  expect(await verdict(false)).toBe('match');
  await internet.powerdns.set(zone, hostname, 'A', '192.0.2.81');
  expect(await verdict(false)).toBe('mismatch');
  expect(await verdict(true)).toBe('mismatch');
  await observer.close();
});

test('CAA records and DNSSEC are asked anew before every order', async () => {
  const { observer } = startObserver();
  const signed = await internet.domain({ signed: true });
  expect(await observer.dnssec(`first.${signed}`)).toBe('secure');
  expect(await observer.caa(`first.${signed}`)).toMatchObject({ outcome: 'none' });
  const questions = await questionsOf(async () => {
    await Promise.all([observer.dnssec(`second.${signed}`), observer.caa(`second.${signed}`)]);
  });
  expect(questions.authoritative).toEqual(expect.arrayContaining([`1 CAA second.${signed}`, `1 CAA ${signed}`]));
  expect(questions.resolver).toContain(`1 NS ${signed}`);

  const restricted = await internet.domain();
  await internet.powerdns.set(restricted, restricted, 'CAA', '0 issue "ca.test"');
  expect(await observer.caa(`first.${restricted}`)).toMatchObject({ outcome: 'found' });
  await internet.powerdns.set(restricted, restricted, 'CAA');
  expect(await observer.caa(`first.${restricted}`)).toMatchObject({ outcome: 'none' });
  await observer.close();
});
