-- Why: many hostnames by one call. A batch keeps what became of each of its rows, so that it can be shown and exported
-- later, and says once that all of them have come to rest.
-- Lock: creates; one index on connections, which blocks writes to it while it is built.

CREATE TABLE batches (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  application_id uuid NOT NULL REFERENCES applications,
  environment text NOT NULL CHECK (environment IN ('test', 'live')),
  created_at timestamptz NOT NULL,
  -- Rows whose connection is still on its way. Zero is reached once, and then `completed_at` is set.
  unsettled integer NOT NULL CHECK (unsettled >= 0),
  completed_at timestamptz
);

CREATE TABLE batch_rows (
  -- In the order of the rows, so that a cursor is a place in the caller's own list.
  id uuid PRIMARY KEY,
  batch_id uuid NOT NULL REFERENCES batches,
  tenant_id uuid NOT NULL,
  position integer NOT NULL,
  -- The normalized name, or what was given where that is no hostname.
  hostname text NOT NULL,
  external_id text,
  result text NOT NULL CHECK (result IN ('created', 'existing', 'conflict', 'invalid')),
  connection_id uuid REFERENCES connections,
  -- Why the row was refused: code, message and, where there is one, suggestion.
  problem jsonb,
  -- When its connection first came to rest (live, failed or archived); rows that were refused never set out.
  settled_at timestamptz,
  UNIQUE (batch_id, position)
);
CREATE INDEX batch_rows_in_order ON batch_rows (batch_id, id);
-- What a connection that comes to rest asks.
CREATE INDEX batch_rows_on_the_way ON batch_rows (connection_id) WHERE settled_at IS NULL;

CREATE INDEX connections_by_batch ON connections (batch_id, created_at DESC, id DESC) WHERE batch_id IS NOT NULL;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['batches', 'batch_rows'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY own_tenant ON %I TO svc_api USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())',
      name);
    EXECUTE format('CREATE POLICY for_the_worker ON %I TO svc_worker USING (true) WITH CHECK (true)', name);
  END LOOP;
END
$$;
GRANT SELECT, INSERT, UPDATE ON batches, batch_rows TO svc_api;
