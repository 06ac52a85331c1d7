import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** The superuser's address of the Postgres that global set-up started for this run. */
export const SUPERUSER_URL_VARIABLE = 'TEST_POSTGRES_URL';
export const TEMPLATE = 'svc_template';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A database of its own for one test file, with every migration applied: copied from the template in a moment. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asSuperuser(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
  return {
    url: databaseUrl(name),
    drop: () => asSuperuser(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

export function databaseUrl(name: string): string {
  const url = new URL(superuserUrl());
  url.pathname = `/${name}`;
  return url.href;
}

export async function asSuperuser(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl() });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function superuserUrl(): string {
  const url = process.env[SUPERUSER_URL_VARIABLE];
  if (url === undefined) throw new Error(`${SUPERUSER_URL_VARIABLE} is not set: run the tests through jest.config.js.`);
  return url;
}
