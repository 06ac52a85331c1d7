import pg from 'pg';
import { createTestDatabase } from '../support/fixtures/database.ts';

test('each test database is separate: a table created in one is unknown in another', async () => {
  const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const clients = [one, other].map(({ url }) => new pg.Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  await clients[0]!.query('CREATE TABLE mine (id int)');

  const seen = await Promise.all(clients.map((client) => client.query("SELECT to_regclass('mine') AS found")));

  expect(seen.map(({ rows }) => rows as unknown)).toEqual([[{ found: 'mine' }], [{ found: null }]]);
  await Promise.all(clients.map((client) => client.end()));
  await Promise.all([one.drop(), other.drop()]);
});
