import pg from 'pg';
import { createTestDatabase } from '../support/fixtures/database.ts';
import { createPool } from '../../src/db/pool.ts';
import { createTenant } from '../../src/db/tenant/tenants.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import { until } from '../support/until.ts';
import { Invariants } from './invariants.ts';
import { MATRIX } from './matrix.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Statements that violate each invariant. The trials take many minutes and have their own command; these tests show
 * that they can fail.
 */
const BREAKS: Readonly<Record<string, string>> = {
  'I2 the last move': `UPDATE connections SET state = 'live'`,
  'I2 each move with an event': `DELETE FROM events WHERE type = 'domain.added'`,
  'I2 events are numbered': `UPDATE connections SET event_sequence = 7`,
  'I1 one claim': `
    DROP INDEX connections_claim, connections_unproved_each;
    CREATE TEMP TABLE another AS SELECT * FROM connections;
    UPDATE another SET id = gen_random_uuid();
    INSERT INTO connections SELECT * FROM another;
    UPDATE connections SET state = 'verified'`,
};

test.each(Object.entries(BREAKS))('the invariant checker finds a violation: %s', async (invariant, statement) => {
  const database = await createTestDatabase();
  const pool = await createPool(database.url, { max: 1, name: 'smoke' });
  await newConnection(pool, await createTenant(pool, 'Smoke'), 'shop.example-shop.com');
  await pool.end();
  const invariants = new Invariants({
    databaseUrl: () => database.url,
    askPorts: () => [],
    temporal: () => {
      throw new Error('Temporal is not part of this test.');
    },
  });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(statement);
  await client.end();
  await until(() => [...invariants.violations].some((violation) => violation.startsWith(invariant)));
  await invariants.end();
  await database.drop();
});

test('each of the 47 rows names tests that exist', () => {
  expect(MATRIX.map(({ row }) => row)).toEqual(Array.from({ length: 47 }, (_, i) => i + 1));
  const missing = MATRIX.flatMap(({ row, tests }) =>
    tests.flatMap(({ file, names }) => {
      const text = readFileSync(join(import.meta.dirname, '..', file), 'utf8');
      return names.filter((name) => !text.includes(name)).map((name) => `${row}: ${file} has no "${name}"`);
    }),
  );
  expect(missing).toEqual([]);
});
