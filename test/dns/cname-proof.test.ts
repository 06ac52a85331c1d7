import type { Answer } from 'dns-packet';
import { RCODE } from '../../src/dns/message.ts';
import { createObserver } from '../../src/dns/observer.ts';
import { targetRecord } from '../../src/domain/connection/cname-proof.ts';
import { judgeCname } from '../../src/domain/observation/cname-proof.ts';
import { diagnoseCname } from '../../src/domain/observation/diagnosis.ts';
import type { Observer } from '../../src/domain/observation/observer.ts';
import { nodata, nxdomain, soa } from '../support/doubles/lies.ts';
import { startLyingServer, type Lie, type LyingServer, type Story } from '../support/doubles/lying-server.ts';
import { freeDnsPort, loopbackAddresses } from '../support/fixtures/dns-port.ts';

/** A customer's domain with three name servers and three resolvers, and a forged name server that only a lie names. */
const HOSTNAME = 'shop.customer.test';
const TARGET = 'customers.saas.test';
const AUTHORITIES = loopbackAddresses(3);
const FORGED = loopbackAddresses(1);
const RESOLVERS = loopbackAddresses(3);

let authorities: LyingServer[];
let forged: LyingServer;
let resolvers: LyingServer[];
let observer: Observer;

const cname = (name: string, data: string): Lie => ({ answers: [{ type: 'CNAME', name, ttl: 60, data }] });

type Zone = Record<string, string>;
/** Serves these CNAMEs; an empty one is a name without records. `*` answers for every other name below the domain. */
const zone =
  (aliases: Zone): Story =>
  ({ name, type }) => {
    if (name === 'customer.test') return type === 'SOA' ? { answers: [soa] } : nodata;
    const target = aliases[name] ?? aliases['*'];
    if (target === '') return nodata;
    return target === undefined ? nxdomain : cname(name, target.replace('{label}', name.split('.')[0] ?? ''));
  };

const delegation =
  (addresses: readonly string[], known: Record<string, string> = {}): Story =>
  ({ name, type }) => {
    const servers = Object.fromEntries(addresses.map((address, i) => [`ns${i}.customer.test`, address]));
    const address = { ...servers, ...known }[name];
    if (address !== undefined) return type === 'A' ? { answers: [{ type: 'A', name, ttl: 60, data: address }] } : {};
    if (type !== 'NS' || name !== 'customer.test') return { rcode: RCODE.SERVFAIL };
    return { answers: Object.keys(servers).map((data) => ({ type: 'NS', name, ttl: 60, data })) };
  };

beforeEach(async () => {
  const port = await freeDnsPort([...AUTHORITIES, ...FORGED, ...RESOLVERS]);
  authorities = await Promise.all(AUTHORITIES.map((address) => startLyingServer(address, port)));
  forged = await startLyingServer(FORGED[0] ?? '', port);
  resolvers = await Promise.all(RESOLVERS.map((address) => startLyingServer(address, port)));
  for (const resolver of resolvers) resolver.answerWith(delegation(AUTHORITIES));
  observer = createObserver({
    resolvers: RESOLVERS.map((address) => `${address}:${port}`),
    authoritativePort: port,
    allowPrivate: true,
    timeouts: { udpMs: 120, tcpMs: 200 },
  });
});
afterEach(async () => {
  await observer.close();
  await Promise.all([...authorities, forged, ...resolvers].map((server) => server.stop()));
});

const serveAll = (aliases: Zone) => authorities.forEach((server) => server.answerWith(zone(aliases)));
async function judge() {
  const seen = await observer.observeCname(HOSTNAME, TARGET);
  const { verdict, isGone } = judgeCname(seen, TARGET);
  return {
    verdict,
    isGone,
    codes: diagnoseCname(seen, targetRecord(HOSTNAME, TARGET), verdict).map(({ code }) => code),
  };
}
const PROVED = { [HOSTNAME]: TARGET };

test('a CNAME to the target on every authoritative server proves the hostname, in any spelling', async () => {
  serveAll({ [HOSTNAME]: 'Customers.SaaS.test' });
  expect(await judge()).toEqual({ verdict: 'match', isGone: false, codes: [] });
});

test('one authoritative server that answers otherwise prevents the proof, and ends no claim', async () => {
  serveAll(PROVED);
  authorities[1]?.answerWith(zone({ [HOSTNAME]: 'elsewhere.test' }));
  expect(await judge()).toEqual({ verdict: 'mismatch', isGone: false, codes: ['ns_inconsistent'] });
});

const silences: [string, Lie | undefined][] = [
  ['silence', undefined],
  ['SERVFAIL', { rcode: RCODE.SERVFAIL }],
  ['REFUSED', { rcode: RCODE.REFUSED }],
  ['an answer that is not authoritative', { ...cname(HOSTNAME, TARGET), authoritative: false }],
];
test.each(silences)('%s of one authoritative server is neither a proof nor a loss', async (_, lie) => {
  serveAll(PROVED);
  authorities[2]?.answerWith((asked) => (asked.type === 'CNAME' ? lie : zone(PROVED)(asked)));
  expect(await judge()).toMatchObject({ verdict: 'unknown', isGone: false });
});

test('silence of every authoritative server is neither a proof nor a loss', async () => {
  for (const server of authorities) server.answerWith(() => undefined);
  expect(await judge()).toMatchObject({ verdict: 'unknown', isGone: false });
});

test('a name server without an address could not be asked, so the others prove nothing', async () => {
  serveAll(PROVED);
  const unlisted = ({ name, type }: { name: string; type: string }) => {
    const { answers = [] } = delegation(AUTHORITIES)({ name, type } as never) as Lie;
    const more: Answer = { type: 'NS', name, ttl: 60, data: 'ns9.customer.test' };
    return type === 'NS' && answers.length > 0 ? { answers: [...answers, more] } : undefined;
  };
  for (const resolver of resolvers) resolver.answerWith((asked) => unlisted(asked) ?? delegation(AUTHORITIES)(asked));
  expect(await judge()).toMatchObject({ verdict: 'unknown', isGone: false });
});

describe('a CNAME that the zone’s owner did not publish for the hostname proves nothing:', () => {
  test('a wildcard to the target', async () => {
    serveAll({ '*': TARGET });
    expect(await judge()).toEqual({ verdict: 'mismatch', isGone: true, codes: ['cname_conflict'] });
  });

  test('a wildcard to the target on one server only', async () => {
    serveAll(PROVED);
    authorities[0]?.answerWith(zone({ '*': TARGET }));
    expect(await judge()).toMatchObject({ verdict: 'mismatch', isGone: false });
  });

  test('a wildcard that points to the target through another name', async () => {
    serveAll({ ...PROVED, '*': 'all.customer.test', 'all.customer.test': TARGET });
    expect(await judge()).toMatchObject({ verdict: 'mismatch', codes: ['cname_conflict'] });
  });

  test('a DNAME, which keeps the label', async () => {
    authorities.forEach((server) => server.answerWith(zone({ [HOSTNAME]: TARGET, '*': '{label}.saas.test' })));
    expect(await judge()).toMatchObject({ verdict: 'mismatch', codes: ['cname_conflict'] });
  });

  test('two CNAMEs, one of them to the target', async () => {
    serveAll(PROVED);
    const both: Lie = {
      answers: [TARGET, 'other.test'].map((data) => ({ type: 'CNAME', name: HOSTNAME, ttl: 60, data })),
    };
    authorities[0]?.answerWith((asked) =>
      asked.name === HOSTNAME && asked.type === 'CNAME' ? both : zone(PROVED)(asked),
    );
    expect(await judge()).toMatchObject({ verdict: 'mismatch' });
  });
});

test('a wildcard to another name is allowed, because the hostname has a CNAME of its own', async () => {
  serveAll({ ...PROVED, '*': 'parked.customer.test', 'parked.customer.test': '' });
  expect(await judge()).toMatchObject({ verdict: 'match' });
});

describe('one lying resolver', () => {
  beforeEach(() => {
    // The first resolver is asked first, so its lie decides which servers are asked.
    resolvers[0]?.answerWith(delegation(FORGED));
  });

  test('cannot prove a hostname with a name server of its own', async () => {
    serveAll({});
    forged.answerWith(zone(PROVED));
    expect(await judge()).toEqual({ verdict: 'unknown', isGone: false, codes: ['ns_inconsistent'] });
  });

  test('cannot end a claim with a name server that denies the CNAME', async () => {
    serveAll(PROVED);
    forged.answerWith(zone({}));
    expect(await judge()).toMatchObject({ verdict: 'mismatch', isGone: false });
  });
});

test('resolvers that do not agree on the name servers of the domain, as while the parent changes them, prove nothing', async () => {
  serveAll(PROVED);
  resolvers[1]?.answerWith(delegation(FORGED));
  resolvers[2]?.answerWith(delegation(AUTHORITIES.slice(0, 2)));
  expect(await judge()).toMatchObject({ verdict: 'unknown', isGone: false });
});

test('a CNAME that every server denies is gone', async () => {
  serveAll({});
  expect(await judge()).toEqual({ verdict: 'mismatch', isGone: true, codes: ['missing'] });
  serveAll({ [HOSTNAME]: 'elsewhere.test' });
  expect(await judge()).toEqual({ verdict: 'mismatch', isGone: true, codes: ['wrong_value'] });
});
