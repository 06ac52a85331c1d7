import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { Admission, CannotTell, type Admissions } from '../../src/edge/admission.ts';
import { DatabaseSource } from '../../src/edge/database-source.ts';
import { untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import { internalHandler } from '../../src/edge/internal.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { startControlPlane, type ControlPlane } from '../support/fixtures/control-plane.ts';
import { createTestDatabase } from '../support/fixtures/database.ts';
import { startFreezingProxy } from '../support/proxies/freezing-proxy.ts';
import { until } from '../support/until.ts';

const silent = pino({ level: 'silent' });
const randomName = () => `n${crypto.randomUUID().slice(0, 8)}.example-shop.com`;

let plane: ControlPlane;
beforeAll(async () => (plane = await startControlPlane()));
afterAll(() => plane.stop());

const ask = async (query: string, { port = plane.port, method = 'GET' } = {}) => {
  const [response] = (await once(
    request({ port, path: `/internal/ask${query}`, method, agent: false }).end(),
    'response',
  )) as [IncomingMessage];
  return { status: response.statusCode, body: Buffer.concat((await response.toArray()) as Buffer[]).toString() };
};

const standing = async (admission: Admission, name: string) => (await admission.lookup(name)).standing;

describe('ask', () => {
  test.each(['verified', 'dns_writing', 'propagating', 'stalled', 'issuing_cert', 'live', 'drifted'] as const)(
    'allows a hostname whose connection is %s',
    async (state) => {
      const name = randomName();
      await plane.connect(name, state);
      await until(async () => (await ask(`?domain=${name}`)).status === 200);
      expect(await ask(`?domain=${name}`)).toEqual({ status: 200, body: '{"allow":true}' });
      expect(await ask(`?bare=1&domain=${name}`)).toEqual({ status: 204, body: '' });
    },
  );

  test.each(['pending_ownership', 'verifying', 'failed', 'archived'] as const)(
    'denies a hostname whose connection is %s',
    async (state) => {
      const name = randomName();
      await plane.connect(name, state);
      expect(await ask(`?domain=${name}`)).toEqual({ status: 403, body: '{"allow":false}' });
      expect(await ask(`?bare=1&domain=${name}`)).toEqual({ status: 403, body: '' });
    },
  );

  test.each([
    '',
    '?',
    '?domain=',
    '?other=1',
    '?domain=a.example-shop.com&domain=b.example-shop.com',
    '?domain=127.0.0.1',
    '?domain=localhost',
    '?domain=shop.example-shop.com..',
    '?domain=*.example-shop.com',
    '?domain=_x.example-shop.com',
    '?domain=a..example-shop.com',
    `?domain=${'a'.repeat(64)}.example-shop.com`,
    '?domain=%E2%98%83.com',
    '?domain=%ff',
    '?domain=a%00b.com',
    '?domain=shop.example-shop.com%0d%0a',
    '?domain[]=shop.example-shop.com',
    `?domain=${'a.'.repeat(5_000)}com`,
  ])('answers 400 if the domain is not a hostname: %s', async (query) => {
    expect((await ask(query)).status).toBe(400);
  });

  test('accepts no other method, and never answers a denial with 2xx', async () => {
    expect((await ask(`?domain=${randomName()}`, { method: 'POST' })).status).toBe(405);
    expect((await ask(`?domain=${randomName()}`, { method: 'HEAD' })).status).toBeGreaterThanOrEqual(400);
  });

  test('denies sandbox hostnames if certificates come from a public CA', async () => {
    const name = `${crypto.randomUUID().slice(0, 8)}.auto.test`;
    await plane.connect(name);
    await until(async () => (await ask(`?domain=${name}`)).status === 200);
    const handle = internalHandler(plane.admission, {
      sandboxNames: 'refused',
      authority: null,
      originDial: { allowed: [] },
      recordAsk: () => undefined,
    });
    const server = createServer((incoming, outgoing) => void handle(incoming, outgoing));
    await once(server.listen(await freePort(), '127.0.0.1'), 'listening');
    expect((await ask(`?domain=${name}`, { port: (server.address() as AddressInfo).port })).status).toBe(403);
    server.close();
  });

  test('with a public CA, allows a hostname only after it was seen pointing here, and within the order limits', async () => {
    let budget = 1;
    const handle = internalHandler(plane.admission, {
      sandboxNames: 'refused',
      authority: { mayOrder: () => Promise.resolve(budget-- > 0) },
      originDial: { allowed: [] },
      recordAsk: () => undefined,
    });
    const server = createServer((incoming, outgoing) => void handle(incoming, outgoing));
    await once(server.listen(await freePort(), '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const statusOf = async (name: string) => (await ask(`?domain=${name}`, { port })).status;

    for (const state of ['verified', 'dns_writing', 'propagating', 'stalled'] as const) {
      const name = randomName();
      await plane.connect(name, state);
      expect([state, await statusOf(name), (await ask(`?domain=${name}`)).status]).toEqual([state, 403, 200]);
    }
    const [pointing, live] = [randomName(), randomName()];
    await plane.connect(pointing, 'issuing_cert');
    await plane.connect(live, 'live');
    expect([await statusOf(pointing), await statusOf(pointing), await statusOf(live)]).toEqual([200, 403, 200]);
    server.close();
  });

  test('answers 503 if neither the table nor the database can decide', async () => {
    const gone = () => Promise.reject(new CannotTell('gone'));
    const unavailable: Admissions = { lookup: gone, standingOf: gone, onChange: () => undefined };
    const handle = internalHandler(unavailable, {
      sandboxNames: 'admitted',
      authority: null,
      originDial: { allowed: [] },
      recordAsk: () => undefined,
    });
    const server = createServer((incoming, outgoing) => void handle(incoming, outgoing));
    await once(server.listen(await freePort(), '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    expect((await ask(`?domain=${randomName()}`, { port })).status).toBe(503);
    server.close();
  });
});

describe('the admission table of a process', () => {
  test('contains what existed before it started, and follows changes', async () => {
    const [before, after] = [randomName(), randomName()];
    const id = await plane.connect(before);
    const admission = new Admission(new DatabaseSource(plane.databaseUrl), silent);
    await until(() => admission.isTrusted);
    expect(await standing(admission, before)).toBe('serving');
    await plane.connect(after, 'verified');
    await until(async () => (await standing(admission, after)) === 'held');
    await plane.setState(id, 'archived');
    await until(async () => (await standing(admission, before)) === 'archived');
    await admission.stop();
  });

  test('gives a hostname to the next connection that verifies it, in every process', async () => {
    const name = randomName();
    for (let i = 0; i < 20; i++) {
      const id = await plane.connect(name, 'verified');
      await until(async () => (await standing(plane.admission, name)) === 'held');
      await plane.setState(id, 'archived');
      await untilEveryCopyKnows(plane.pool, { connectionId: id });
      expect(await standing(plane.admission, name)).toBe('archived');
    }
  });

  test('ignores notifications forged by another database login', async () => {
    const [forged, real] = [randomName(), randomName()];
    const realId = await plane.connect(real, 'verified');
    const application = crypto.randomUUID();
    const notices = [
      { sequence: 1e15, hostname: forged, standing: 'serving', application_id: application },
      { sequence: 1e15, hostname: real, standing: 'serving', application_id: application },
      { sequence: 1e15, application_id: plane.tenant.test.application_id, origin_url: 'http://127.0.0.1:1' },
    ];
    await query('DO $$ BEGIN CREATE ROLE stranger; EXCEPTION WHEN duplicate_object THEN NULL; END $$');
    const stranger = new pg.Client({ connectionString: plane.databaseUrl, options: '-c role=stranger' });
    await stranger.connect();
    for (const notice of [...notices.map((one) => JSON.stringify(one)), 'no JSON', '{}'])
      await stranger.query('SELECT pg_notify($1, $2)', ['admission', notice]);
    await stranger.end();
    // Notifications arrive in order, so the forged ones have been processed once this one has.
    await plane.connect(randomName(), 'verified');

    await until(() => plane.admission.isTrusted);
    expect([await standing(plane.admission, forged), await standing(plane.admission, real)]).toEqual(['none', 'held']);
    expect((await plane.admission.lookup(real)).origin_url).not.toBe('http://127.0.0.1:1');
    await plane.setState(realId, 'archived');
    await untilEveryCopyKnows(plane.pool, { connectionId: realId });
    expect(await standing(plane.admission, real)).toBe('archived');
  });

  test('is not notified of changes that concern neither claim nor origin', async () => {
    const id = await plane.connect(randomName());
    const listener = new pg.Client({ connectionString: plane.databaseUrl });
    await listener.connect();
    const heard: (string | undefined)[] = [];
    listener.on('notification', ({ payload }) => heard.push(payload));
    await listener.query('LISTEN admission');
    await plane.setState(id, 'drifted');
    await plane.setState(id, 'live');
    await plane.connect(randomName(), 'pending_ownership');
    const last = randomName();
    await plane.connect(last, 'verified');
    await until(() => heard.length > 0);
    expect(heard.filter((payload) => !payload?.includes(last))).toEqual([]);
    await listener.end();
  });

  test('is not trusted once its connection hangs half open, and the database is asked instead', async () => {
    const proxy = await startFreezingProxy(plane.databaseUrl);
    const admission = new Admission(new DatabaseSource(proxy.url), silent);
    await until(() => admission.isTrusted);
    const name = randomName();
    const id = await plane.connect(name);
    await until(async () => (await standing(admission, name)) === 'serving');
    expect(proxy.freezeListeners()).toBe(1);
    await plane.setState(id, 'archived');
    const barrier = untilEveryCopyKnows(plane.pool, { connectionId: id });
    await until(() => !admission.isTrusted);
    expect(await standing(admission, name)).toBe('archived');
    await barrier;
    expect(await standing(admission, name)).toBe('archived');
    await until(() => admission.isTrusted);
    expect(await standing(admission, name)).toBe('archived');
    await admission.stop();
    await proxy.stop();
  });

  test('does not answer for an unreachable database', async () => {
    const proxy = await startFreezingProxy(plane.databaseUrl);
    const admission = new Admission(new DatabaseSource(proxy.url), silent);
    await until(() => admission.isTrusted);
    proxy.cut();
    await until(() => !admission.isTrusted);
    await expect(Promise.resolve(admission.lookup(randomName()))).rejects.toThrow(CannotTell);
    await admission.stop();
    await proxy.stop();
  });

  test('starts a new epoch when its lease is taken away, and discards its contents', async () => {
    const admission = new Admission(new DatabaseSource(plane.databaseUrl), silent);
    await until(() => admission.isTrusted);
    const epochs = async () =>
      (await query<{ epoch: string }>('SELECT epoch FROM admission_leases')).map(({ epoch }) => epoch).sort();
    const before = await epochs();
    await query('DELETE FROM admission_leases');
    await until(() => !admission.isTrusted);
    await until(() => admission.isTrusted && plane.admission.isTrusted);
    const after = await epochs();
    expect(after.length).toBeGreaterThanOrEqual(2); // a busy machine that renews late adds a lease
    expect(after.filter((epoch) => before.includes(epoch))).toEqual([]);
    await admission.stop();
  });

  test('releases its lease when it stops, so that no barrier waits for it', async () => {
    const database = await createTestDatabase(); // a separate database, in which no other process holds a lease
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const leases = async () =>
      (await client.query('SELECT FROM admission_leases WHERE expires_at > clock_timestamp()')).rowCount;
    const admission = new Admission(new DatabaseSource(database.url), silent);
    await until(async () => (await leases()) === 1);
    await until(() => admission.isTrusted);

    await admission.stop();
    const left = await leases();
    await client.end();
    await database.drop();

    expect(left).toBe(0);
  });
});

describe('the barrier', () => {
  test('waits for a copy that does not acknowledge until its lease expires by the database’s clock', async () => {
    const id = await plane.connect(randomName());
    await query(
      `INSERT INTO admission_leases VALUES ('00000000-0000-4000-8000-000000000000', clock_timestamp() + interval '1 second')`,
    );
    await plane.setState(id, 'archived');
    await untilEveryCopyKnows(plane.pool, { connectionId: id });
    const [over] = await query<{ over: boolean }>(
      `SELECT expires_at <= clock_timestamp() AS over FROM admission_leases
       WHERE epoch = '00000000-0000-4000-8000-000000000000'`,
    );
    expect(over).toEqual({ over: true });
  });

  test('does not wait for a copy that started after the change', async () => {
    const name = randomName();
    const id = await plane.connect(name);
    await plane.setOrigin('https://origin.example.com');
    await plane.setState(id, 'archived');
    const younger = new Admission(new DatabaseSource(plane.databaseUrl), silent);
    await until(() => younger.isTrusted);
    await untilEveryCopyKnows(plane.pool, { connectionId: id });
    await untilEveryCopyKnows(plane.pool, { applicationId: plane.tenant.test.application_id });
    expect(await standing(younger, name)).toBe('archived');
    await younger.stop();
  });

  test('ends correctly while copies start and stop', async () => {
    const copies = new Set<Admission>();
    let isOver = false;
    const comeAndGo = [1, 2, 3].map(async (lifetime) => {
      while (!isOver) {
        const copy = new Admission(new DatabaseSource(plane.databaseUrl), silent);
        copies.add(copy);
        await until(() => copy.isTrusted);
        await pause(lifetime * 7);
        copies.delete(copy);
        await copy.stop();
      }
    });
    for (let i = 0; i < 100; i++) {
      const name = randomName();
      const id = await plane.connect(name);
      await plane.setState(id, 'archived');
      await untilEveryCopyKnows(plane.pool, { connectionId: id });
      const answers = [plane.admission, ...copies].map((copy) => standing(copy, name));
      expect(new Set(await Promise.all(answers))).toEqual(new Set(['archived']));
    }
    isOver = true;
    await Promise.all(comeAndGo);
  });

  test('leaves no obsolete acknowledgements behind', async () => {
    const id = await plane.connect(randomName());
    const before = (await query<{ n: number }>('SELECT count(*)::int AS n FROM admission_acks'))[0]!.n;
    await query(`SELECT setval('admission_sequence', nextval('admission_sequence') + 200000)`);
    await plane.setState(id, 'archived');
    await untilEveryCopyKnows(plane.pool, { connectionId: id });
    expect(before).toBeGreaterThan(1);
    expect(
      await query(
        'SELECT FROM admission_acks JOIN admission_leases USING (epoch) WHERE expires_at > clock_timestamp()',
      ),
    ).toHaveLength(1);
  });

  test('has nothing to wait for if a hostname was never verified', async () => {
    const id = await plane.connect(randomName(), 'pending_ownership');
    await plane.setState(id, 'archived');
    await untilEveryCopyKnows(plane.pool, { connectionId: id });
  });
});

async function query<T extends object>(text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: plane.databaseUrl });
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}
