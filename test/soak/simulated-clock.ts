import pg from 'pg';

/**
 * Lets Postgres follow Temporal's simulated time: `now()` and `clock_timestamp()` of the shipped SQL, and the defaults of
 * columns, use functions of ours. A schema that comes before `pg_catalog` in the search path replaces its functions.
 */
export class SimulatedClock {
  private readonly client: pg.Client;

  private constructor(client: pg.Client) {
    this.client = client;
  }

  /** Call it before any other connection is opened: sessions read the search path when they begin. */
  static async install(databaseUrl: string): Promise<SimulatedClock> {
    const client = new pg.Client({ connectionString: databaseUrl });
    client.on('error', () => undefined); // the end of a failed soak stops Postgres first
    await client.connect();
    // Postgres prints these expressions with qualified names once another `now()` comes first.
    const { rows: defaults } = await client.query<{ alter: string }>(DEFAULTS);
    await client.query(REPLACEMENTS);
    for (const { alter } of defaults) await client.query(alter);
    return new SimulatedClock(client);
  }

  async set(now: number): Promise<void> {
    const ahead = `${now - Date.now()} milliseconds`;
    await this.client.query('UPDATE simulated.clock SET ahead = $1::interval', [ahead]);
  }

  stop(): Promise<void> {
    return this.client.end();
  }
}

const DEFAULTS = `
  SELECT format('ALTER TABLE %s ALTER %I SET DEFAULT %s', adrelid::regclass, attname, pg_get_expr(adbin, adrelid)) AS alter
  FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
  WHERE attgenerated = '' AND pg_get_expr(adbin, adrelid) ~ 'now\\(\\)|clock_timestamp\\(\\)'
    AND adrelid::regclass::text !~ '^schema_migrations'`;

const REPLACEMENTS = `
  CREATE SCHEMA simulated;
  CREATE TABLE simulated.clock (ahead interval NOT NULL);
  INSERT INTO simulated.clock VALUES ('0');
  CREATE FUNCTION simulated.now() RETURNS timestamptz LANGUAGE sql STABLE
    AS 'SELECT pg_catalog.now() + ahead FROM simulated.clock';
  CREATE FUNCTION simulated.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS 'SELECT pg_catalog.clock_timestamp() + ahead FROM simulated.clock';
  DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET search_path = simulated, pg_catalog, public', current_database());
  END $$;
  SET search_path = simulated, pg_catalog, public;`;
