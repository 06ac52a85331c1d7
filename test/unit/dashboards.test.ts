import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createMetrics } from '../../src/metrics.ts';
import { metricsOfDashboards, RULES } from '../support/dashboard-metrics.ts';

const ROOT = join(import.meta.dirname, '../..');

test('Prometheus takes the alerts', async () => {
  const { stdout } = await promisify(execFile)('promtool', ['check', 'rules', RULES]);
  expect(stdout).toContain('SUCCESS');
});

test('every alert names a page that is there and says what to do', async () => {
  const rules = await readFile(RULES, 'utf8');
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  const runbooks = [...rules.matchAll(/runbook: (\S+)/g)].map(([, file = '']) => file);
  expect(runbooks).toHaveLength(alerts.length);
  expect(runbooks.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  const explained = await readFile(join(ROOT, 'docs/dashboards/README.md'), 'utf8');
  expect(alerts.filter((name = '') => !explained.includes(name))).toEqual([]);
});

test('no label of a metric can hold a hostname or a tenant', async () => {
  const metrics = createMetrics().registry.getMetricsAsArray();
  const labels = new Set(metrics.flatMap((metric) => ('labelNames' in metric ? (metric.labelNames as string[]) : [])));
  expect([...labels].filter((name) => /host|tenant|domain|name|application|connection/.test(name))).toEqual([]);
  expect(await metricsOfDashboards()).toContain('connections');
});
