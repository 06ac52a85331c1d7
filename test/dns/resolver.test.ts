import { RCODE } from '../../src/dns/message.ts';
import { createResolver, type Reply, type Resolver } from '../../src/dns/resolver.ts';
import { freeDnsPort, loopbackAddresses } from '../support/fixtures/dns-port.ts';
import { startLyingServer, type Lie, type LyingServer } from '../support/doubles/lying-server.ts';

const [ADDRESS = ''] = loopbackAddresses(1);
const TIMEOUTS = { udpMs: 150, udpAttempts: 2, tcpMs: 250, checkMs: 2_000 };
const txt = (value: string | Buffer[]) => ({ type: 'TXT', name: 'shop.test', ttl: 60, data: value }) as const;

let server: LyingServer;
let resolver: Resolver;

beforeEach(async () => {
  server = await startLyingServer(ADDRESS, await freeDnsPort([ADDRESS]));
  resolver = createResolver(TIMEOUTS);
});

afterEach(async () => {
  resolver.close();
  await server.stop();
});

const ask = (name = 'shop.test', signal = AbortSignal.timeout(5_000)): Promise<Reply> =>
  resolver.ask(server, { name, type: 'TXT', recursion: false }, signal);

const values = (reply: Reply): string[] => (reply.ok ? reply.message.answers.map(({ value }) => value) : [reply.cause]);

describe('an answer', () => {
  test('is returned as a whole: AA, rcode, TTL and the negative TTL', async () => {
    const soa = { mname: 'ns.test', rname: 'h.test', serial: 9, refresh: 1, retry: 1, expire: 1, minimum: 300 };
    server.answerWith(() => ({
      rcode: RCODE.NXDOMAIN,
      authorities: [{ type: 'SOA', name: 'test', ttl: 900, data: soa }],
    }));
    expect(await ask()).toMatchObject({
      ok: true,
      message: { authoritative: true, rcode: RCODE.NXDOMAIN, soa: { owner: 'test', serial: 9, negativeTtl: 300 } },
    });
  });

  test.each([
    ['SERVFAIL', RCODE.SERVFAIL, 'servfail'],
    ['REFUSED', RCODE.REFUSED, 'refused'],
    ['an unheard-of rcode', 11, 'servfail'],
  ])('%s is not an answer', async (_, rcode, cause) => {
    server.answerWith(() => ({ rcode }));
    expect(await ask()).toEqual({ ok: false, cause });
  });

  test('a silent server is a timeout after every attempt', async () => {
    expect(await ask()).toEqual({ ok: false, cause: 'timeout' });
    expect(server.asked).toHaveLength(TIMEOUTS.udpAttempts);
  });

  test('a lost datagram costs an attempt, not the answer', async () => {
    server.answerWith(() => (server.asked.length > 1 ? { answers: [txt('late')] } : undefined));
    expect(values(await ask())).toEqual(['late']);
  });

  test('a port without a listener is detected immediately', async () => {
    const port = await freeDnsPort([ADDRESS]);
    const question = { name: 'shop.test', type: 'TXT', recursion: false } as const;
    expect(await resolver.ask({ address: ADDRESS, port }, question, AbortSignal.timeout(5_000))).toEqual({
      ok: false,
      cause: 'unreachable',
    });
  });

  test('an address without a route is unknown, not an error', async () => {
    const question = { name: 'shop.test', type: 'TXT', recursion: false } as const;
    const reply = await resolver.ask({ address: '100::1', port: 53 }, question, AbortSignal.timeout(5_000));
    expect(['unreachable', 'timeout']).toContain(reply.ok || reply.cause);
  });

  test('bytes that are not a DNS message are malformed, not an error', async () => {
    server.answerWith((asked) => {
      const header = Buffer.alloc(12);
      header.writeUInt16BE(asked.id);
      header.writeUInt16BE(0x8400, 2);
      header.writeUInt16BE(1, 4);
      header.writeUInt16BE(9, 6);
      const question = Buffer.concat([
        ...asked.spelling.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
        Buffer.from([0, 0, 16, 0, 1]),
      ]);
      return { raw: Buffer.concat([header, question, Buffer.from('rubbish')]) };
    });
    expect(await ask()).toEqual({ ok: false, cause: 'malformed' });
  });

  test('a name that cannot be encoded is refused before any packet is sent', async () => {
    expect(await ask('a..b')).toEqual({ ok: false, cause: 'malformed' });
    expect(server.asked).toEqual([]);
  });

  test('a server without EDNS is asked without EDNS', async () => {
    server.answerWith(({ edns }) => (edns ? { rcode: RCODE.FORMERR } : { answers: [txt('old')] }));
    expect(values(await ask())).toEqual(['old']);
  });
});

describe('forged answers', () => {
  const truth: Lie = { answers: [txt('truth')] };
  const lies: Record<string, Lie> = {
    'another id': { id: 0, answers: [txt('lie')] },
    'another port': { fromAnotherPort: true, answers: [txt('lie')] },
    'another name': { questionName: 'other.test', answers: [txt('lie')] },
    'another type': { questionType: 'A', answers: [txt('lie')] },
    rubbish: { raw: Buffer.from('rubbish') },
  };

  test.each(Object.entries(lies))('with %s are ignored, and the real answer is still accepted', async (_, lie) => {
    server.answerWith((asked) => [lie.id === undefined ? lie : { ...lie, id: asked.id ^ 1 }, truth]);
    expect(values(await ask())).toEqual(['truth']);
  });

  test('with another spelling are ignored, and the real answer is still accepted', async () => {
    const flip = (text: string) =>
      text.replace(/[a-z]/gi, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()));
    server.answerWith((asked) => [{ questionName: flip(asked.spelling), answers: [txt('lie')] }, truth]);
    expect(values(await ask())).toEqual(['truth']);
  });

  test('a server that does not keep the spelling is asked over TCP, which cannot be forged', async () => {
    server.answerWith((asked) => ({
      questionName: asked.transport === 'udp' ? asked.spelling.toUpperCase() : asked.name,
      answers: [txt(asked.transport)],
    }));
    const replies = await Promise.all(Array.from({ length: 4 }, () => ask('a-long-name-with-many-letters.shop.test')));
    for (const reply of replies) expect(values(reply)).toEqual(['tcp']);
  });

  test('must guess id, source port and spelling: all of them vary', async () => {
    server.answerWith(() => truth);
    for (let i = 0; i < 600; i++) await ask();
    expect(new Set(server.asked.map(({ id }) => id)).size).toBeGreaterThan(550);
    expect(new Set(server.asked.map(({ spelling }) => spelling)).size).toBeGreaterThan(50);
    expect(new Set(server.asked.map(({ sourcePort }) => sourcePort)).size).toBeGreaterThanOrEqual(3);
  });
});

describe('answers too long for a datagram', () => {
  test('come over TCP: a 64 kB set of TXT records with NUL bytes is read completely', async () => {
    const long = Array.from({ length: 120 }, (_, i) => txt([Buffer.alloc(255, i), Buffer.from([0, i])]));
    server.answerWith(({ transport }) =>
      transport === 'udp' ? { truncated: true } : { answers: [...long, txt('token')] },
    );
    const reply = await ask();
    expect(values(reply)).toHaveLength(121);
    expect(values(reply).at(-1)).toBe('token');
  });

  test('stay unknown if the server sends its TCP answer slowly and stops: the wait is limited', async () => {
    server.answerWith(({ transport }) =>
      transport === 'udp' ? { truncated: true } : { answers: [txt('x')], stopAfter: 9 },
    );
    expect(await ask('shop.test', new AbortController().signal)).toEqual({ ok: false, cause: 'truncated' });
  }, 5_000);

  test('stay unknown if the server refuses TCP', async () => {
    const port = await freeDnsPort([ADDRESS]);
    const udpOnly = await startLyingServer(ADDRESS, port, { tcp: false });
    udpOnly.answerWith(() => ({ truncated: true, answers: [txt('half')] }));
    const question = { name: 'shop.test', type: 'TXT', recursion: false } as const;
    const reply = await resolver.ask(udpOnly, question, AbortSignal.timeout(5_000));
    await udpOnly.stop();
    expect(reply).toEqual({ ok: false, cause: 'truncated' });
  });
});

test('an aborted question ends immediately and leaves no socket or timer behind', async () => {
  const controller = new AbortController();
  const reply = ask('shop.test', controller.signal);
  controller.abort();
  expect(await reply).toEqual({ ok: false, cause: 'timeout' });
});

test('two hundred concurrent questions each get their own answer', async () => {
  server.answerWith((asked) => ({ answers: [{ ...txt(asked.name), name: asked.name }] }));
  const names = Array.from({ length: 200 }, (_, i) => `n${i}.test`);
  const replies = await Promise.all(names.map((name) => ask(name)));
  expect(replies.map((reply) => values(reply)[0])).toEqual(names);
});
