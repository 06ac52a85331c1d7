import { z } from 'zod';
import type { Queryable, Tx } from '../../src/db/pool.ts';

interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  Plans?: PlanNode[];
}

interface Explained {
  ms: number;
  /** Tables that are read completely. */
  scans: string[];
  indexes: string[];
}

const METHODS: ReadonlySet<string | symbol> = new Set([
  'any',
  'anyFirst',
  'exists',
  'maybeOne',
  'maybeOneFirst',
  'one',
  'oneFirst',
  'query',
]);
const anyRow = z.record(z.string(), z.unknown());

class RolledBack extends Error {}

/** Wraps a transaction so that every statement is explained and rolled back before it runs. */
export const explaining = (tx: Tx, explained: Explained[]): Queryable =>
  new Proxy(tx, {
    get(target, name): unknown {
      const value: unknown = Reflect.get(target, name, target);
      if (!METHODS.has(name) || typeof value !== 'function') return value;
      return async (token: Parameters<Tx['query']>[0]) => {
        explained.push(await explain(target, token));
        return (value as (token: unknown) => Promise<unknown>).call(target, token);
      };
    },
  });

async function explain(tx: Tx, token: Parameters<Tx['query']>[0]): Promise<Explained> {
  let best: Explained | undefined;
  for (let i = 0; i < 3; i++) {
    const found = await explainOnce(tx, token);
    if (best === undefined || found.ms < best.ms) best = found;
  }
  return best!;
}

async function explainOnce(tx: Tx, token: Parameters<Tx['query']>[0]): Promise<Explained> {
  let found: Explained | undefined;
  try {
    await tx.transaction(async (inner) => {
      const { rows } = await inner.query({
        ...token,
        parser: anyRow,
        sql: `EXPLAIN (ANALYZE, FORMAT JSON) ${token.sql}`,
      });
      const [top] = rows[0]!['QUERY PLAN'] as [{ Plan: PlanNode; 'Execution Time': number }];
      found = { ms: top['Execution Time'], ...reads(top.Plan) };
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
  return found!;
}

function reads(plan: PlanNode): Pick<Explained, 'scans' | 'indexes'> {
  const scans = new Set<string>();
  const indexes = new Set<string>();
  const visit = (node: PlanNode): void => {
    if (node['Node Type'] === 'Seq Scan') scans.add(node['Relation Name'] ?? '');
    if (node['Index Name'] !== undefined) indexes.add(node['Index Name']);
    node.Plans?.forEach(visit);
  };
  visit(plan);
  return { scans: [...scans], indexes: [...indexes] };
}
