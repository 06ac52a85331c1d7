import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { recordEvents } from '../../src/db/webhook/events.ts';
import { sql } from '../../src/db/pool.ts';
import { createMetrics } from '../../src/metrics.ts';
import { createTenant } from '../../src/db/tenant/tenants.ts';
import { startRelay } from '../../src/temporal/relay.ts';
import { deliveryKinds } from '../../src/temporal/workflow-kinds.ts';
import { startEchoOrigin } from '../support/doubles/echo-origin.ts';
import { startEdgeWithAgent } from '../support/fixtures/edge-agent-lab.ts';
import { log } from '../support/fixtures/workflow-lab.ts';
import { Receiver } from '../support/doubles/receiver.ts';
import { subscribe } from '../support/fixtures/subscribe.ts';
import { tries } from '../support/tries.ts';
import { until } from '../support/until.ts';
import { WebhookLab } from '../support/fixtures/webhook-lab.ts';
import { clientHello, isRefused } from './client-hello.ts';
import { saw } from './report.ts';

const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? 0;

const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

test('row 28: handshakes for random hostnames get no certificate, reach neither control plane nor database, and a known hostname is served', async () => {
  const origin = await startEchoOrigin('origin');
  const lab = await startEdgeWithAgent();
  await lab.control.setOrigin(origin.url);
  const known = `${randomUUID().slice(0, 8)}.example-shop.com`;
  await lab.control.connect(known);
  await until(async () => (await lab.visit(known)).status === 200);
  const visit = async (): Promise<number> => {
    const began = performance.now();
    expect((await lab.visit(known)).status).toBe(200);
    return performance.now() - began;
  };
  const calm: number[] = [];
  for (let i = 0; i < 100; i++) calm.push(await visit());
  const transactions = () =>
    lab.control.pool.oneFirst(sql.type(z.object({ n: z.number() }))`
      SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()
    `);
  const certificates = async () =>
    (await readdir(lab.caddy.logFile.replace(/\/[^/]*$/, ''), { recursive: true })).filter((file) => file.endsWith('.crt')).length; // prettier-ignore

  const flood = tries(100_000, 3_000);
  const before = { certificates: await certificates(), asked: lab.control.asked.length, sql: await transactions() };
  const memory: number[] = [];
  const stormy: number[] = [];
  let [sent, refused] = [0, 0];
  const flooder = async () => {
    while (sent < flood) {
      sent++;
      const hello = clientHello(`x${sent}.${randomBytes(4).toString('hex')}.example-flood.com`, randomBytes(32));
      if (await isRefused(lab.caddy.httpsPort, hello)) refused++;
      if (sent % (flood / 20) === 0) memory.push(residentMb(lab.caddy.pid));
    }
  };
  const flooders = Array.from({ length: 20 }, flooder);
  while (sent < flood) stormy.push(await visit());
  await Promise.all(flooders);

  expect(refused).toBe(sent);
  expect(await certificates()).toBe(before.certificates);
  expect(lab.control.asked.length).toBe(before.asked);
  // Leases are renewed twice a second during the flood; a query for each handshake would be a hundred times as much.
  expect((await transactions()) - before.sql).toBeLessThan(flood / 10);
  const [early = 0, late = 0] = [memory[Math.floor(memory.length / 4)], memory.at(-1)];
  saw(28, `${refused} refused, 0 certificates, 0 questions to the control plane; Caddy ${early.toFixed(0)} → ${late.toFixed(0)} MB; known hostname p99 ${p99(calm).toFixed(0)} → ${p99(stormy).toFixed(0)} ms, flood and edge on the same processors`); // prettier-ignore
  expect(late).toBeLessThan(early * 1.5);
  await lab.stop();
  await origin.stop();
}, 600_000);

const TENANTS = 10;

test('row 37: one dead endpoint of a thousand does not delay the others', async () => {
  const each = tries(100, 10);
  const healthyOnes = TENANTS * each - 1;
  const lab = await WebhookLab.open('dev-server');
  const { pool, temporal, databaseUrl } = lab.lab;
  const receiver = await Receiver.start();
  const rows: ConnectionRow[] = [];
  for (let t = 0; t < TENANTS; t++) {
    const tenant = await createTenant(pool, `tenant ${t}`);
    // The first tenant leaves room for the dead endpoint.
    for (let i = t === 0 ? 1 : 0; i < each; i++)
      await subscribe(lab.access, tenant, { url: receiver.url, events: ['domain.drift'] });
    rows.push(await lab.lab.create(undefined, tenant));
  }
  const relay = startRelay({ pool, databaseUrl, temporal, log, metrics: createMetrics(), kinds: deliveryKinds(), batch: 50, gatherMs: 50 }); // prettier-ignore
  const round = async (): Promise<number[]> => {
    const [first, began] = [receiver.received.length, new Map<string, number>()];
    for (let n = 0; n < 3; n++) {
      for (const row of rows) {
        await pool.transaction((tx) => recordEvents(tx, [row], 'domain.drift', { now: new Date() }));
        began.set(`${row.id} ${n}`, Date.now());
      }
      await until(() => receiver.received.length >= first + (n + 1) * healthyOnes, 120_000);
    }
    return receiver.received.slice(first).map(({ at, event }, i) => {
      const about = (event.data as { connection: { id: string } }).connection.id;
      return at - (began.get(`${about} ${Math.floor(i / healthyOnes)}`) ?? at);
    });
  };
  await round(); // the first round warms up
  const healthy = p99(await round());
  const dead = await Receiver.start();
  dead.answer = () => undefined;
  const [row] = rows;
  const owner = { tenant_id: row!.tenant_id, test: { application_id: row!.application_id, key: '' }, live: { application_id: '', key: '' } }; // prettier-ignore
  await subscribe(lab.access, owner, { url: dead.url, events: ['domain.drift'] });
  const withDeadOne = p99(await round());
  saw(37, `${TENANTS * each} endpoints: p99 ${healthy} ms without, ${withDeadOne} ms with a dead one`);
  // A busy machine may add a quarter of a second on its own.
  expect(withDeadOne).toBeLessThanOrEqual(healthy * 1.5 + 250);
  await until(() => dead.received.length > 0); // the dead endpoint was tried, and delayed no other
  await relay.stop();
  await dead.stop();
  await receiver.stop();
  await lab.close();
}, 400_000);
