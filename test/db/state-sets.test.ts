import pg from 'pg';
import { STATES, type State } from '../../src/domain/connection/connection.ts';
import * as sets from '../../src/domain/connection/state-sets.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';

/** Lists of states that the schema may contain: the named sets, and differences between them. */
const minus = (from: Iterable<State>, ...others: Iterable<State>[]) =>
  [...from].filter((state) => !others.some((other) => [...other].includes(state)));
const KNOWN: Record<string, Iterable<State>> = {
  STATES,
  AT_REST: sets.AT_REST,
  UNPROVED: sets.UNPROVED,
  PROVED: sets.PROVED,
  SERVING: sets.SERVING,
  'PROVED without SERVING and issuing_cert': minus(sets.PROVED, sets.SERVING, ['issuing_cert']),
  'AWAITS_PROOF and ADVANCING': [...sets.AWAITS_PROOF, ...sets.ADVANCING],
};
const keyOf = (states: Iterable<string>) => [...new Set(states)].sort().join(' ');

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('every list of states in an index, constraint, trigger or function of the schema is a named set', async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ name: string; definition: string }>(`
    SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prolang <> 13
    UNION ALL SELECT viewname, definition FROM pg_views WHERE schemaname = 'public'`);
  await client.end();
  const known = new Set(Object.values(KNOWN).map(keyOf));
  const lists = rows.flatMap(({ name, definition }) =>
    [...definition.matchAll(/(?:ARRAY\[|\bIN \()((?:[^\])])*)[\])]/g)]
      .map(([, list]) => [...list!.matchAll(/'(\w+)'/g)].map((word) => word[1]!))
      .filter((words) => words.length > 1 && words.every((word) => (STATES as readonly string[]).includes(word)))
      .map((words) => ({ name, list: keyOf(words) })),
  );

  expect(lists.length).toBeGreaterThanOrEqual(6);
  expect(lists.filter(({ list }) => !known.has(list))).toEqual([]);
});
