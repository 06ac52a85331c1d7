import type pg from 'pg';

/** Tables whose rows the invariants count. Retention and the deletion of a tenant delete from them. */
const TABLES = [
  'connections',
  'events',
  'timeline',
  'webhook_deliveries',
  'webhook_attempts',
  'webhook_endpoints',
] as const;

/**
 * Keeps a copy of every row that is deleted. Schema `whole` shows present and deleted rows under the names of the tables,
 * so that the invariants apply to all that ever happened.
 */
export async function keepDeletedRows(client: pg.Client): Promise<void> {
  await client.query('CREATE SCHEMA whole');
  for (const table of TABLES)
    await client.query(`
      CREATE TABLE whole.deleted_${table} (LIKE public.${table});
      CREATE VIEW whole.${table} AS SELECT * FROM public.${table} UNION ALL SELECT * FROM whole.deleted_${table};
      CREATE FUNCTION whole.keep_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO whole.deleted_${table} SELECT * FROM gone;
        RETURN NULL;
      END $$;
      CREATE TRIGGER keep_deleted AFTER DELETE ON public.${table} REFERENCING OLD TABLE AS gone
        FOR EACH STATEMENT EXECUTE FUNCTION whole.keep_${table}();`);
}

/** Shows this session the deleted rows too. */
export const showDeletedRows = (client: pg.Client): Promise<unknown> =>
  client.query('SET search_path = whole, simulated, pg_catalog, public');
