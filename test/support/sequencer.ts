import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createRequire } from 'node:module';
import type sequencer from '@jest/test-sequencer';

/** The package's default export has another shape for each way of loading it; this way always gives the same. */
const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as typeof sequencer;

const TESTS = join(import.meta.dirname, '..');

/**
 * Seconds of the slowest files, about. They start first, so that no worker is left alone with a long file at the end. The
 * test command prints the ten slowest files of a run: bring this list up to date when they differ.
 */
const SECONDS: Readonly<Record<string, number>> = {
  'browser/widget': 130,
  'main/start': 75,
  'workflows/life': 70,
  'main/faults': 60,
  'main/production': 60,
  'main/acme': 50,
  'main/operators': 45,
  'edge/agent': 45,
  'edge/certificates': 45,
  'main/every-provider': 40,
  'provisioning/histories': 40,
  'workflows/messages': 40,
  'main/runbooks': 40,
  'workflows/deploys': 40,
  'browser/domain-connect': 35,
  'providers/histories': 35,
  'main/webhooks': 30,
  'webhooks/killed': 30,
  'workflows/writing': 30,
  'api/cli-key-rotation': 30,
  'webhooks/delivery': 30,
  'api/cli-withheld': 25,
  'edge/outage': 25,
  'edge/serving': 25,
  'main/laboratory': 25,
  'main/silent-servers': 25,
  'main/compose': 25,
  'faults/smoke': 25,
  'api/fuzz': 22,
  'webhooks/verifiers': 20,
  'api/cli': 20,
  'edge/after-delete': 20,
  'api/permissions': 18,
  'workflows/dev-server': 18,
  'api/cli-usage': 17,
  'api/cli-operators': 16,
  'workflows/outage': 15,
  'api/cli-batches': 14,
  'billing/usage': 14,
  'providers/two-processes': 14,
  'client/package': 14,
  'db/claims': 12,
  'workflows/healing': 12,
  'main/sandbox': 12,
  'edge/admission': 12,
  'browser/edge': 10,
  'edge/origins': 10,
};

/** Seconds that a file takes, by the list above or, for the many short ones, by its size. */
function secondsOf(path: string): number {
  return SECONDS[relative(TESTS, path).replace(/\.test\.ts$/, '')] ?? statSync(path).size / 4_000;
}

/** Starts the longest files first. Jest itself knows durations only from an earlier run in the same checkout. */
export default class LongestFirst extends Sequencer {
  override sort<Test extends { path: string }>(tests: Test[]): Test[] {
    return tests
      .map((test) => ({ test, seconds: secondsOf(test.path) }))
      .sort((a, b) => b.seconds - a.seconds)
      .map(({ test }) => test);
  }
}
