import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createRequire } from 'node:module';
import type sequencer from '@jest/test-sequencer';

/** The shape of the package's default export depends on how it is loaded; `require` always gives the same. */
const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as typeof sequencer;

const TESTS = join(import.meta.dirname, '..');

/**
 * Approximate seconds of the slowest files. They start first, so that no worker is left with a long file at the end.
 * The test command prints the ten slowest files of a run: update this list when they differ.
 */
const SECONDS: Readonly<Record<string, number>> = {
  'workflows/life': 200,
  'browser/widget': 180,
  'main/runbooks': 165,
  'main/start': 160,
  'edge/agent': 110,
  'main/production': 105,
  'workflows/deploys': 105,
  'workflows/messages': 105,
  'provisioning/histories': 90,
  'main/every-provider': 90,
  'workflows/writing': 85,
  'edge/serving': 75,
  'main/silent-servers': 60,
  'api/database-busy': 55,
  'main/operators': 55,
  'api/fuzz': 50,
  'main/acme': 50,
  'client/languages': 50,
  'main/faults': 45,
  'ordering/killed': 45,
  'edge/certificates': 45,
  'webhooks/killed': 45,
  'api/cli-key-rotation': 40,
  'provisioning/wildcards': 40,
  'providers/histories': 35,
  'webhooks/delivery': 35,
  'api/cli-suspend-block': 30,
  'api/cli': 30,
  'browser/domain-connect': 30,
  'workflows/dev-server': 30,
  'api/silent-provider': 30,
  'main/guards': 30,
  'edge/two-edges': 30,
  'edge/outage': 25,
  'edge/after-delete': 25,
  'api/permissions': 25,
  'main/compose': 25,
  'faults/smoke': 25,
  'provisioning/provider-calls': 20,
  'workflows/outage': 20,
  'api/edges-of-http': 20,
  'main/sandbox': 20,
  'edge/admission': 20,
  'main/internet-lab': 20,
  'workflows/healing': 20,
  'billing/usage': 20,
  'db/claims': 20,
  'providers/moved-zone': 15,
  'soak/soak': 15,
  'webhooks/hanging': 15,
  'main/front': 15,
  'main/webhooks': 15,
  'api/cli-domain-connect': 15,
  'api/cli-operators': 15,
  'providers/two-processes': 15,
  'edge/origins': 15,
  'webhooks/many': 10,
  'api/openapi': 10,
  'api/cli-usage': 10,
};

/** Returns the seconds of a file, from the list above or, for short files, from its size. */
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
