import type { CertificateOutcome } from '../../src/domain/certificate/certificate.ts';
import { searchAttributes } from '../../workflows/messages.ts';
import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { Lab } from '../support/fixtures/workflow-lab.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const FORBIDDEN_BY_CAA: CertificateOutcome = {
  outcome: 'blocked',
  errorCode: 'caa_blocked',
  sentence: 'CAA forbids it.',
  findings: [],
  retryAfterMs: HOUR,
};

describe('the life of a connection', () => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await Lab.open();
  });
  afterEach(() => lab.close());

  test('a connection with correct records goes live, with each event and each move once', async () => {
    const { id } = await lab.createAndStart();
    const live = await lab.untilState(id, 'live');
    expect(live).toMatchObject({ certificate_status: 'issued', certificate_ca: 'Lab CA', error_code: null });
    expect(await lab.eventTypes(id)).toEqual([
      'domain.added',
      'domain.verified',
      'ssl.issued',
      'domain.flow.completed',
    ]);
    expect(await lab.moves(id)).toEqual([
      'created→pending_ownership',
      'pending_ownership→verified',
      'verified→propagating',
      'propagating→issuing_cert',
      'issuing_cert→live',
    ]);
  });

  test('create to live costs at most 20 history events, and twelve hours of healthy checks none at all', async () => {
    const row = await lab.createAndStart();
    await lab.untilWatched(row);
    const born = (await lab.handle(row).describe()).historyLength;
    expect(born).toBeLessThanOrEqual(20);
    await lab.env.sleep('12 hours');
    expect(lab.checks.length).toBeGreaterThan(100);
    expect((await lab.handle(row).describe()).historyLength).toBe(born);
  });

  test('a sandbox hostname runs through the same activities, transitions and events as a real one', async () => {
    const steps = async (row: ConnectionRow) => {
      await lab.untilWatched(row);
      const { events } = await lab.handle(row).fetchHistory();
      lab.reset();
      return {
        activities: events?.flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? []),
        moves: await lab.moves(row.id),
        events: await lab.eventTypes(row.id),
      };
    };
    const real = await steps(await lab.createAndStart());
    const sandbox = await lab.create(`${crypto.randomUUID()}.auto.test`);
    await lab.start(sandbox);

    expect(real.activities).toEqual(['setUp', 'watch']);
    expect(await steps(sandbox)).toEqual(real);
  });

  test('a waiting connection has its state as a search attribute, and continues when it can', async () => {
    const stateLabel = async () =>
      (await lab.handle(row).describe()).typedSearchAttributes.get(searchAttributes.ConnectionState);
    lab.scenario.records = () => 'mismatch';
    const row = await lab.createAndStart();
    await lab.untilState(row.id, 'propagating');
    await lab.env.sleep('10 minutes');
    expect(await stateLabel()).toBe('propagating');
    expect(lab.checks.length).toBeGreaterThan(10);
    lab.scenario.certificate = () => FORBIDDEN_BY_CAA;
    lab.scenario.records = () => 'match';
    await lab.env.sleep('10 minutes');
    expect(await stateLabel()).toBe('issuing_cert');
  });

  test('a healthy run continues as new every week, and keeps its search attributes and its memo', async () => {
    const row = await lab.createAndStart();
    await lab.untilState(row.id, 'live');
    const first = await lab.handle(row).describe();
    await lab.env.sleep('6 days');
    expect((await lab.handle(row).describe()).runId).toBe(first.runId);
    await lab.env.sleep('3 days');
    const next = await lab.handle(row).describe();
    expect(next.runId).not.toBe(first.runId);
    expect(next.historyLength).toBeLessThan(30);
    expect(next.memo).toEqual({ applicationId: row.application_id, externalId: null });
    const labels = new Map(next.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
    expect(Object.fromEntries(labels)).toMatchObject({
      TenantId: row.tenant_id,
      Hostname: row.hostname,
      Environment: 'test',
      ConnectionState: 'live',
      Provider: 'lab',
      ErrorCode: 'none',
      StateSince: (await lab.row(row.id)).phase_started_at,
    });
    expect(labels.get('TemporalChangeVersion')).toEqual(['steps-at-once']); // not the patches of the previous run
  });

  test('a challenge that never appears fails the connection after fourteen days of scheduled checks, not a day earlier', async () => {
    lab.scenario.challenge = () => 'mismatch';
    const { id } = await lab.createAndStart();
    await lab.env.sleep('13 days');
    expect((await lab.row(id)).error_code).toBe('ownership_not_found');
    await lab.skipUntil(id, 'failed', '6 hours', 8);
    expect(await lab.row(id)).toMatchObject({ state: 'failed', error_code: 'ownership_timeout', next_check_at: null });

    const [first] = lab.checks;
    /** Median of five intervals: a check that a busy machine starts late makes the next interval shorter. */
    const secondsBetween = (after: number) => {
      const index = lab.checks.findIndex(({ now }) => now - first!.now >= after);
      const times = lab.checks.slice(index, index + 6).map(({ now }) => now / 1_000);
      const intervals = times.slice(1).map((time, i) => time - times[i]!);
      return intervals.sort((a, b) => a - b)[2]!;
    };
    expect(secondsBetween(MINUTE)).toBeCloseTo(3, 0);
    expect(secondsBetween(10 * MINUTE)).toBeCloseTo(15, 0);
    expect(secondsBetween(31 * MINUTE)).toBeGreaterThan(55);
    expect(secondsBetween(5 * HOUR)).toBeGreaterThan(10 * 60);
    expect(secondsBetween(2 * DAY)).toBeCloseTo(3_600, -1);
  });

  test('a new reason to wait updates the search attributes of the run once', async () => {
    lab.scenario.challenge = () => 'mismatch';
    const row = await lab.createAndStart();
    await lab.untilCheckOf('challenge', 1);
    expect((await lab.handle(row).describe()).typedSearchAttributes.get(searchAttributes.ErrorCode)).toBe('none');
    await lab.env.sleep('11 minutes');
    const waiting = await lab.handle(row).describe();
    expect(waiting.typedSearchAttributes.get(searchAttributes.ErrorCode)).toBe('ownership_not_found');
    await lab.env.sleep('5 hours');
    expect((await lab.handle(row).describe()).historyLength).toBe(waiting.historyLength);
  });

  test('a flapping name server does not lengthen the history', async () => {
    let checks = 0;
    lab.scenario.challenge = () => (checks++ % 2 === 0 ? 'unknown' : 'mismatch');
    const row = await lab.createAndStart();
    await lab.env.sleep('2 days');
    expect(checks).toBeGreaterThan(200);
    expect((await lab.handle(row).describe()).historyLength).toBeLessThan(150);
  });

  test('the deadline does not advance while no name server can be asked', async () => {
    lab.scenario.challenge = () => 'unknown';
    const { id } = await lab.createAndStart();
    await lab.env.sleep('15 days');
    expect((await lab.row(id)).error_code).toBe('nameserver_unreachable');
    lab.scenario.challenge = () => 'match';
    await lab.skipUntil(id, 'live', '1 hour', 4);
  });

  test('records that never appear stall the connection after an hour and fail it seven days later', async () => {
    lab.scenario.records = () => 'mismatch';
    const { id } = await lab.createAndStart();
    await lab.untilState(id, 'propagating');
    await lab.env.sleep('50 minutes');
    expect((await lab.row(id)).state).toBe('propagating');
    await lab.skipUntil(id, 'stalled', '10 minutes', 4);
    await lab.env.sleep('6 days');
    expect((await lab.row(id)).state).toBe('stalled');
    await lab.skipUntil(id, 'failed', '6 hours', 8);
    expect((await lab.row(id)).error_code).toBe('propagation_timeout');
  });

  test('stalled records that appear later bring the connection live', async () => {
    let there = false;
    lab.scenario.records = () => (there ? 'match' : 'mismatch');
    const { id } = await lab.createAndStart();
    await lab.untilState(id, 'propagating');
    await lab.skipUntil(id, 'stalled', '30 minutes', 6);
    there = true;
    await lab.skipUntil(id, 'live', '15 minutes', 6);
  });

  test('seven days without a certificate fail the connection with cert_failed; until then it shows what blocks the certificate', async () => {
    lab.scenario.certificate = () => FORBIDDEN_BY_CAA;
    const { id } = await lab.createAndStart();
    await lab.untilRow(id, (row) => row.error_code === 'caa_blocked');
    await lab.env.sleep('6 days');
    expect(await lab.row(id)).toMatchObject({ state: 'issuing_cert', error_code: 'caa_blocked' });
    await lab.skipUntil(id, 'failed', '6 hours', 8);
    expect(await lab.row(id)).toMatchObject({
      error_code: 'cert_failed',
      certificate_status: 'failed',
      next_check_at: null,
    });
  });

  test('the seven days for a certificate begin when the records are published, however late', async () => {
    let there = false;
    lab.scenario.records = () => (there ? 'match' : 'mismatch');
    lab.scenario.certificate = () => FORBIDDEN_BY_CAA;
    const { id } = await lab.createAndStart();
    await lab.untilState(id, 'propagating');
    await lab.env.sleep('6 days');
    there = true;
    await lab.skipUntil(id, 'issuing_cert', '1 hour', 6);
    await lab.env.sleep('6 days');
    expect(await lab.row(id)).toMatchObject({ state: 'issuing_cert', error_code: 'caa_blocked' });
    await lab.skipUntil(id, 'failed', '6 hours', 8);
  });

  test('drift after eight healthy days is reported after four mismatches in a row, and one match ends it', async () => {
    let drifted = false;
    lab.scenario.records = () => (drifted ? 'mismatch' : 'match');
    const { id } = await lab.createAndStart();
    await lab.untilState(id, 'live');
    await lab.env.sleep('8 days');
    drifted = true;
    await lab.skipUntil(id, 'drifted', '20 minutes', 6);
    const bad = lab.checks.filter(({ verdict }) => verdict === 'mismatch').map(({ now }) => now);
    // The time-skipping server dates an attempt by the start of its wait, so every gap shows one check late.
    const gaps = bad.slice(1, 5).map((at, index) => Math.round((at - bad[index]!) / 1_000));
    expect(gaps).toEqual([3_600, 30, 60, 120]);
    drifted = false;
    await lab.skipUntil(id, 'live', '30 minutes', 4);
    expect((await lab.eventTypes(id)).slice(-2)).toEqual(['domain.drift', 'domain.restored']);
  });

  test('a CAA record that forbids the renewal is reported at the next daily check, weeks before it, and ends with the record', async () => {
    const { id } = await lab.createAndStart();
    const { certificate_not_before: notBefore, certificate_not_after: notAfter } = await lab.untilState(id, 'live');
    const certificate = { notBefore: notBefore!, notAfter: notAfter!, ca: 'Lab CA', serial: '1', names: [] };
    const shown = { ...certificate, source: 'edge' as const };
    const forbidden = { code: 'caa_blocked', severity: 'error', message: 'CAA forbids it.', fix: 'Allow it.' } as const;
    let isForbidden = true;
    lab.scenario.health = () => ({ shown, findings: isForbidden ? [forbidden] : [] });
    await lab.env.sleep('26 hours');
    expect(await lab.row(id)).toMatchObject({
      state: 'live',
      error_code: 'caa_blocked',
      certificate_status: 'issued',
      findings: [forbidden],
    });
    const reports = async () => (await lab.eventTypes(id)).filter((type) => type === 'ssl.failing').length;
    await lab.env.sleep('3 days');
    expect(await reports()).toBe(1);
    isForbidden = false;
    await lab.env.sleep('3 hours');
    expect(await lab.row(id)).toMatchObject({ state: 'live', error_code: null, findings: [] });
    expect(await reports()).toBe(1);
  });

  test('unreachable name servers never make a live connection drift', async () => {
    const { id } = await lab.createAndStart();
    await lab.untilState(id, 'live');
    lab.scenario.records = () => 'unknown';
    await lab.env.sleep('3 days');
    expect(await lab.row(id)).toMatchObject({ state: 'live', mismatch_count: 0 });
  });
});
