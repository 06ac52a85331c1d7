import { RCODE } from '../../src/dns/message.ts';
import { createObserver } from '../../src/dns/observer.ts';
import type { Observer } from '../../src/domain/observation/observer.ts';
import { diagnoseChallenge, diagnoseRecords } from '../../src/domain/observation/diagnosis.ts';
import { judgeChallenge, judgeRecords } from '../../src/domain/observation/verdict.ts';
import type { Answer } from 'dns-packet';
import { wantedRecord } from '../support/fixtures/dns-lab.ts';
import { freeDnsPort, loopbackAddresses } from '../support/fixtures/dns-port.ts';
import { nodata, nxdomain, soa } from '../support/doubles/lies.ts';
import {
  startLyingServer,
  type Asked,
  type Lie,
  type LyingServer,
  type Story,
} from '../support/doubles/lying-server.ts';

/** A domain with four name servers and three resolvers, which answer as the test scripts them. */
const TOKEN = 'c2NyaXB0ZWQtdG9rZW4';
const HOSTNAME = 'shop.customer.test';
const CHALLENGE = { name: `_service-challenge.${HOSTNAME}`, value: TOKEN };

const AUTHORITIES = loopbackAddresses(4);
const RESOLVERS = loopbackAddresses(3);

let authorities: LyingServer[];
let resolvers: LyingServer[];
let observer: Observer;

const txt = (name: string, value: string): Lie => ({ answers: [{ type: 'TXT', name, ttl: 60, data: value }] });
const token: Lie = txt(CHALLENGE.name, TOKEN);

/** Knows the delegation and the addresses of the name servers. Other questions get the scripted answer. */
const delegation =
  (rest: Story = () => ({ rcode: RCODE.SERVFAIL }), addresses = AUTHORITIES): Story =>
  (asked) => {
    const index = addresses.findIndex((_, i) => asked.name === `ns${i}.customer.test`);
    const address = addresses[index];
    if (address !== undefined)
      return asked.type === 'A' ? { answers: [{ type: 'A', name: asked.name, ttl: 60, data: address }] } : {};
    if (asked.type === 'NS' && asked.name === 'customer.test')
      return {
        answers: addresses.map((_, i) => ({ type: 'NS', name: asked.name, ttl: 60, data: `ns${i}.customer.test` })),
      };
    return rest(asked);
  };

/** The parent zone declares the domain signed. */
const signed =
  (story: Story): Story =>
  (asked) =>
    asked.type === 'DS' && asked.name === 'customer.test'
      ? {
          answers: [
            {
              type: 'DS',
              name: asked.name,
              ttl: 60,
              data: { keyTag: 1, algorithm: 13, digestType: 2, digest: Buffer.alloc(32) },
            },
          ],
        }
      : story(asked);

const challengeStory =
  (reply: Lie): Story =>
  ({ name }) =>
    name === CHALLENGE.name ? reply : nodata;

beforeEach(async () => {
  const port = await freeDnsPort([...AUTHORITIES, ...RESOLVERS]);
  authorities = await Promise.all(AUTHORITIES.map((address) => startLyingServer(address, port)));
  resolvers = await Promise.all(RESOLVERS.map((address) => startLyingServer(address, port)));
  for (const resolver of resolvers) resolver.answerWith(delegation());
  observer = createObserver({
    resolvers: RESOLVERS.map((address) => `${address}:${port}`),
    authoritativePort: port,
    allowPrivate: true,
    timeouts: { udpMs: 120, tcpMs: 200 },
  });
});

afterEach(async () => {
  await observer.close();
  await Promise.all([...authorities, ...resolvers].map((server) => server.stop()));
});

const tellAll = (story: Story) => authorities.forEach((server) => server.answerWith(story));
const askedOfResolvers = () =>
  resolvers.flatMap(({ asked }) => asked).map(({ name, type }: Asked) => `${type} ${name}`);

async function findToken() {
  const seen = await observer.observeChallenge(HOSTNAME, CHALLENGE);
  return { seen, judged: judgeChallenge(seen, CHALLENGE), findings: diagnoseChallenge(seen, CHALLENGE) };
}

describe('the challenge', () => {
  test('is proved when every server has the token', async () => {
    tellAll(challengeStory(token));
    expect((await findToken()).judged.verdict).toBe('match');
  });

  test('is not proved while one of four servers is stale, and the finding names that server', async () => {
    tellAll(challengeStory(token));
    authorities[2]?.answerWith(challengeStory(nxdomain));
    const { judged, findings } = await findToken();
    expect(judged.verdict).toBe('mismatch');
    expect(findings).toMatchObject([{ code: 'ns_inconsistent', severity: 'warning' }]);
    expect(findings[0]?.message).toContain('ns2.customer.test');
    expect(findings[0]?.message).not.toContain('ns1.customer.test');
  });

  const silences: [string, Lie | undefined][] = [
    ['silence', undefined],
    ['SERVFAIL', { rcode: RCODE.SERVFAIL }],
    ['REFUSED', { rcode: RCODE.REFUSED }],
    ['an answer from a cache', { ...txt(CHALLENGE.name, 'old'), authoritative: false }],
    ['a denial without the AA flag', { ...nxdomain, authoritative: false }],
    [
      'a referral upwards',
      { authoritative: false, authorities: [{ type: 'NS', name: 'test', ttl: 1, data: 'ns.test' }] },
    ],
    [
      'a referral in a circle',
      { authoritative: false, authorities: [{ type: 'NS', name: 'customer.test', ttl: 1, data: 'ns0.customer.test' }] },
    ],
  ];

  test.each(silences)('%s of one server does not count: the other three prove the hostname', async (_, lie) => {
    tellAll(challengeStory(token));
    authorities[0]?.answerWith(() => lie);
    const { judged, findings } = await findToken();
    expect(judged.verdict).toBe('match');
    expect(findings).toMatchObject([{ code: 'nameserver_unreachable', severity: 'warning' }]);
    expect(findings[0]?.message).toContain('ns0.customer.test');
  });

  test.each(silences)('%s of every server is unknown, never absent', async (_, lie) => {
    tellAll(() => lie);
    const { judged, findings } = await findToken();
    expect(judged).toMatchObject({ verdict: 'unknown', outcome: 'unknown' });
    expect(findings).toMatchObject([{ code: 'nameserver_unreachable' }]);
  });

  test('unreachable resolvers leave everything unknown', async () => {
    for (const resolver of resolvers) resolver.answerWith(() => undefined);
    const { seen, judged } = await findToken();
    expect(seen.zone).toMatchObject({ name: null, registered: null, cause: 'timeout' });
    expect(judged.verdict).toBe('unknown');
  });

  describe('with a resolver that lies', () => {
    /**
     * The domain is delegated to the first server alone. The lying resolver names the second server, which has the
     * token.
     */
    const honest = delegation(undefined, AUTHORITIES.slice(0, 1));
    const forged: Record<string, Story> = {
      'about the name servers': (asked) => {
        if (asked.type === 'NS')
          return { answers: [{ type: 'NS', name: asked.name, ttl: 60, data: 'ns1.customer.test' }] };
        return delegation()(asked);
      },
      'about their addresses': delegation(undefined, AUTHORITIES.slice(1, 2)),
    };

    test.each(Object.keys(forged))('%s nothing is proved', async (what) => {
      resolvers.forEach((resolver, i) => resolver.answerWith(i === 0 ? (forged[what] ?? honest) : honest));
      authorities[0]?.answerWith(challengeStory(nxdomain));
      authorities[1]?.answerWith(challengeStory(token));
      const { seen, judged, findings } = await findToken();
      expect(seen.challenge.servers.map(({ server }) => server.address)).toEqual([AUTHORITIES[1]]);
      expect(judged).toMatchObject({ verdict: 'unknown', outcome: 'unknown' });
      expect(findings).toMatchObject([{ code: 'ns_inconsistent', severity: 'warning' }]);
    });

    test.each([
      { liars: 1, verdict: 'match' },
      { liars: 2, verdict: 'unknown' },
    ])('$liars of 3 that deny an honest delegation leave the proof $verdict', async ({ liars, verdict }) => {
      tellAll(challengeStory(token));
      const lie = forged['about the name servers'] ?? honest;
      resolvers.forEach((resolver, i) => resolver.answerWith(i >= resolvers.length - liars ? lie : honest));
      expect((await findToken()).judged.verdict).toBe(verdict);
    });

    test('a token that is found only without validation proves nothing', async () => {
      tellAll(challengeStory(token));
      for (const resolver of resolvers)
        resolver.answerWith((asked) =>
          asked.checkingDisabled ? signed(delegation())(asked) : { rcode: RCODE.SERVFAIL },
        );
      const { judged, findings } = await findToken();
      expect(judged).toMatchObject({ verdict: 'unknown', outcome: 'unknown', observed: [TOKEN] });
      expect(findings).toMatchObject([{ code: 'dnssec_bogus', severity: 'error' }]);
    });
  });

  test('silent servers are not waited for again', async () => {
    tellAll(() => undefined);
    await findToken();
    const asked = () => authorities.reduce((sum, server) => sum + server.asked.length, 0);
    const before = asked();
    const { seen, judged } = await findToken();
    expect(asked()).toBe(before);
    expect(judged.verdict).toBe('unknown');
    expect(seen.challenge.servers.map(({ answers }) => answers.TXT)).toEqual(
      AUTHORITIES.map(() => ({ outcome: 'unknown', cause: 'silent' })),
    );
  });

  test('is seen at the check after it appears: NXDOMAIN, NODATA, answer', async () => {
    const outcomes: string[] = [];
    for (const lie of [nxdomain, nodata, token]) {
      tellAll(challengeStory(lie));
      outcomes.push((await findToken()).judged.outcome);
    }
    expect(outcomes).toEqual(['missing', 'missing', 'match']);
  });

  test('is found in a 64 kB set, and the observation stays small', async () => {
    const crowd = Array.from({ length: 210 }, (_, i) => ({
      type: 'TXT' as const,
      name: CHALLENGE.name,
      ttl: 60,
      data: [Buffer.alloc(250, i)],
    }));
    const whole: Lie = { answers: [...crowd, ...(token.answers ?? [])] };
    tellAll((asked) => (asked.transport === 'udp' ? { truncated: true } : challengeStory(whole)(asked)));
    const { seen, judged } = await findToken();
    expect(judged.verdict).toBe('match');
    expect(JSON.stringify(seen).length).toBeLessThan(50_000);
    expect(JSON.stringify(seen)).not.toContain('\\u0000');
  });

  test('lost datagrams never cause a false answer: every third one is dropped, and every check agrees', async () => {
    let arrived = 0;
    const lossy =
      (story: Story): Story =>
      (asked) =>
        ++arrived % 3 === 0 ? undefined : story(asked);
    tellAll(lossy(challengeStory(token)));
    for (const resolver of resolvers) resolver.answerWith(lossy(delegation()));
    const checks = await Promise.all(Array.from({ length: 30 }, findToken));
    const verdicts = new Set(checks.map(({ judged }) => judged.verdict));
    expect(verdicts).not.toContain('mismatch');
    expect(verdicts).toContain('match');
  });

  test('asks resolvers only for the delegation and the name servers', async () => {
    tellAll(challengeStory(nxdomain));
    await findToken();
    await observer.observeRecords(HOSTNAME, [wantedRecord(HOSTNAME, 'CNAME', 'edge.customer.test')]);
    await observer.observeDomain(HOSTNAME, [wantedRecord(HOSTNAME, 'CNAME', 'edge.customer.test')]);
    await observer.dnssec(HOSTNAME);
    expect(new Set(askedOfResolvers())).toEqual(
      new Set(['NS customer.test', ...AUTHORITIES.map((_, i) => `A ns${i}.customer.test`)]),
    );
  });

  test('asks authoritative servers without recursion', async () => {
    tellAll(challengeStory(nxdomain));
    await findToken();
    expect(authorities.flatMap(({ asked }) => asked).filter(({ recursion }) => recursion)).toEqual([]);
  });

  test('an aborted check rejects with the caller’s reason', async () => {
    tellAll(() => undefined);
    const controller = new AbortController();
    const check = observer.observeChallenge(HOSTNAME, CHALLENGE, controller.signal);
    controller.abort(new Error('the caller has left'));
    await expect(check).rejects.toThrow('the caller has left');
  });
});

describe('addresses that strangers choose', () => {
  test('private and loopback name servers are never asked unless a lab allows it', async () => {
    const addresses = [AUTHORITIES[0] ?? '', '10.0.0.1', '169.254.169.254', '192.168.1.1'];
    for (const resolver of resolvers) resolver.answerWith(delegation(undefined, addresses));
    const careful = createObserver({
      resolvers: resolvers.map(({ address, port }) => `${address}:${port}`),
      authoritativePort: authorities[0]?.port ?? 0,
    });
    tellAll(challengeStory(token));
    const seen = await careful.observeChallenge(HOSTNAME, CHALLENGE);
    await careful.close();
    expect(authorities[0]?.asked).toEqual([]);
    expect(seen.zone).toMatchObject({
      cause: 'forbidden_address',
      unresolved: addresses.map((_, i) => `ns${i}.customer.test`),
    });
    expect(judgeChallenge(seen, CHALLENGE).verdict).toBe('unknown');
  });
});

describe('answers about zones that a server does not serve', () => {
  test('an address in a referral is trusted only inside the referring zone', async () => {
    const [own, trap, honest] = authorities;
    const address = (data: string): Answer => ({ type: 'A', name: 'ns.elsewhere.test', ttl: 60, data });
    const elsewhere: Story = ({ type }) => (type === 'A' ? { answers: [address(honest?.address ?? '')] } : {});
    for (const resolver of resolvers) resolver.answerWith(delegation(elsewhere, AUTHORITIES.slice(0, 1)));
    own?.answerWith(() => ({
      authoritative: false,
      authorities: [{ type: 'NS', name: HOSTNAME, ttl: 60, data: 'ns.elsewhere.test' }],
      additionals: [address(trap?.address ?? '')],
    }));
    trap?.answerWith(challengeStory(token));
    honest?.answerWith(({ name, type }) =>
      type === 'SOA' ? { answers: [{ ...soa, name: HOSTNAME }] } : name === CHALLENGE.name ? nxdomain : nodata,
    );
    const { seen, judged } = await findToken();
    expect(trap?.asked).toEqual([]);
    expect(seen.zone.name).toBe(HOSTNAME);
    expect(judged.outcome).toBe('missing');
  });

  test('a zone whose only name server is below it and cannot be resolved decides nothing', async () => {
    for (const resolver of resolvers)
      resolver.answerWith(({ name, type }) =>
        type === 'NS' && name === 'customer.test'
          ? { answers: [{ type, name, ttl: 60, data: HOSTNAME }] }
          : { rcode: RCODE.SERVFAIL },
      );
    tellAll(challengeStory(token));
    const { seen, judged } = await findToken();
    expect(seen.zone).toMatchObject({ cause: 'no_address', unresolved: [HOSTNAME] });
    expect(judged.verdict).toBe('unknown');
    expect(authorities.flatMap(({ asked }) => asked)).toEqual([]);
  });

  test('servers that refer to themselves are lame, and each is asked a limited number of times', async () => {
    tellAll(() => ({
      authoritative: false,
      authorities: [{ type: 'NS', name: 'customer.test', ttl: 60, data: 'ns0.customer.test' }],
    }));
    const { seen, judged } = await findToken();
    expect(seen.challenge.servers.map(({ answers }) => answers.TXT)).toEqual(
      AUTHORITIES.map(() => ({ outcome: 'unknown', cause: 'lame' })),
    );
    expect(judged.verdict).toBe('unknown');
    for (const { asked } of authorities) expect(asked.length).toBeLessThan(8);
  });

  test('an SOA of another zone does not move the zone cut', async () => {
    const foreign: Lie = { authorities: [{ ...soa, name: 'elsewhere.test' }] };
    tellAll(({ name, type }) => (type === 'SOA' ? foreign : name === CHALLENGE.name ? token : nodata));
    const { seen, judged } = await findToken();
    expect(seen.zone).toMatchObject({ name: 'customer.test', soa: null });
    expect(judged.verdict).toBe('match');
    expect(authorities.flatMap(({ asked }) => asked).map(({ name }) => name)).not.toContain('elsewhere.test');
  });
});

describe('required records', () => {
  const wanted = [wantedRecord(HOSTNAME, 'CNAME', 'edge.customer.test')];
  const alias = (target: string): Lie => ({ answers: [{ type: 'CNAME', name: HOSTNAME, ttl: 60, data: target }] });
  const right: Story = ({ name }) => (name === HOSTNAME ? alias('edge.customer.test') : nodata);

  async function check() {
    const seen = await observer.observeRecords(HOSTNAME, wanted);
    return { seen, judged: judgeRecords(seen, wanted), findings: diagnoseRecords(seen, wanted) };
  }

  test.each([
    [3, true],
    [2, true],
    [1, false],
    [0, false],
  ])('seen by %i of 3 resolvers: propagated is %p', async (count, propagated) => {
    tellAll(right);
    resolvers.forEach((resolver, i) => resolver.answerWith(delegation(i < count ? right : () => nxdomain)));
    expect((await check()).judged).toMatchObject([{ verdict: 'match', propagated }]);
  });

  test('unreachable resolvers do not count as having the record', async () => {
    tellAll(right);
    resolvers.forEach((resolver, i) => resolver.answerWith(delegation(i === 0 ? right : () => undefined)));
    const { judged, findings } = await check();
    expect(judged).toMatchObject([{ verdict: 'match', propagated: false }]);
    expect(findings).toEqual([]);
  });

  test('a loop of aliases ends the walk and decides nothing', async () => {
    tellAll(({ name }) => {
      const target = name === 'a.customer.test' ? 'b.customer.test' : 'a.customer.test';
      return { answers: [{ type: 'CNAME', name, ttl: 60, data: target }] };
    });
    const { seen, judged, findings } = await check();
    expect(seen.paths).toMatchObject([{ name: 'a.customer.test', addresses: null, cause: 'cname_loop' }]);
    expect(judged).toMatchObject([{ verdict: 'unknown' }]);
    expect(findings).toMatchObject([{ code: 'wrong_value', severity: 'warning' }]);
  });

  test('a chain of twenty aliases is followed for eight steps and no further', async () => {
    tellAll(({ name }) => {
      const step = Number(/^hop(\d+)\./.exec(name)?.[1] ?? 0);
      return { answers: [{ type: 'CNAME', name, ttl: 60, data: `hop${step + 1}.customer.test` }] };
    });
    const { seen } = await check();
    expect(seen.paths).toMatchObject([{ cause: 'cname_loop', addresses: null }]);
    expect(authorities.flatMap(({ asked }) => asked).map(({ name }) => name)).not.toContain('hop11.customer.test');
  });

  describe('below a DNAME (RFC 6672)', () => {
    const below = [wantedRecord(HOSTNAME, 'CNAME', 'shop.edge.test')];
    const dname: Answer = { type: 'DNAME', name: 'customer.test', ttl: 60, data: 'edge.test' };
    const judge = async () => judgeRecords(await observer.observeRecords(HOSTNAME, below), below);

    test('a name is judged by the alias that its servers synthesize', async () => {
      const made = [dname, ...(alias('shop.edge.test').answers ?? [])];
      tellAll(({ name }) => (name === HOSTNAME ? { answers: made } : nodata));
      expect(await judge()).toMatchObject([{ verdict: 'match' }]);
    });

    test('no alias is invented if the servers synthesize none', async () => {
      tellAll(({ name }) => (name === HOSTNAME ? { answers: [dname] } : nodata));
      expect(await judge()).toMatchObject([{ verdict: 'mismatch' }]);
    });

    test('a name that becomes too long (YXDOMAIN) decides nothing', async () => {
      tellAll(({ name }) => (name === HOSTNAME ? { answers: [dname], rcode: 6 } : nodata));
      expect(await judge()).toMatchObject([{ verdict: 'unknown' }]);
    });
  });

  test('data from a server about names outside its zone is not trusted', async () => {
    tellAll(({ name }) =>
      name === HOSTNAME
        ? {
            answers: [
              ...(alias('bank.other.test').answers ?? []),
              { type: 'CNAME', name: 'bank.other.test', ttl: 60, data: 'edge.customer.test' },
            ],
          }
        : nodata,
    );
    const { judged } = await check();
    expect(judged[0]?.verdict).not.toBe('match');
  });

  test('DNSSEC that validating resolvers refuse differs from silence, and unvalidated answers decide nothing', async () => {
    tellAll(right);
    for (const resolver of resolvers)
      resolver.answerWith((asked) =>
        asked.checkingDisabled ? signed(delegation())(asked) : { rcode: RCODE.SERVFAIL },
      );
    const { seen, judged, findings } = await check();
    expect(seen.zone.dnssec).toBe('bogus');
    expect(judged).toMatchObject([{ verdict: 'unknown', propagated: false }]);
    expect(findings.map(({ code }) => code)).toContain('dnssec_bogus');
    expect(await observer.dnssec(HOSTNAME)).toBe('bogus');
  });

  test('an unsigned domain is never bogus, no matter how often resolvers fail', async () => {
    tellAll(right);
    for (const resolver of resolvers)
      resolver.answerWith((asked) => (asked.checkingDisabled ? delegation()(asked) : { rcode: RCODE.SERVFAIL }));
    const { seen, judged, findings } = await check();
    expect(seen.zone).toMatchObject({ dnssec: 'unknown', cause: 'servfail' });
    expect(judged).toMatchObject([{ verdict: 'unknown' }]);
    expect(findings.map(({ code }) => code)).toEqual(['nameserver_unreachable']);
  });

  test('one SERVFAIL of every resolver is a temporary problem and not a broken signature, even for a signed domain', async () => {
    tellAll(right);
    const failed = new Set<string>();
    resolvers.forEach((resolver, i) =>
      resolver.answerWith((asked) => {
        const key = `${i} ${asked.type} ${asked.name}`;
        if (asked.checkingDisabled || failed.has(key)) return signed(delegation(right))(asked);
        failed.add(key);
        return { rcode: RCODE.SERVFAIL };
      }),
    );
    const { seen, judged, findings } = await check();
    expect(seen.zone.dnssec).toBe('insecure');
    expect(judged).toMatchObject([{ verdict: 'match', propagated: true }]);
    expect(findings).toEqual([]);
  });

  test('a target of ours that cannot be resolved is not the customer’s fault', async () => {
    const elsewhere = [wantedRecord(HOSTNAME, 'CNAME', 'edge.broken.test')];
    tellAll(({ name, type }) =>
      name === HOSTNAME && type === 'A' ? { answers: [{ type: 'A', name, ttl: 60, data: '192.0.2.7' }] } : nodata,
    );
    const seen = await observer.observeRecords(HOSTNAME, elsewhere);
    expect(judgeRecords(seen, elsewhere)).toMatchObject([{ verdict: 'unknown' }]);
    expect(diagnoseRecords(seen, elsewhere)).toMatchObject([{ code: 'edge_unreachable', severity: 'warning' }]);
  });

  test('DNSSEC that is broken only at the name is reported too', async () => {
    tellAll(right);
    const servfail: Story = (asked) => (asked.checkingDisabled ? right(asked) : { rcode: RCODE.SERVFAIL });
    for (const resolver of resolvers) resolver.answerWith(signed(delegation(servfail)));
    const { judged, findings } = await check();
    expect(judged).toMatchObject([{ verdict: 'match', propagated: false }]);
    expect(findings.map(({ code }) => code)).toEqual(['dnssec_bogus']);
  });

  test('the delegation is asked for again every 30 seconds, no matter how often checks run', async () => {
    let elapsed = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => elapsed);
    tellAll(right);
    for (elapsed = 0; elapsed <= 60_000; elapsed += 10_000) await check();
    clock.mockRestore();
    expect(askedOfResolvers().filter((asked) => asked === 'NS customer.test')).toHaveLength(3);
  });

  test('moved name servers are reported together with the previous ones', async () => {
    tellAll(right);
    for (const resolver of resolvers) resolver.answerWith(delegation(right));
    const seen = await observer.observeRecords(HOSTNAME, wanted);
    expect(diagnoseRecords(seen, wanted, { nameservers: ['ns.old.test'] })).toMatchObject([
      { code: 'nameserver_changed' },
    ]);
    expect(diagnoseRecords(seen, wanted, { nameservers: seen.zone.nameservers })).toEqual([]);
  });
});
