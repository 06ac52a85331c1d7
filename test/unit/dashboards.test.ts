import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { startChild, type Child } from '../../src/embedded/child.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { createMetrics } from '../../src/metrics.ts';
import { metricsOfDashboards, PROMETHEUS, queriesOfDashboards, RULES } from '../support/dashboard-metrics.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '../..');

test('Prometheus accepts the configuration and its alerts', async () => {
  const { stdout } = await promisify(execFile)('promtool', ['check', 'config', PROMETHEUS]);
  expect(stdout).toContain('SUCCESS: 1 rule files found');
  expect(stdout).toMatch(/Checking .*rules\.yml\n\s+SUCCESS: \d+ rules found/);
});

describe('a running Prometheus', () => {
  const Answer = z.object({ status: z.literal('success'), data: z.object({ result: z.array(z.object({ metric: z.record(z.string(), z.string()) })) }) }); // prettier-ignore
  const Loaded = z.object({ data: z.object({ groups: z.array(z.object({ rules: z.array(z.object({ name: z.string(), health: z.string() })) })) }) }); // prettier-ignore
  const Config = z.looseObject({ scrape_configs: z.array(z.looseObject({ job_name: z.string() })) });
  let prometheus: Child;
  let url: string;
  let jobs: string[];

  /** Uses the configuration from compose, except that each job has one target that never answers. */
  beforeAll(async () => {
    const folder = await tempFolder();
    const config = Config.parse(parse(await readFile(PROMETHEUS, 'utf8')));
    jobs = config.scrape_configs.map(({ job_name }) => job_name);
    const scrape_configs = jobs.map((job_name) => ({ job_name, static_configs: [{ targets: ['127.0.0.1:1'] }] }));
    const global = { scrape_interval: '1s', evaluation_interval: '1s' };
    await copyFile(RULES, join(folder, 'rules.yml'));
    await writeFile(join(folder, 'prometheus.yml'), stringify({ ...config, global, scrape_configs }));
    const port = await freePort();
    url = `http://127.0.0.1:${port}/api/v1`;
    prometheus = await startChild({
      name: 'Prometheus',
      executable: 'prometheus',
      args: [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      env: { PATH: process.env['PATH'] },
      stopWith: [{ signal: 'SIGTERM', graceMs: 10_000 }],
    });
    await until(async () => (await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => null))?.ok === true, 60_000);
  }, 120_000);
  afterAll(() => prometheus.stop());

  const ask = async (expr: string) => {
    const response = await fetch(`${url}/query?query=${encodeURIComponent(expr)}`);
    return Answer.parse(await response.json()).data.result;
  };

  test('loads every alert and evaluates it', async () => {
    const alerts = [...(await readFile(RULES, 'utf8')).matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    const loaded = async () => Loaded.parse(await (await fetch(`${url}/rules`)).json()).data.groups.flatMap(({ rules }) => rules); // prettier-ignore
    await until(async () => (await loaded()).every(({ health }) => health === 'ok'), 30_000);
    expect((await loaded()).map(({ name }) => name)).toEqual(alerts);
  });

  test('accepts every query of the dashboard and of the alerts', async () => {
    const queries = await queriesOfDashboards();
    expect(queries.length).toBeGreaterThan(15);
    for (const expr of queries) await ask(expr.replaceAll('$__rate_interval', '5m'));
  });

  test('fires an alert for each process that does not answer', async () => {
    const [down = ''] = (await queriesOfDashboards()).filter((expr) => expr.startsWith('up{'));
    await until(async () => (await ask('up')).length === jobs.length, 30_000);
    expect((await ask(down)).map(({ metric }) => metric['job']).sort()).toEqual([...jobs].sort());
  });
});

test('every alert names an existing runbook page and the next step', async () => {
  const rules = await readFile(RULES, 'utf8');
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  const runbooks = [...rules.matchAll(/runbook: (\S+)/g)].map(([, file = '']) => file);
  expect(runbooks).toHaveLength(alerts.length);
  expect(runbooks.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  const explained = await readFile(join(ROOT, 'docs/dashboards/README.md'), 'utf8');
  expect(alerts.filter((name = '') => !explained.includes(name))).toEqual([]);
});

test('no label of a metric can hold a hostname or a tenant', async () => {
  // An agent names the applications whose origin fails, which are few.
  const isOfOrigins = ({ name }: { name: string }) => name.startsWith('edge_origin_');
  const metrics = createMetrics()
    .registry.getMetricsAsArray()
    .filter((metric) => !isOfOrigins(metric));
  const labels = new Set(metrics.flatMap((metric) => ('labelNames' in metric ? (metric.labelNames as string[]) : [])));
  expect([...labels].filter((name) => /host|tenant|domain|name|application|connection/.test(name))).toEqual([]);
  expect(await metricsOfDashboards()).toContain('connections');
});
