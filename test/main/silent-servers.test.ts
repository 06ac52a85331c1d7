import pg from 'pg';
import { createPool } from '../../src/db/pool.ts';
import { createTenant } from '../../src/db/tenant/tenants.ts';
import { runningServers } from '../../src/embedded/orphans.ts';
import { ApiUser } from '../support/fixtures/api-user.ts';
import { loopbackAddresses } from '../support/fixtures/dns-port.ts';
import { startLyingServer, type LyingServer } from '../support/doubles/lying-server.ts';
import { Service } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { EDGE_TARGET, startInternetLab, type InternetLab } from '../support/fixtures/internet-lab.ts';

const DOMAINS = 20;
const NAMES_PER_DOMAIN = 10;

describe('a tenant with hundreds of hostnames on a name server that never answers', () => {
  let internet: InternetLab;
  let blackHole: LyingServer;
  let service: Service;
  let database: pg.Client;
  let other: ApiUser;
  beforeAll(async () => {
    internet = await startInternetLab();
    const [address = ''] = loopbackAddresses(1);
    blackHole = await startLyingServer(address, internet.powerdns.port);
    await internet.powerdns.set('com', 'ns.black-hole.com', 'A', address);
    service = await Service.start(await tempFolder(), internet.env);
    const { database_url } = (await runningServers(service.dataDir))!;
    database = new pg.Client({ connectionString: database_url });
    await database.connect();
    const pool = await createPool(database_url, { max: 2, name: 'test' });
    const { test } = await createTenant(pool, 'Other');
    await pool.end();
    other = new ApiUser((await service.demo()).base_url, test);
  });
  afterAll(async () => {
    await database.end();
    await service.stop();
    await blackHole.stop();
    await internet.stop();
  });

  /** Brings a connection from create to live, with a customer who publishes the records immediately. */
  async function goLive(): Promise<{ id: string; ms: number }> {
    const domain = await internet.domain({ negativeTtl: 60 });
    const hostname = `shop.${domain}`;
    const began = performance.now();
    const id = await other.connect(hostname);
    const { ownership_challenge } = (await other.call('GET', `/connections/${id}`)).body;
    const { name, value } = ownership_challenge as { name: string; value: string };
    await internet.powerdns.set(domain, name, 'TXT', `"${value}"`);
    await internet.powerdns.set(domain, hostname, 'CNAME', `${EDGE_TARGET}.`);
    await other.untilLive(id, 240_000);
    return { id, ms: performance.now() - began };
  }

  const checksOf = async (id: string): Promise<number> => {
    const { rows } = await database.query<{ checks: number }>(
      'SELECT coalesce(sum(looks), 0)::int AS checks FROM observations WHERE connection_id = $1',
      [id],
    );
    return rows[0]?.checks ?? 0;
  };

  test('does not delay another tenant’s hostname by more than a few checks', async () => {
    const alone = await goLive();
    const waiting: string[] = [];
    for (let i = 0; i < DOMAINS; i++) {
      const domain = await internet.domain();
      await internet.powerdns.set(domain, domain, 'NS', 'ns.black-hole.com.');
      for (let n = 0; n < NAMES_PER_DOMAIN; n++) waiting.push(await service.connect(`n${n}.${domain}`));
    }

    const underLoad = await goLive();

    process.stdout.write(
      `Time to live next to ${waiting.length} names on a silent server: ${Math.round(underLoad.ms)} ms, alone ${Math.round(alone.ms)} ms, ratio ${(underLoad.ms / alone.ms).toFixed(1)}.\n`,
    );
    const { rows } = await database.query<{ state: string; n: number }>(
      'SELECT state, count(*)::int AS n FROM connections WHERE id = ANY($1) GROUP BY state',
      [waiting],
    );
    expect(rows.every(({ state }) => state === 'pending_ownership' || state === 'verifying')).toBe(true);
    expect(await checksOf(underLoad.id)).toBeLessThanOrEqual((await checksOf(alone.id)) + 10);
    // A check that waits for every query sends six datagrams; a check that knows about the silence sends two or none.
    const checks = (await Promise.all(waiting.map(checksOf))).reduce((sum, n) => sum + n, 0);
    process.stdout.write(`${checks} checks sent ${blackHole.asked.length} datagrams to the silent server.\n`);
    expect(blackHole.asked.length).toBeGreaterThan(0);
    expect(blackHole.asked.length).toBeLessThan(3 * checks + 100);
  }, 600_000);
});
