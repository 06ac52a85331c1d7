import pg from 'pg';
import { z } from 'zod';
import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { none, sql } from '../../src/db/pool.ts';
import type { State } from '../../src/domain/connection/connection.ts';
import { reconcile } from '../../src/temporal/reconcile.ts';
import { violations } from '../support/invariants.ts';
import type { Receiver } from '../support/doubles/receiver.ts';
import { relaying } from '../support/fixtures/relaying.ts';
import { WebhookLab } from '../support/fixtures/webhook-lab.ts';
import { log } from '../support/fixtures/workflow-lab.ts';
import { startPowerDnsApi, type PowerDnsApi } from '../support/servers/powerdns-api.ts';
import { until } from '../support/until.ts';
import { restoreZone, startReceivers } from './counterparts.ts';
import { migratedRelease, readRelease, RECORDED_VAULT_KEY } from './release-dump.ts';

const WRITTEN_ZONE = 'automatic-customer.com';
/** States in which a run is at work. A failed connection waits for its tenant, an archived one is done. */
const hasRun = ({ state }: ConnectionRow): boolean => state !== 'failed' && state !== 'archived';

/** This version's worker takes over the database of a release, with a Temporal that has none of its runs. */
describe.each(['0.1.0'])('the data of release %s', (version) => {
  let webhooks: WebhookLab;
  let dns: PowerDnsApi;
  let receivers: ReadonlyMap<string, Receiver>;
  let before: readonly ConnectionRow[];
  let pending: readonly string[];
  const since = Date.now();

  beforeAll(async () => {
    const database = await migratedRelease(readRelease(version));
    [webhooks, dns] = await Promise.all([
      WebhookLab.open('time-skipping', { vaultKey: RECORDED_VAULT_KEY, database }),
      startPowerDnsApi(),
    ]);
    before = await connections();
    pending = await deliveries('pending');
    receivers = await startReceivers(webhooks);
    await restoreZone(webhooks, dns, WRITTEN_ZONE);
    await webhooks.lab.pool.query(sql.type(none)`DELETE FROM outbox`); // no message starts a run, only the reconciler
  });
  afterAll(async () => {
    for (const receiver of receivers.values()) await receiver.stop();
    await webhooks.close();
    await dns.stop();
  });

  async function connections(): Promise<readonly ConnectionRow[]> {
    const { pool } = webhooks.lab;
    const ids = await pool.anyFirst(sql.type(z.object({ id: z.uuid() }))`SELECT id FROM connections ORDER BY id`);
    return Promise.all(ids.map((id) => webhooks.lab.row(id)));
  }
  const deliveries = (status: string): Promise<readonly string[]> =>
    webhooks.lab.pool.anyFirst(sql.type(z.object({ id: z.uuid() }))`
      SELECT id FROM webhook_deliveries WHERE status = ${status} ORDER BY id
    `);
  const withState = (state: State): ConnectionRow[] => before.filter((row) => row.state === state);
  const reconcileAll = () => reconcile({ pool: webhooks.lab.pool, temporal: webhooks.lab.temporal, log }, true);

  test('gets a run for each connection and delivery that waits for something', async () => {
    const missing = before.filter(hasRun).length + pending.length;
    expect(await reconcileAll()).toEqual({ asked: missing, restarted: missing });
    await webhooks.lab.relay();
    for (const row of before.filter(hasRun))
      expect((await webhooks.lab.handle(row).describe()).status.name).toBe('RUNNING');
  });

  test('becomes live from every state that waits, serving connections are checked again, and drifted ones recover', async () => {
    await relaying(webhooks.lab, 'all', async () => {
      for (const { id, last_checked_at } of before.filter(hasRun)) {
        const isChecked = (row: ConnectionRow) => Number(row.last_checked_at) > Number(last_checked_at);
        await webhooks.lab.untilRow(id, (row) => row.state === 'live' && isChecked(row), 60_000);
      }
    });
    const [drifted] = withState('drifted');
    expect((await webhooks.lab.eventTypes(drifted!.id)).at(-1)).toBe('domain.restored');
  });

  test('lets a failed connection be verified', async () => {
    const [failed] = withState('failed');
    await relaying(webhooks.lab, 'all', async () => {
      expect((await webhooks.lab.verify(failed!)).outcome).toBe('verified');
      await webhooks.lab.untilState(failed!.id, 'live');
    });
  });

  test('has its records in the zone to which it had written, and removes them with the connection', async () => {
    const written = before.filter(({ hostname }) => hostname.endsWith(WRITTEN_ZONE));
    expect(written).toHaveLength(2);
    const recordsOf = async (hostname: string) =>
      (await dns.dump(WRITTEN_ZONE)).filter((set) => set.includes(hostname)).length;
    // The challenge and the CNAME; the second connection had been proved before its credential was used.
    expect(await Promise.all(written.map(({ hostname }) => recordsOf(hostname)))).toEqual([2, 1]);
    for (const row of written) {
      await webhooks.lab.archive(row.id);
      await webhooks.lab.relay();
      await webhooks.lab.untilRow(row.id, ({ cleanup }) => cleanup === 'done');
      expect(await recordsOf(row.hostname)).toBe(0);
    }
    for (const row of withState('archived'))
      expect(await webhooks.lab.row(row.id)).toMatchObject({ state: 'archived', cleanup: 'done' });
  });

  test('delivers what was due and no event twice', async () => {
    await relaying(webhooks.lab, 'all', async () => {
      for (let i = 0; i < 12 && (await deliveries('pending')).length > 0; i++) {
        await webhooks.startPostponed();
        await webhooks.lab.env.sleep('15 minutes');
      }
      await until(async () => (await deliveries('pending')).length === 0);
    });
    const received = [...receivers].flatMap(([endpoint, receiver]) =>
      receiver.received.map(({ event }) => `${event.id} ${endpoint}`),
    );
    expect(received).toHaveLength(new Set(received).size);
    const due = await webhooks.lab.pool.anyFirst(sql.type(z.object({ who: z.string() }))`
      SELECT event_id || ' ' || endpoint_id AS who FROM webhook_deliveries
      WHERE id = ANY(${sql.array([...pending], 'uuid')}) OR created_at > ${sql.timestamp(new Date(since))}
    `);
    expect(received.toSorted()).toEqual(due.toSorted());
    expect([...receivers.values()].flatMap((receiver) => receiver.received).every(({ isGenuine }) => isGenuine)).toBe(
      true,
    );
  });

  test('has no gap in a sequence, no move twice and no event twice', async () => {
    const database = new pg.Client({ connectionString: webhooks.lab.databaseUrl });
    await database.connect();
    try {
      expect(await violations(database)).toEqual([]);
    } finally {
      await database.end();
    }
  });
});
