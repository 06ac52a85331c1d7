import pg from 'pg';

/** Returns the types of a connection's events, in order. */
export async function eventTypes(databaseUrl: string, connectionId: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const text = 'SELECT type FROM events WHERE connection_id = $1 ORDER BY sequence';
  const { rows } = await client.query<{ type: string }>(text, [connectionId]);
  await client.end();
  return rows.map(({ type }) => type);
}
