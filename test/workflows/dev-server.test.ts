import { setTimeout as pause } from 'node:timers/promises';
import { touchSignal } from '../../workflows/messages.ts';
import { verifyConnection } from '../../src/temporal/client.ts';
import { createTenant } from '../../src/db/tenant/tenants.ts';
import { Lab } from '../support/fixtures/workflow-lab.ts';
import { until } from '../support/until.ts';

/**
 * Runs on the server that developers and small installations use: real time, real races between messages and checks.
 */
describe('on the dev server', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await Lab.open('dev-server');
  });
  beforeEach(() => lab.reset());
  afterAll(() => lab.close());

  test('verify returns the result of one fresh check: missing, then verified', async () => {
    lab.scenario.challenge = () => 'mismatch';
    const row = await lab.createAndStart();
    expect(await lab.verify(row)).toMatchObject({ outcome: 'missing', observed: [] });
    lab.scenario.challenge = () => 'unknown';
    expect((await lab.verify(row)).outcome).toBe('unknown');
    lab.scenario.challenge = () => 'match';
    expect((await lab.verify(row)).outcome).toBe('verified');
    await lab.untilState(row.id, 'live');
  });

  test('verify reports a check that still runs at the deadline as running, and the check counts when it ends', async () => {
    const released = Promise.withResolvers<'match'>();
    lab.scenario.challenge = () => released.promise;
    const row = await lab.create();
    expect(await verifyConnection(lab.temporal, row, 10_000)).toBe('running');
    released.resolve('match');
    await lab.untilState(row.id, 'live');
  });

  test('Temporal shares its capacity between tenants: workflow and activity carry the fairness key', async () => {
    lab.scenario.challenge = () => 'mismatch';
    const row = await lab.createAndStart();
    await lab.untilCheckOf('challenge', 1);
    const { raw } = await lab.handle(row).describe();
    expect(raw.workflowExecutionInfo?.priority?.fairnessKey).toBe(row.tenant_id);
    expect(raw.pendingActivities?.map(({ priority }) => priority?.fairnessKey)).toEqual([row.tenant_id]);
  });

  test('while a connection waits, its pending activity shows the last result, the deadline and the next check', async () => {
    lab.scenario.challenge = () => 'mismatch';
    const row = await lab.createAndStart();
    const line = async () => (await lab.handle(row).describe()).raw.pendingActivities?.[0]?.lastFailure?.message ?? '';
    await until(async () => (await line()) !== '');
    expect(await line()).toMatch(
      /^The challenge is a mismatch\. Fails at \d{4}-\d\d-\d\dT\d\d:\d\dZ .* Next check in \d+ s\.$/,
    );
  });

  test('verify starts the workflow if it is not running yet, and returns archived after archive', async () => {
    const row = await lab.create();
    expect((await lab.verify(row)).outcome).toBe('verified');
    await lab.archive(row.id);
    expect((await lab.verify(row)).outcome).toBe('archived');
  });

  test('verify on a verified hostname reports the check, and changes neither state nor claim', async () => {
    const row = await lab.createAndStart();
    const live = await lab.untilState(row.id, 'live');
    lab.scenario.challenge = () => 'mismatch';
    expect((await lab.verify(row)).outcome).toBe('missing');
    expect(await lab.row(row.id)).toMatchObject({ state: 'live', version: live.version });
  });

  test('the second tenant to verify a hostname gets a conflict, and continues when the first connection is archived', async () => {
    const first = await lab.createAndStart();
    await lab.untilState(first.id, 'live');
    const other = await createTenant(lab.pool, 'Other');
    const second = await lab.create(first.hostname, other);
    expect((await lab.verify(second)).outcome).toBe('conflict');
    const waiting = await lab.untilState(second.id, 'pending_ownership');
    expect(waiting).toMatchObject({ error_code: 'hostname_conflict', findings: [{ code: 'hostname_conflict' }] });
    await lab.archive(first.id);
    await lab.untilState(second.id, 'live');
  });

  test('a connection that is archived at any moment of its setup is cleaned up, and its run ends', async () => {
    const rows = await Promise.all(Array.from({ length: 20 }, () => lab.create()));
    lab.scenario.challenge = (_now, hostname) =>
      rows.findIndex((row) => row.hostname === hostname) % 2 === 0 ? 'mismatch' : 'match';
    const ending = rows.map(async (row, i) => {
      await lab.relay();
      await pause(i * 10);
      await lab.archive(row.id);
      await lab.relay();
      await lab.untilRow(row.id, ({ cleanup }) => cleanup === 'done');
      await lab.handle(row).result();
    });
    await Promise.all(ending);
  });

  test('after a worker restart in any phase the connection continues where it was', async () => {
    lab.scenario.challenge = () => 'mismatch';
    const row = await lab.createAndStart();
    await lab.untilCheckOf('challenge', 1);
    await lab.restartWorker();
    lab.scenario.challenge = () => 'match';
    lab.scenario.records = () => 'mismatch';
    await lab.untilState(row.id, 'propagating');
    await lab.restartWorker();
    const { certificate } = lab.scenario;
    lab.scenario.certificate = () => ({
      outcome: 'blocked',
      errorCode: 'edge_unreachable',
      sentence: 'No edge.',
      findings: [],
      retryAfterMs: 1_000,
    });
    lab.scenario.records = () => 'match';
    await lab.untilRow(row.id, ({ error_code }) => error_code === 'edge_unreachable');
    await lab.restartWorker();
    lab.scenario.certificate = certificate;
    await lab.untilState(row.id, 'live');
    await lab.restartWorker();
    const checksBefore = lab.checks.filter(({ purpose }) => purpose === 'records').length;
    await lab.handle(row).signal(touchSignal);
    await lab.untilCheckOf('records', checksBefore + 1);
    expect(await lab.eventTypes(row.id)).toEqual([
      'domain.added',
      'domain.verified',
      'ssl.failing',
      'ssl.issued',
      'domain.flow.completed',
    ]);
  });

  test('a busy run continues as new before it has 150 events, with its own tenant’s fairness key', async () => {
    lab.scenario.challenge = () => 'mismatch';
    const row = await lab.createAndStart();
    await lab.untilCheckOf('challenge', 1);
    const { runId } = await lab.handle(row).describe();
    let longest = 0;
    for (let i = 0; i < 25; i++) {
      await lab.verify(row);
      longest = Math.max(longest, (await lab.handle(row).describe()).historyLength);
    }
    const next = await lab.handle(row).describe();
    expect(next.runId).not.toBe(runId);
    expect(longest).toBeLessThan(150);
    expect(next.raw.workflowExecutionInfo?.priority?.fairnessKey).toBe(row.tenant_id);
  });

  test('hundreds of touches cause few checks and a short history', async () => {
    lab.scenario.challenge = () => 'mismatch';
    const row = await lab.createAndStart();
    await lab.untilCheckOf('challenge', 1);
    const handle = lab.handle(row);
    await Promise.all(Array.from({ length: 300 }, () => handle.signal(touchSignal)));
    expect((await lab.verify(row)).outcome).toBe('missing');
    expect(lab.checks.length).toBeLessThan(300);
    expect((await handle.describe()).historyLength).toBeLessThan(400);
    expect((await lab.row(row.id)).state).toMatch(/pending_ownership|verifying/);
  });

  test('continue-as-new loses neither the connection nor a verify or a touch that arrives at that moment', async () => {
    lab.scenario.challenge = () => 'mismatch';
    lab.scenario.certificate = () => ({
      outcome: 'blocked',
      errorCode: 'edge_unreachable',
      sentence: 'No edge.',
      findings: [],
      retryAfterMs: 60_000,
    });
    const row = await lab.create();
    const started = await lab.start(row, { continueAsNewAfter: 25 });
    await lab.untilCheckOf('challenge', 1);
    for (let round = 0; round < 4; round++) {
      const verifies = Array.from({ length: 5 }, () => lab.verify(row));
      await lab.handle(row).signal(touchSignal);
      const outcomes = await Promise.all(verifies);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(5).fill('missing'));
    }
    expect((await lab.handle(row).describe()).runId).not.toBe(started.firstExecutionRunId);
    lab.scenario.challenge = () => 'match';
    expect((await lab.verify(row)).outcome).toBe('verified');
    await lab.untilState(row.id, 'issuing_cert');
  });
});
