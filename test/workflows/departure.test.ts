import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import type { Verdict } from '../../src/domain/observation/verdict.ts';
import { departureWorkflowId } from '../../workflows/messages.ts';
import { Lab } from '../support/fixtures/workflow-lab.ts';

let lab: Lab;
beforeEach(async () => {
  lab = await Lab.open();
});
afterEach(() => lab.close());

/** Archives a connection once it is watched: the test server can lose its clock's lock if a setup is cancelled. */
async function archive(row: ConnectionRow): Promise<void> {
  await lab.untilWatched(row);
  await lab.archive(row.id);
  await lab.relay();
}

/** Lets the run of an archived connection and its departure come to their ends, while time is skipped. */
async function end(row: ConnectionRow, records: () => Verdict = () => 'match'): Promise<ConnectionRow> {
  lab.scenario.records = records; // before time is skipped
  await lab.handle(row).result();
  await lab.env.client.workflow.getHandle(departureWorkflowId(row)).result();
  return lab.row(row.id);
}

async function depart(row: ConnectionRow, records?: () => Verdict): Promise<ConnectionRow> {
  await archive(row);
  return end(row, records);
}
const warnings = async ({ id }: ConnectionRow) =>
  (await lab.eventTypes(id)).filter((type) => type === 'domain.dangling').length;

test('a hostname that still points here is reported 1, 7 and 30 days after its archive, and its run ends then', async () => {
  const row = await lab.createAndStart();
  const after = await depart(row);
  expect(after).toMatchObject({ state: 'archived', dangling: true });
  expect(after.findings).toMatchObject([
    {
      code: 'dangling',
      fix: `Delete CNAME edge.lab at ${row.hostname}.`,
      records: [{ type: 'CNAME', value: 'edge.lab' }],
    },
  ]);
  expect(await warnings(row)).toBe(3);
}, 120_000);

test('a hostname whose owner deletes the record is not reported any more', async () => {
  const row = await lab.createAndStart();
  let asked = 0;
  expect(await depart(row, () => (asked++ > 0 ? 'mismatch' : 'match'))).toMatchObject({
    dangling: false,
    findings: [],
  });
  expect(await warnings(row)).toBe(1);
}, 120_000);

test('silent name servers never cause a report', async () => {
  const row = await lab.createAndStart();
  expect(await depart(row, () => 'unknown')).toMatchObject({ dangling: false });
  expect(await warnings(row)).toBe(0);
}, 120_000);

test('records that another connection wants are never reported', async () => {
  const row = await lab.createAndStart();
  await archive(row);
  await lab.create(row.hostname); // without a run of its own, which would check for a month
  expect(await end(row)).toMatchObject({ dangling: false });
  expect(await warnings(row)).toBe(0);
}, 120_000);

test('a run that starts again after the archive leaves the departure that is under way', async () => {
  const row = await lab.createAndStart();
  await archive(row);
  await lab.handle(row).result();
  const departing = lab.env.client.workflow.getHandle(departureWorkflowId(row));
  const { runId } = await departing.describe();

  await lab.start(row);
  await lab.handle(row).result();

  expect(await departing.describe()).toMatchObject({ runId, status: { name: 'RUNNING' } });
}, 120_000);
