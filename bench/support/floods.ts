import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Pool } from '../../src/db/pool.ts';
import { createTenant } from '../../src/db/tenant/tenants.ts';
import { startLyingServer } from '../../test/support/doubles/lying-server.ts';
import { ApiUser } from '../../test/support/fixtures/api-user.ts';
import { loopbackAddresses } from '../../test/support/fixtures/dns-port.ts';
import { startHttpFront } from '../../test/support/proxies/http-front.ts';
import { inParallel } from './in-parallel.ts';
import type { OrderingService } from './ordering-service.ts';

/** A tenant's flood. `begin` resolves when the API has accepted the whole flood; `end` removes its hostnames. */
export interface Flood {
  title: string;
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** The tenant whose flood it is. */
export interface Flooder {
  user: ApiUser;
  applicationId: string;
}

interface World {
  ordering: OrderingService;
  pool: Pool;
  database: pg.Client;
  baseUrl: string;
}

const NAMES_PER_ZONE = 10;
const SLOW_PROVIDER_MS = 20_000;
const HANGING_RECEIVERS = 5;
const CLEANED_UP_WITHIN_MS = 300_000;

export async function newFlooder({ pool, baseUrl }: World): Promise<Flooder> {
  const { test } = await createTenant(pool, 'Flood');
  return { user: new ApiUser(baseUrl, test), applicationId: test.application_id };
}

/** Gives an application the credential for every zone of the lab, at the provider's URL. */
export async function giveCredential({ user, applicationId }: Flooder, ordering: OrderingService, apiUrl?: string) {
  const { apiUrl: usual, apiKey } = ordering.internet.powerdns;
  const credentials = { api_url: apiUrl ?? usual, api_key: apiKey };
  await expect201(user, `/applications/${applicationId}/credentials`, { provider: 'powerdns', credentials });
  await user.call('PATCH', `/applications/${applicationId}`, { origin_url: 'http://127.0.0.1:9' });
}

/** One tenant creates real hostnames with as many requests at the same time. */
export async function singles(world: World, flooder: Flooder, count: number): Promise<Flood> {
  await giveCredential(flooder, world.ordering);
  const hostnames = await namesIn(world, count);
  return {
    title: `${count} real hostnames, created at the same time`,
    begin: () => createAll(flooder, hostnames),
    end: () => archiveAll(world, flooder),
  };
}

export async function silentNames(world: World, flooder: Flooder, count: number): Promise<Flood> {
  const { powerdns } = world.ordering.internet;
  const [address = ''] = loopbackAddresses(1);
  const blackHole = await startLyingServer(address, powerdns.port);
  await powerdns.set('com', 'ns.black-hole.com', 'A', address);
  const zones = await zonesFor(world, count);
  for (const zone of zones) await powerdns.set(zone, zone, 'NS', 'ns.black-hole.com.');
  const hostnames = namesBelow(zones, count);
  return {
    title: `${count} hostnames on silent name servers`,
    begin: () => batch(flooder, hostnames),
    async end() {
      await archiveAll(world, flooder);
      await blackHole.stop();
    },
  };
}

export async function slowProvider(world: World, flooder: Flooder, count: number): Promise<Flood> {
  const front = await startHttpFront(world.ordering.internet.powerdns.apiUrl);
  await giveCredential(flooder, world.ordering, front.url);
  const wait = async ({ isAnswered }: { isAnswered: boolean }) => {
    if (!isAnswered) await pause(SLOW_PROVIDER_MS);
  };
  const hostnames = await namesIn(world, count);
  return {
    title: `${count} hostnames, the provider takes ${SLOW_PROVIDER_MS / 1_000} s a call`,
    begin() {
      front.intercept = wait;
      return createAll(flooder, hostnames);
    },
    async end() {
      front.intercept = undefined;
      await archiveAll(world, flooder);
      await front.stop();
    },
  };
}

export async function hangingReceivers(world: World, flooder: Flooder, count: number): Promise<Flood> {
  const silent = createServer(() => undefined);
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  for (let n = 0; n < HANGING_RECEIVERS; n++) {
    const endpoint = { application_id: flooder.applicationId, url: `${url}/${n}` };
    await expect201(flooder.user, '/webhook-endpoints', endpoint);
  }
  const flood = await singles(world, flooder, count);
  return {
    ...flood,
    title: `${count} hostnames, ${HANGING_RECEIVERS} receivers that hang`,
    async end() {
      await flood.end();
      silent.closeAllConnections();
      silent.close();
    },
  };
}

export async function oneBatch(world: World, flooder: Flooder, count: number): Promise<Flood> {
  await giveCredential(flooder, world.ordering);
  const hostnames = await namesIn(world, count);
  return {
    title: `a batch of ${count} hostnames`,
    begin: () => batch(flooder, hostnames),
    end: () => archiveAll(world, flooder),
  };
}

async function expect201(user: ApiUser, path: string, body: object): Promise<void> {
  const answer = await user.call('POST', path, body);
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}

async function zonesFor({ ordering }: World, count: number): Promise<string[]> {
  const zones: string[] = [];
  for (let n = 0; n < count / NAMES_PER_ZONE; n++) zones.push(await ordering.internet.domain());
  return zones;
}

const namesBelow = (zones: readonly string[], count: number): string[] =>
  Array.from({ length: count }, (_, i) => `shop-${i}.${zones[i % zones.length]}`);

const namesIn = async (world: World, count: number): Promise<string[]> =>
  namesBelow(await zonesFor(world, count), count);

/** Creates all hostnames at the same time. Refused requests are repeated, as a client does. */
async function createAll({ user, applicationId }: Flooder, hostnames: readonly string[]): Promise<void> {
  await Promise.all(
    hostnames.map(async (hostname) => {
      for (;;) {
        const { status } = await user.call('POST', '/connections', { application_id: applicationId, hostname });
        if (status === 201) return;
        if (status !== 429 && status !== 503) throw new Error(`POST /connections answered ${status}.`);
        await pause(1_000);
      }
    }),
  );
}

const batch = ({ user, applicationId }: Flooder, hostnames: readonly string[]): Promise<void> =>
  expect201(user, '/batches', { application_id: applicationId, hostnames });

/** Archives the tenant's connections, and waits until no records are left to remove. */
async function archiveAll({ database }: World, { user, applicationId }: Flooder): Promise<void> {
  const open = await database.query<{ id: string }>(
    `SELECT id FROM connections WHERE application_id = $1 AND state <> 'archived'`,
    [applicationId],
  );
  await inParallel(open.rows, 5, null, async ({ id }) => {
    for (;;) {
      const { status } = await user.call('DELETE', `/connections/${id}`);
      if (status !== 429 && status !== 503) return;
      await pause(1_000);
    }
  });
  const end = performance.now() + CLEANED_UP_WITHIN_MS;
  while (performance.now() < end) {
    const { rows } = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM connections WHERE application_id = $1 AND cleanup = 'pending'`,
      [applicationId],
    );
    if (rows[0]?.n === 0) return;
    await pause(500);
  }
  throw new Error('The flood was not removed in time.');
}
