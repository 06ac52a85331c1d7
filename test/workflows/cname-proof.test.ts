import { none, sql } from '../../src/db/pool.ts';
import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import { Lab } from '../support/fixtures/workflow-lab.ts';

const TARGET = 'customers.saas-lab.com';
const DAY = 86_400_000;

let lab: Lab;
beforeEach(async () => {
  lab = await Lab.open();
  lab.scenario.challenge = () => 'mismatch';
  await lab.pool.query(sql.type(none)`
    INSERT INTO cname_targets (tenant_id, hostname, challenge_token, created_at, approved_at)
    VALUES (${lab.tenant.tenant_id}, ${TARGET}, 'token', now(), now())
  `);
});
afterEach(() => lab.close());

async function imported(): Promise<ConnectionRow> {
  const hostname = `${crypto.randomUUID()}.example-customer.com`;
  const row = await newConnection(lab.pool, lab.tenant, hostname, { target: TARGET, proofTarget: TARGET });
  await lab.start(row);
  return row;
}
const proofChecks = () => lab.checks.filter(({ purpose }) => purpose === 'cname').map(({ now }) => now);

test('an imported hostname waits for weeks without a stall until its target moves, is checked daily, and then goes live', async () => {
  let isHere = false;
  lab.scenario.isTargetHere = () => isHere;
  const row = await imported();
  await lab.untilState(row.id, 'propagating');
  await lab.env.sleep('30 days');
  expect(await lab.row(row.id)).toMatchObject({ state: 'propagating', error_code: null, proof: 'cname_target' });
  const times = proofChecks();
  expect(times.length).toBeGreaterThanOrEqual(27);
  const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(1.1 * DAY);

  isHere = true;
  await lab.skipUntil(row.id, 'live', '1 hour', 5);
  expect(await lab.moves(row.id)).toEqual([
    'created→pending_ownership',
    'pending_ownership→verified',
    'verified→propagating',
    'propagating→issuing_cert',
    'issuing_cert→live',
  ]);
}, 180_000);

test('a live hostname outlives days without an answer, and is lost within a day after its CNAME is gone', async () => {
  const row = await imported();
  await lab.untilState(row.id, 'live');
  lab.scenario.cname = () => 'unknown';
  lab.scenario.records = () => 'unknown';
  await lab.env.sleep('10 days');
  expect(await lab.row(row.id)).toMatchObject({ state: 'live' });
  lab.scenario.cname = () => 'mismatch';
  await lab.skipUntil(row.id, 'failed', '2 hours', 16);
  expect(await lab.row(row.id)).toMatchObject({ error_code: 'claim_lost' });
  expect((await lab.eventTypes(row.id)).at(-1)).toBe('domain.claim_lost');
}, 180_000);

test('a hostname that was lost waits for its proof after verify, and is live again once its CNAME is back', async () => {
  const row = await imported();
  await lab.untilState(row.id, 'live');
  lab.scenario.cname = () => 'mismatch';
  lab.scenario.records = () => 'mismatch';
  await lab.skipUntil(row.id, 'failed', '1 hour', 30);
  expect((await lab.verify(row)).outcome).toBe('missing');
  lab.scenario.cname = () => 'match';
  lab.scenario.records = () => 'match';
  expect(await lab.skipUntil(row.id, 'live', '1 hour', 4)).toMatchObject({ proof: 'cname_target' });
}, 180_000);
