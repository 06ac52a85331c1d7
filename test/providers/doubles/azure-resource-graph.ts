import { z } from 'zod';
import { json, Refused } from './router.ts';
import type { Answer } from './serve.ts';

const Query = z.object({
  query: z.string(),
  subscriptions: z.array(z.string()).optional(),
  options: z.object({ $top: z.number().optional(), $skip: z.number().optional() }).nullish(),
});

type Row = Record<string, string>;

/**
 * Azure Resource Graph for DNS zones. Of the Kusto language it knows what clients send: `resources`, then `where` with
 * one comparison of a column, and `project` with a list of columns.
 */
export function graphAnswer(body: unknown, zones: readonly { id: string; name: string }[]): Answer {
  const sent = Query.safeParse(body);
  if (!sent.success) throw invalid('The query is missing.');
  const [table, ...steps] = sent.data.query.split('|').map((step) => step.trim());
  if (table?.toLowerCase() !== 'resources') throw invalid(`Table '${table ?? ''}' is unknown.`);
  const { subscriptions } = sent.data;
  const visible = zones.map(rowOf).filter((row) => subscriptions?.includes(row['subscriptionId'] ?? '') ?? true);
  const found = steps.reduce(carryOut, visible);
  const { $skip: from = 0, $top: most = 100 } = sent.data.options ?? {};
  const data = found.slice(from, from + most);
  return json(200, { totalRecords: found.length, count: data.length, data, facets: [], resultTruncated: 'false' });
}

function rowOf({ id, name }: { id: string; name: string }): Row {
  const [, , subscriptionId = '', , resourceGroup = ''] = id.split('/');
  return { id, name, type: 'microsoft.network/dnszones', location: 'global', subscriptionId, resourceGroup };
}

function carryOut(rows: readonly Row[], step: string): Row[] {
  const [, column = '', operator, , wanted = ''] = /^where\s+(\w+)\s*(=~|==)\s*(["'])(.*)\3$/s.exec(step) ?? [];
  if (operator === '==') return rows.filter((row) => row[column] === wanted);
  if (operator === '=~') return rows.filter((row) => row[column]?.toLowerCase() === wanted.toLowerCase());
  const [, columns] = /^project\s+(.+)$/s.exec(step) ?? [];
  if (columns === undefined) throw invalid(`The step '${step}' cannot be parsed.`);
  const names = columns.split(',').map((name) => name.trim());
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? ''])));
}

const invalid = (message: string): Refused =>
  new Refused(
    json(400, {
      error: { code: 'BadRequest', message: 'Please provide below info when asking for support.', details: [{ code: 'InvalidQuery', message }] }, // prettier-ignore
    }),
  );
