import { touchSignal, archiveSignal } from '../../workflows/messages.ts';
import { STATES } from '../../src/domain/connection/connection.ts';
import { Lab } from '../support/fixtures/workflow-lab.ts';

const HOUR = 3_600_000;

/** Makes every phase wait, so that no connection moves on its own. */
function blockEveryPhase({ scenario }: Lab): void {
  scenario.challenge = () => 'mismatch';
  scenario.records = () => 'mismatch';
  scenario.certificate = () => ({
    outcome: 'blocked',
    errorCode: 'edge_unreachable',
    sentence: 'No edge.',
    findings: [],
    retryAfterMs: HOUR,
  });
}

describe('messages to a connection', () => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await Lab.open();
  });
  afterEach(() => lab.close());

  test('archive ends the run in each of the twelve states, and releases the hostname', async () => {
    blockEveryPhase(lab);
    const rows = await Promise.all(STATES.map(() => lab.create()));
    for (const [index, state] of STATES.entries()) {
      const row = rows[index]!;
      if (state !== 'archived') await lab.force(row.id, state);
    }
    await lab.relay();
    // The test server loses the answer of a setup that ends in the moment in which its run cancels it.
    await lab.untilCheckOf('challenge', 3);
    for (const row of rows) await lab.archive(row.id);
    await lab.relay();
    // In real time: the test server can lose its clock's lock if it skips time while a setup is cancelled.
    for (const { id } of rows) await lab.untilRow(id, ({ cleanup }) => cleanup === 'done', 60_000);
    for (const row of rows) {
      await lab.handle(row).result();
      expect(await lab.row(row.id)).toMatchObject({ state: 'archived', cleanup: 'done' });
    }
  });

  test("an operator's archive signal is enough, without the API", async () => {
    blockEveryPhase(lab);
    const row = await lab.createAndStart();
    await lab.untilCheckOf('challenge', 1);
    await lab.handle(row).signal(archiveSignal);
    await lab.handle(row).result();
    expect((await lab.row(row.id)).state).toBe('archived');
  });

  test('a run that starts on an archived row cleans up and ends', async () => {
    const row = await lab.create();
    await lab.archive(row.id);
    await lab.start(row);
    await lab.handle(row).result();
    expect((await lab.row(row.id)).cleanup).toBe('done');
    expect(lab.checks).toEqual([]);
  });

  test('a touch after days of slow checks triggers a check immediately and makes the following checks fast', async () => {
    blockEveryPhase(lab);
    const row = await lab.createAndStart();
    await lab.env.sleep('2 days');
    const before = lab.checks.length;
    await lab.handle(row).signal(touchSignal);
    await lab.untilCheckOf('challenge', before + 1);
    await lab.env.sleep('1 minute');
    expect(lab.checks.length - before).toBeGreaterThan(15);
    await lab.env.sleep('1 hour');
    expect(lab.checks.length - before).toBeLessThan(50);
  });

  test('verify on a claimed hostname is a touch too: its records are then checked often', async () => {
    blockEveryPhase(lab);
    lab.scenario.challenge = () => 'match';
    const row = await lab.createAndStart();
    await lab.untilState(row.id, 'propagating');
    await lab.env.sleep('50 minutes');
    const before = lab.checks.filter(({ purpose }) => purpose === 'records').length;
    expect((await lab.verify(row)).outcome).toBe('verified');
    await lab.untilCheckOf('records', before + 1);
    await lab.env.sleep('1 minute');
    expect(lab.checks.filter(({ purpose }) => purpose === 'records').length - before).toBeGreaterThan(15);
  });

  test('verify on a failed connection checks once: a match verifies it again, a mismatch starts a new deadline', async () => {
    lab.scenario.challenge = () => 'mismatch';
    const row = await lab.create();
    await lab.force(row.id, 'failed');
    await lab.start(row);
    expect((await lab.verify(row)).outcome).toBe('missing');
    expect((await lab.row(row.id)).state).toMatch(/pending_ownership|verifying/);
    await lab.env.sleep('13 days');
    expect((await lab.row(row.id)).state).toMatch(/pending_ownership|verifying/);
    lab.scenario.challenge = () => 'match';
    await lab.skipUntil(row.id, 'live', '1 hour', 4);
  });

  test('repeated verify requests do not make a live connection drift sooner', async () => {
    const row = await lab.createAndStart();
    await lab.untilState(row.id, 'live');
    lab.scenario.records = () => 'mismatch';
    for (let i = 1; i <= 6; i++) {
      const checksBefore = lab.checks.filter(({ purpose }) => purpose === 'records').length;
      await lab.verify(row);
      await lab.untilCheckOf('records', checksBefore + 1);
    }
    expect(await lab.row(row.id)).toMatchObject({ state: 'live', mismatch_count: 1 });
    await lab.skipUntil(row.id, 'drifted', '1 minute', 10);
  });

  test('the run of a failed connection ends after thirty days of rest', async () => {
    blockEveryPhase(lab);
    const row = await lab.create();
    await lab.force(row.id, 'failed');
    await lab.start(row);
    await lab.handle(row).result();
    expect((await lab.row(row.id)).state).toBe('failed');
  });
});
