import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const FOLDER = join(import.meta.dirname, '../../docs/dashboards');
export const RULES = join(FOLDER, 'rules.yml');
export const PROMETHEUS = join(FOLDER, 'prometheus.yml');

const Dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
});

const Rules = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
});

/** Words of the query language, and Prometheus' own metric. */
const NOT_OURS = /^(sum|max|by|rate|increase|offset|histogram_quantile|le|up|\d.*|[smhd])$/;

/** Returns every query of the dashboard and of the alerts. */
export async function queriesOfDashboards(): Promise<string[]> {
  const { panels } = Dashboard.parse(JSON.parse(await readFile(join(FOLDER, 'grafana.json'), 'utf8')));
  const { groups } = Rules.parse(parse(await readFile(RULES, 'utf8')));
  return [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
  ];
}

/** Returns every metric that the dashboard and the alerts query, and for a histogram its base name. */
export async function metricsOfDashboards(): Promise<Set<string>> {
  const names = (await queriesOfDashboards()).flatMap(namesIn);
  return new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, '')));
}

/** Returns the metric names in an expression. Braces, brackets and `by` contain labels, ranges and values. */
const namesIn = (expr: string): string[] =>
  expr
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]|by \([^)]*\)/g, ' ')
    .split(/[^\w]+/)
    .filter((word) => word !== '' && !NOT_OURS.test(word));
