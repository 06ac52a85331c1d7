import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const FOLDER = join(import.meta.dirname, '../../docs/dashboards');
export const RULES = join(FOLDER, 'rules.yml');

const Dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
});

/** Words of the query language, and Prometheus' own metric. */
const NOT_OURS = /^(sum|max|by|rate|increase|offset|histogram_quantile|le|up|\d.*|[smhd])$/;

/** Every metric that the dashboard and the alerts ask for; of a histogram, its own name. */
export async function metricsOfDashboards(): Promise<Set<string>> {
  const { panels } = Dashboard.parse(JSON.parse(await readFile(join(FOLDER, 'grafana.json'), 'utf8')));
  const rules = await readFile(RULES, 'utf8');
  const inRules = [...rules.matchAll(/expr: (?:>-\n)?([\s\S]*?)\n {8}for:/g)].map(([, expr = '']) => expr);
  const names = [...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)), ...inRules].flatMap(namesIn);
  return new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, '')));
}

/** What stands in braces, brackets or after `by` is a label, a range or a value. */
const namesIn = (expr: string): string[] =>
  expr
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]|by \([^)]*\)/g, ' ')
    .split(/[^\w]+/)
    .filter((word) => word !== '' && !NOT_OURS.test(word));
