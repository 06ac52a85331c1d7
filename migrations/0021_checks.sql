-- Why: every check of every name wrote its times into the wide row of the connection and, because one of them is indexed,
-- into all of its indexes. What changes at each check stands in a narrow table now; the row is written when the connection
-- changes. The old columns stay for processes of the version before, and go with a later migration.
-- Lock: creates a table; the first fill reads connections.

CREATE TABLE checks (
  connection_id uuid PRIMARY KEY REFERENCES connections ON DELETE CASCADE,
  tenant_id uuid NOT NULL,
  last_checked_at timestamptz,
  next_check_at timestamptz,
  -- When the workflow is to be heard of next: its next check, or the creation before the first one. Null at rest.
  due_at timestamptz
) WITH (fillfactor = 80);

INSERT INTO checks (connection_id, tenant_id, last_checked_at, next_check_at, due_at)
SELECT id, tenant_id, last_checked_at, next_check_at,
  CASE WHEN state NOT IN ('failed', 'archived') THEN coalesce(next_check_at, created_at) END
FROM connections;

CREATE INDEX checks_due ON checks (due_at, connection_id) WHERE due_at IS NOT NULL;

ALTER TABLE checks ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON checks TO svc_api
  USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY for_the_worker ON checks TO svc_worker USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON checks TO svc_api;

-- Which process does a piece of work that recurs, and when it last did: the others leave it alone until it is due again.
CREATE TABLE duties (
  name text PRIMARY KEY,
  taken_at timestamptz NOT NULL
);
ALTER TABLE duties ENABLE ROW LEVEL SECURITY;
CREATE POLICY for_the_worker ON duties TO svc_worker USING (true) WITH CHECK (true);

-- Which of a tenant's connections are at or below one of these names, by the order of names read from their ends. No
-- character of a hostname comes after a tilde. It runs as the owner, because row-level security would keep Postgres from
-- asking the index; a caller that is bound to a tenant is answered for that tenant whatever it names.
CREATE FUNCTION connections_at_or_below(tenant uuid, names text[]) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER ROWS 10 SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT id FROM unnest(names) AS name JOIN connections
    ON reverse('.' || hostname) COLLATE "C" >= reverse('.' || name)
      AND reverse('.' || hostname) COLLATE "C" < reverse('.' || name) || '~'
  WHERE tenant_id = coalesce(current_tenant(), tenant);
END;
REVOKE EXECUTE ON FUNCTION connections_at_or_below FROM PUBLIC;
GRANT EXECUTE ON FUNCTION connections_at_or_below TO svc_api, svc_worker;
