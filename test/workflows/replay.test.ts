import { Worker } from '@temporalio/worker';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installRuntime } from '../../src/temporal/worker.ts';
import { log } from '../support/fixtures/workflow-lab.ts';

const HISTORIES = join(import.meta.dirname, 'histories');
const STORIES = ['ownership', 'writing', 'propagation', 'certificate', 'monitoring', 'failure', 'archive', 'sandbox'];
const DELIVERIES = ['webhook-delivery', 'webhook-batch'];
const recorded = readdirSync(HISTORIES).filter((name) => name.endsWith('.json'));
const read = (name: string): { events: { eventType?: unknown }[] } =>
  JSON.parse(readFileSync(join(HISTORIES, name), 'utf8')) as { events: { eventType?: unknown }[] };

const options = () => ({ workflowBundle: { codePath: process.env['TEST_WORKFLOW_BUNDLE']! } });

describe('workflow code', () => {
  beforeAll(() => installRuntime(log));

  test.each([...STORIES, ...DELIVERIES])('has a recorded history of %s', (story) => {
    expect(recorded.filter((name) => name.endsWith(`-${story}.json`))).not.toEqual([]);
  });

  test.each(recorded)('replays %s exactly', async (name) => {
    await Worker.runReplayHistory(options(), read(name), 'connection/recorded/recorded');
  });

  test('that differs from the recorded commands fails the replay', async () => {
    const text = readFileSync(
      join(
        HISTORIES,
        recorded.find((name) => name.includes('archive'))!,
      ),
      'utf8',
    );
    const changed = JSON.parse(text.replaceAll('"chooseSetup"', '"chooseOtherwise"')) as object;
    await expect(Worker.runReplayHistory(options(), changed, 'connection/recorded/recorded')).rejects.toThrow(
      /nondeterminism/i,
    );
  });
});
