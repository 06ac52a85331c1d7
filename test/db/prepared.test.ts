import { z } from 'zod';
import { createPool, sql, type Pool } from '../../src/db/pool.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 1, name: 'prepared' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const prepared = () =>
  pool.anyFirst(sql.type(z.object({ statement: z.string() }))`SELECT statement FROM pg_prepared_statements`);
const N = z.object({ n: z.number() });

test('a statement that is used often is prepared once for its connection, with different values', async () => {
  const double = (n: number) => pool.oneFirst(sql.type(N)`SELECT ${n}::int * 2 AS n`);
  expect(await double(1)).toBe(2);
  expect(await prepared()).toEqual([]);

  for (let n = 2; n < 20; n++) expect(await double(n)).toBe(2 * n);

  expect(await prepared()).toEqual(['SELECT $1::int * 2 AS n']);
});

test('texts of many shapes do not fill the memory of a connection', async () => {
  for (let shape = 1; shape <= 250; shape++)
    for (let use = 0; use < 8; use++)
      await pool.oneFirst(
        sql.type(N)`SELECT ${sql.join(
          Array.from({ length: shape }, () => sql.fragment`1`),
          sql.fragment` + `,
        )} AS n`,
      );
  expect(await prepared()).toHaveLength(200);
});

test('a prepared statement that fails in one transaction works in the next', async () => {
  const divide = (by: number) => pool.transaction((tx) => tx.oneFirst(sql.type(N)`SELECT 10 / ${by}::int AS n`));
  for (let use = 0; use < 8; use++) expect(await divide(2)).toBe(5);
  await expect(divide(0)).rejects.toThrow('division by zero');
  expect(await divide(5)).toBe(2);
});
