import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { keepCredential, preflight } from '../../src/provisioning/credentials.ts';
import { getConnectionDetail } from '../../src/db/connection/connection-detail.ts';
import { deleteCredential } from '../../src/db/zone/credentials.ts';
import { none, sql } from '../../src/db/pool.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import { Lab } from '../support/fixtures/workflow-lab.ts';
import { startPowerDnsApi, type PowerDnsApi } from '../support/servers/powerdns-api.ts';

/** Covers writing through a credential on a real PowerDNS: the workflow, the provisioning, the ledger and the zone. */
describe('a connection whose zone we can write', () => {
  let dns: PowerDnsApi;
  let lab: Lab;
  let outage: Front;
  let zones = 0;
  beforeAll(async () => {
    dns = await startPowerDnsApi();
    outage = await frontOf(dns);
  });
  afterAll(async () => {
    outage.server.close();
    await dns.stop();
  });
  beforeEach(async () => {
    outage.down = false;
    outage.abandoned = 0;
    lab = await Lab.open();
  });
  afterEach(() => lab.close());

  const newZone = async (...records: [string, string, string][]) => {
    const zone = `customer-${++zones}.com`;
    await dns.createZone(
      zone,
      records.map(([host, type, content]) => ({
        name: `${host}.${zone}.`,
        type,
        ttl: 3_600,
        records: [{ content, disabled: false }],
      })),
    );
    return zone;
  };
  const giveCredential = async () => {
    const given = {
      tenantId: lab.tenant.tenant_id,
      applicationId: lab.tenant.test.application_id,
      provider: 'powerdns',
      credential: { api_url: outage.url, api_key: dns.apiKey },
      label: null,
    };
    const health = await preflight(lab.providerAccess, given);
    return lab.pool.transaction((tx) => keepCredential(lab.providerAccess, tx, given, health));
  };
  const ours = (dump: string[], before: string[]) => dump.filter((line) => !before.includes(line));
  const setPolicy = (policy: string) =>
    lab.pool.query(
      sql.type(none)`UPDATE applications SET drift_policy = ${policy} WHERE id = ${lab.tenant.test.application_id}`,
    );

  test('goes live without a manual step and leaves other records alone, and DELETE restores the zone', async () => {
    const zone = await newZone(
      ['mail', 'MX', '10 mx.elsewhere.net.'],
      ['_service-challenge.shop', 'TXT', '"somebody else’s"'],
    );
    const before = await dns.dump(zone);
    await giveCredential();
    const row = await lab.create(`shop.${zone}`);
    await lab.start(row);
    const live = await lab.untilState(row.id, 'live');
    expect(live).toMatchObject({ setup_type: 'automatic', error_code: null });
    const after = await dns.dump(zone);
    expect(after).toEqual(expect.arrayContaining(before));
    expect(ours(after, before)).toHaveLength(2);
    expect(await lab.moves(row.id)).toContain('verified→dns_writing');
    await lab.untilWatched(row);
    await lab.archive(row.id);
    await lab.relay();
    await lab.handle(row).result();
    expect(await dns.dump(zone)).toEqual(before);
    expect((await lab.row(row.id)).cleanup).toBe('done');
  });

  test('gets every address that the edge has now, and DELETE removes all of them', async () => {
    const zone = await newZone();
    const before = await dns.dump(zone);
    await giveCredential();
    const [one, two] = ['192.0.2.10', '198.51.100.10'];
    lab.providerAccess.edge = { ...lab.providerAccess.edge, ipv4: [one, two] };
    const record = { host: zone, type: 'A', value: one, ttl: 300, priority: null, edge: true } as const;
    const row = await newConnection(lab.pool, lab.tenant, zone, { records: [record] });
    await lab.start(row);
    await lab.untilWatched(row);
    const addresses = ours(await dns.dump(zone), before).filter((line) => line.includes('"A"'));
    expect(addresses).toEqual([expect.stringContaining(one), expect.stringContaining(two)]);
    await lab.archive(row.id);
    await lab.relay();
    await lab.handle(row).result();
    expect(await dns.dump(zone)).toEqual(before);
  });

  test('with a conflicting record is left to its owner, and shows the conflict until a write succeeds', async () => {
    const zone = await newZone(['shop', 'A', '192.0.2.7']);
    const before = await dns.dump(zone);
    await giveCredential();
    lab.scenario.records = () => 'mismatch';
    const row = await lab.create(`shop.${zone}`);
    await lab.start(row);
    await lab.untilState(row.id, 'propagating');
    await lab.env.sleep('10 minutes');
    expect(await lab.row(row.id)).toMatchObject({ setup_type: 'manual', error_code: 'record_conflict' });
    expect(ours(await dns.dump(zone), before).filter((line) => line.includes('CNAME'))).toEqual([]);
  });

  test('survives an outage of its provider: writes are retried for an hour and alongside the checks, and succeed afterwards', async () => {
    const zone = await newZone();
    await giveCredential();
    lab.scenario.records = () => 'mismatch';
    const row = await lab.create(`shop.${zone}`);
    outage.down = true;
    await lab.start(row);
    await lab.skipUntil(row.id, 'dns_writing', '30 seconds', 4); // quick repetitions of the first write come before
    await lab.skipUntil(row.id, 'propagating', '10 minutes', 9);
    expect(await lab.row(row.id)).toMatchObject({ setup_type: 'automatic', error_code: 'dns_write_failed' });
    await lab.env.sleep('50 minutes');
    outage.down = false;
    for (let i = 0; i < 6 && (await dns.dump(zone)).every((line) => !line.includes('CNAME')); i++)
      await lab.env.sleep('10 minutes');
    expect((await dns.dump(zone)).filter((line) => line.includes('CNAME'))).toHaveLength(1);
    await lab.untilRow(row.id, ({ error_code }) => error_code !== 'dns_write_failed');
  });

  test('that gets a credential while it waits for manual setup is written immediately', async () => {
    // The message races with checks. Only the dev server handles that race like a production server.
    await lab.close();
    lab = await Lab.open('dev-server');
    const zone = await newZone();
    lab.scenario.records = () => 'mismatch';
    const row = await lab.create(`shop.${zone}`);
    await lab.start(row);
    await lab.untilState(row.id, 'propagating');
    expect((await lab.row(row.id)).setup_type).toBe('manual');
    await giveCredential();
    await lab.relay();
    await lab.untilRow(row.id, ({ setup_type, state }) => setup_type === 'automatic' && state === 'propagating');
    expect((await dns.dump(zone)).filter((line) => line.includes('CNAME'))).toHaveLength(1);
  });

  test('is repaired when it drifts, at most three times a day', async () => {
    const zone = await newZone();
    await giveCredential();
    await setPolicy('repair');
    const row = await lab.create(`shop.${zone}`);
    await lab.start(row);
    await lab.untilState(row.id, 'live');
    lab.scenario.records = () => 'mismatch';
    await lab.skipUntil(row.id, 'drifted', '20 minutes', 6);
    await lab.env.sleep('5 hours');
    expect((await lab.row(row.id)).repaired_at).toHaveLength(3);
    expect((await lab.row(row.id)).state).toBe('drifted');
  });

  /** Holds write requests at the provider until `release` is called. */
  function holdProvider(): { reached: Promise<undefined>; release(): void } {
    const [arrived, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    outage.hold = () => {
      arrived.resolve(undefined);
      return released.promise;
    };
    const release = () => {
      outage.hold = undefined;
      released.resolve(undefined);
    };
    return { reached: arrived.promise, release };
  }

  test('that is archived during a write leaves no records behind', async () => {
    const zone = await newZone();
    const before = await dns.dump(zone);
    await giveCredential();
    const { reached, release } = holdProvider();
    const row = await lab.create(`shop.${zone}`);
    await lab.start(row);
    await reached;
    await lab.archive(row.id);
    await lab.relay();
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // long enough for a clean-up that starts too early
    release();
    await lab.handle(row).result();
    expect(await dns.dump(zone)).toEqual(before);
    expect((await lab.row(row.id)).cleanup).toBe('done');
  });

  test('that is archived during a write of many seconds waits for it: the write is not aborted, and no record is left behind', async () => {
    const zone = await newZone();
    const before = await dns.dump(zone);
    await giveCredential();
    const { reached, release } = holdProvider();
    const row = await lab.create(`shop.${zone}`);
    await lab.start(row);
    await reached;
    await lab.archive(row.id);
    await lab.relay();
    await new Promise((resolve) => setTimeout(resolve, 12_000)); // by now heartbeats have requested cancellation
    const { abandoned } = outage;
    release();
    await lab.handle(row).result();
    expect(abandoned).toBe(0);
    expect(await dns.dump(zone)).toEqual(before);
    expect((await lab.row(row.id)).cleanup).toBe('done');
    const written = await lab.pool.anyFirst(sql.type(z.object({ status: z.string() }))`
      SELECT status FROM dns_ledger WHERE connection_id = ${row.id}
    `);
    expect(written).toEqual(['removed']); // the write was confirmed and undone, not surrendered as another owner's record
  });

  test('that is archived while its provider is away for a day and a half leaves no records behind, and its run does not fail', async () => {
    const zone = await newZone();
    const before = await dns.dump(zone);
    await giveCredential();
    const row = await lab.create(`shop.${zone}`);
    await lab.start(row);
    await lab.untilWatched(row);
    outage.down = true;
    await lab.archive(row.id);
    await lab.relay();
    await lab.env.sleep('36 hours'); // the activity times out after 30
    expect((await lab.row(row.id)).cleanup).toBe('pending');
    expect(await lab.handle(row).describe()).toMatchObject({ status: { name: 'RUNNING' } });
    outage.down = false;
    await lab.handle(row).result();
    expect(await dns.dump(zone)).toEqual(before);
    expect((await lab.row(row.id)).cleanup).toBe('done');
  });

  test('that is being cleaned up answers verify with archived immediately', async () => {
    const zone = await newZone();
    await giveCredential();
    const row = await lab.create(`shop.${zone}`);
    await lab.start(row);
    await lab.untilWatched(row); // the test server loses a setup that ends while its run cancels it
    const { reached, release } = holdProvider();
    await lab.archive(row.id);
    await lab.relay();
    await reached;
    expect(await lab.verify(row)).toMatchObject({ outcome: 'archived' });
    release();
    await lab.handle(row).result();
  });

  test('whose credential is gone when it is archived lists the manual steps on its timeline', async () => {
    const zone = await newZone();
    const { id } = await giveCredential();
    const row = await lab.create(`shop.${zone}`);
    await lab.start(row);
    await lab.untilWatched(row); // the test server loses a setup that ends while its run cancels it
    await deleteCredential(lab.pool, id);
    await lab.archive(row.id);
    await lab.relay();
    await lab.handle(row).result();
    expect(await lab.row(row.id)).toMatchObject({ state: 'archived', cleanup: 'failed' });
    expect((await getConnectionDetail(lab.pool, row.id))?.timeline[0]).toMatchObject({
      kind: 'reason',
      reason: expect.stringContaining('remove our records manually') as string,
    });
  });

  test('whose credential is gone when its challenge is seen falls back to manual setup and shows the reason', async () => {
    const zone = await newZone();
    const { id } = await giveCredential();
    lab.scenario.challenge = () => 'mismatch';
    lab.scenario.records = () => 'mismatch';
    const row = await lab.create(`shop.${zone}`);
    await lab.start(row);
    await lab.untilRow(row.id, ({ setup_type }) => setup_type === 'automatic');
    await deleteCredential(lab.pool, id);
    lab.scenario.challenge = () => 'match';
    await lab.skipUntil(row.id, 'propagating', '5 seconds', 10);
    expect((await lab.row(row.id)).setup_type).toBe('manual');
  });

  test('whose first write the provider refuses for a moment is written without waiting for the next check', async () => {
    const zone = await newZone();
    await giveCredential();
    lab.scenario.challenge = () => 'mismatch';
    outage.refusals = 2;
    const row = await lab.create(`shop.${zone}`);
    await lab.start(row);
    await lab.untilRow(row.id, ({ setup_type }) => setup_type === 'automatic');
    expect(outage.refusals).toBe(0);
    expect((await lab.row(row.id)).error_code).toBeNull();
    expect(String(await dns.dump(zone))).toContain(row.challenge_token);
  });

  test('whose credential is refused falls back to manual setup, and the credential is marked invalid', async () => {
    const zone = await newZone();
    const { id } = await giveCredential();
    const sealed = lab.providerAccess.vault.seal(JSON.stringify({ api_url: outage.url, api_key: 'withdrawn' }), {
      kind: 'credential',
      tenantId: lab.tenant.tenant_id,
      ownerId: lab.tenant.test.application_id,
      id,
    });
    await lab.pool.query(sql.type(none)`
      UPDATE credentials SET wrapped_key = ${sql.binary(sealed.wrappedKey)}, ciphertext = ${sql.binary(sealed.ciphertext)} WHERE id = ${id}
    `);
    lab.scenario.challenge = () => 'mismatch';
    const row = await lab.create(`shop.${zone}`);
    await lab.start(row);
    await lab.untilRow(row.id, ({ error_code }) => error_code === 'credential_invalid');
    expect(await lab.row(row.id)).toMatchObject({
      setup_type: 'manual',
      state: expect.stringMatching(/pending_ownership|verifying/) as string,
    });
    const history = JSON.stringify(await lab.handle(row).fetchHistory());
    expect(history).not.toContain('withdrawn');
  });
});

interface Front {
  down: boolean;
  /** Requests whose sender stopped waiting before they were answered. */
  abandoned: number;
  /** Number of write requests that are still to be refused with 500. */
  refusals: number;
  /** Delays write requests until the returned promise resolves; reads pass. */
  hold?: (() => Promise<void>) | undefined;
  url: string;
  server: Server;
}

/** Starts a proxy that can answer 503 while the server behind it works. */
async function frontOf(dns: PowerDnsApi): Promise<Front> {
  const front: Front = { down: false, abandoned: 0, refusals: 0, url: '', server: createServer() };
  front.server.on('request', (request, response) => {
    const isRefused = request.method === 'PATCH' && front.refusals > 0;
    if (isRefused) front.refusals--;
    if (front.down || isRefused) {
      response.writeHead(isRefused ? 500 : 503).end();
      return;
    }
    response.on('close', () => {
      if (!response.writableEnded) front.abandoned++;
    });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = { 'x-api-key': String(request.headers['x-api-key']), 'content-type': 'application/json' };
      const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
      const held = request.method === 'PATCH' ? front.hold?.() : undefined;
      Promise.resolve(held)
        .then(() => fetch(`${dns.apiUrl}${request.url ?? ''}`, { method: request.method ?? 'GET', headers, ...body }))
        .then(async (answer) =>
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text()),
        )
        .catch(() => response.writeHead(502).end());
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => front.server.listen(port, '127.0.0.1', resolve));
  front.url = `http://127.0.0.1:${(front.server.address() as AddressInfo).port}`;
  return front;
}
