import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { touchSignal } from '../../workflows/messages.ts';
import type { ConnectionRow } from '../../src/db/connection-row.ts';
import globalSetup from '../support/global-setup.ts';
import { tearDown } from '../support/global-teardown.ts';
import { Lab } from '../support/lab.ts';

/**
 * Records the histories that replay.test.ts holds new workflow code against: run it after a release that changed what a
 * workflow does, and commit what it writes beside what is there. Old histories stay: runs that made them live on.
 *   node test/workflows/record-histories.ts <label>
 */
const [label = 'v1'] = process.argv.slice(2);

/** One story per phase, ended in the middle, because that is where a deployment finds it. */
const STORIES: Record<string, (lab: Lab) => Promise<ConnectionRow>> = {
  async ownership(lab) {
    lab.world.challenge = () => 'mismatch';
    const row = await lab.createAndStart();
    await lab.untilLook('challenge', 1);
    await lab.env.sleep('2 days');
    await lab.handle(row).signal(touchSignal);
    await lab.env.sleep('1 minute');
    return row;
  },
  async writing(lab) {
    lab.world.records = () => 'mismatch';
    const row = await lab.create();
    await lab.force(row.id, 'dns_writing');
    await lab.start(row);
    await lab.untilState(row.id, 'propagating');
    return row;
  },
  async propagation(lab) {
    lab.world.records = () => 'mismatch';
    const row = await lab.createAndStart();
    await lab.untilState(row.id, 'propagating');
    await lab.skipUntil(row.id, 'stalled', '30 minutes', 6);
    return row;
  },
  async certificate(lab) {
    lab.world.certificate = () => ({
      outcome: 'blocked',
      errorCode: 'caa_blocked',
      sentence: 'CAA.',
      findings: [],
      retryAfterMs: 60_000,
    });
    const row = await lab.createAndStart();
    await lab.untilRow(row.id, ({ error_code }) => error_code === 'caa_blocked');
    await lab.env.sleep('1 hour');
    return row;
  },
  async monitoring(lab) {
    const row = await lab.createAndStart();
    await lab.untilState(row.id, 'live');
    await lab.env.sleep('3 days');
    lab.world.records = () => 'mismatch';
    await lab.skipUntil(row.id, 'drifted', '20 minutes', 8);
    lab.world.records = () => 'match';
    await lab.skipUntil(row.id, 'live', '30 minutes', 8);
    return row;
  },
  async failure(lab) {
    lab.world.challenge = () => 'mismatch';
    const row = await lab.createAndStart();
    await lab.untilLook('challenge', 1);
    await lab.skipUntil(row.id, 'failed', '1 day', 20);
    await lab.verify(row);
    return row;
  },
  async archive(lab) {
    const row = await lab.createAndStart();
    await lab.untilState(row.id, 'live');
    await lab.archive(row.id);
    await lab.relay();
    await lab.handle(row).result();
    return row;
  },
};

await globalSetup();
try {
  for (const [name, story] of Object.entries(STORIES)) {
    const lab = await Lab.open();
    const row = await story(lab);
    const history = historyToJSON(await lab.handle(row).fetchHistory());
    await writeFile(join(import.meta.dirname, 'histories', `${label}-${name}.json`), `${history}\n`);
    process.stdout.write(`recorded ${label}-${name}\n`);
    await lab.close();
  }
} finally {
  await tearDown();
}
