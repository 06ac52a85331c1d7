import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestApi } from '../support/fixtures/api.ts';
import { fuzzWithSchemathesis } from './schemathesis.ts';
import { tries } from '../support/tries.ts';
import { saw } from './report.ts';

test('row 40: schemathesis finds no server error of ours and no answer outside the document', async () => {
  // The limits reduce the verify requests, each of which would wait for the missing Temporal.
  const api = await startTestApi({ limits: { anonymous: null, key: null, tenant: null, widget: null, verify: { perSecond: 0.01, burst: 1 } } }); // prettier-ignore
  const { live } = await api.tenant();
  const folder = await mkdtemp(join(tmpdir(), 'schemathesis-'));
  const { ok, output } = await fuzzWithSchemathesis(api.baseUrl, live.key, { examples: tries(240, 3), folder });
  await rm(folder, { recursive: true });
  await api.stop();
  const made = Number(/(\d+) generated/.exec(output)?.[1] ?? 0);
  saw(40, `${made} cases by schemathesis`);
  expect(ok ? '' : output.slice(-6_000)).toBe('');
  expect(made).toBeGreaterThan(tries(10_000, 1_000));
}, 1_500_000);
