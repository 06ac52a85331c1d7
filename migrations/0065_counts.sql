-- Why: the console shows a tenant its connections by state, by day and by what needs attention, and lists those with a
-- finding. Counting a million rows for each page would take seconds, so the counts are maintained.
-- Lock: brief SHARE ROW EXCLUSIVE locks on connections, for triggers; creates tables.

-- Rows are only added and folded: a change adds rows with +1 and -1, and a worker replaces many rows by their sum. No
-- transaction updates a row of another, so changes of one application never wait for each other.
CREATE TABLE connection_counts (
  tenant_id uuid NOT NULL,
  application_id uuid NOT NULL,
  environment text NOT NULL,
  kind text NOT NULL,
  -- The day of what happened, by UTC; `infinity` for what is so now.
  day date NOT NULL,
  quantity bigint NOT NULL,
  folded boolean NOT NULL DEFAULT false
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX connection_counts_by_tenant ON connection_counts (tenant_id, day, application_id);
CREATE INDEX connection_counts_to_fold ON connection_counts (tenant_id) WHERE NOT folded;

-- Codes of the findings in connections.findings. A list by finding walks along an index here, because row-level security
-- lets no index of a jsonb column be used.
CREATE TABLE connection_findings (
  connection_id uuid NOT NULL,
  code text NOT NULL,
  tenant_id uuid NOT NULL,
  application_id uuid NOT NULL,
  environment text NOT NULL,
  -- Creation of the connection, the order of lists.
  connected_at timestamptz NOT NULL,
  PRIMARY KEY (connection_id, code),
  FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id) ON DELETE CASCADE
);
CREATE INDEX connection_findings_in_order ON connection_findings (
  tenant_id, code, connected_at DESC, connection_id DESC, environment, application_id);

ALTER TABLE connection_counts ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON connection_counts TO svc_api USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY for_the_worker ON connection_counts TO svc_worker USING (true) WITH CHECK (true);
ALTER TABLE connection_findings ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON connection_findings TO svc_api USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY for_the_worker ON connection_findings TO svc_worker USING (true) WITH CHECK (true);
GRANT SELECT ON connection_counts, connection_findings TO svc_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON connection_counts, connection_findings TO svc_worker;

CREATE FUNCTION day_of(at timestamptz) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (at AT TIME ZONE 'UTC')::date;

-- The step of the histogram for the time between creation and first live: its upper bound in seconds.
CREATE FUNCTION step_of(took interval) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN took <= interval '10 seconds' THEN '10'
  WHEN took <= interval '30 seconds' THEN '30'
  WHEN took <= interval '1 minute' THEN '60'
  WHEN took <= interval '5 minutes' THEN '300'
  WHEN took <= interval '15 minutes' THEN '900'
  WHEN took <= interval '1 hour' THEN '3600'
  WHEN took <= interval '6 hours' THEN '21600'
  WHEN took <= interval '24 hours' THEN '86400'
  WHEN took <= interval '72 hours' THEN '259200'
  ELSE 'more'
END;

-- Everything that a connection counts towards. It depends on the row alone, so the counts are the sum over all rows.
CREATE FUNCTION counted(
  state text, certificate_status text, error_code text, dangling boolean,
  created_at timestamptz, live_at timestamptz, archived_at timestamptz)
RETURNS TABLE (what text, day date)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 4
BEGIN ATOMIC
  SELECT what, day
  FROM (VALUES
    ('state:' || state, date 'infinity', true),
    ('failing_certificates', date 'infinity', state <> 'archived' AND (certificate_status IN ('failed', 'expired')
      OR error_code IN ('cert_failed', 'ca_rate_limited', 'caa_blocked', 'edge_unreachable'))),
    ('dangling', date 'infinity', dangling),
    ('created', day_of(created_at), true),
    ('live:' || step_of(live_at - created_at), day_of(live_at), live_at IS NOT NULL),
    ('archived', day_of(archived_at), archived_at IS NOT NULL)
  ) AS possible (what, day, applies)
  WHERE applies;
END;

-- One statement of a client adds the difference that it made, however many rows it changed.
CREATE FUNCTION count_connections() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO connection_counts (tenant_id, application_id, environment, kind, day, quantity)
    SELECT tenant_id, application_id, environment, what, day, count(*)
    FROM after, counted(state, certificate_status, error_code, dangling, created_at, live_at, archived_at)
    GROUP BY tenant_id, application_id, environment, what, day;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO connection_counts (tenant_id, application_id, environment, kind, day, quantity)
    SELECT tenant_id, application_id, environment, what, day, -count(*)
    FROM before, counted(state, certificate_status, error_code, dangling, created_at, live_at, archived_at)
    GROUP BY tenant_id, application_id, environment, what, day;
  ELSE
    INSERT INTO connection_counts (tenant_id, application_id, environment, kind, day, quantity)
    SELECT tenant_id, application_id, environment, what, day, sum(change)
    FROM (
      SELECT tenant_id, application_id, environment, state, certificate_status, error_code, dangling, created_at, live_at,
        archived_at, 1 AS change FROM after
      UNION ALL
      SELECT tenant_id, application_id, environment, state, certificate_status, error_code, dangling, created_at, live_at,
        archived_at, -1 FROM before
    ) AS changed, counted(state, certificate_status, error_code, dangling, created_at, live_at, archived_at)
    GROUP BY tenant_id, application_id, environment, what, day HAVING sum(change) <> 0;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER counted_insert AFTER INSERT ON connections REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION count_connections();
CREATE TRIGGER counted_update AFTER UPDATE ON connections REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION count_connections();
CREATE TRIGGER counted_delete AFTER DELETE ON connections REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION count_connections();

-- Adds what the counts lack: the full count minus the sum of the rows. One statement sees both at the same moment, so it
-- is exact while others write, needs no lock, and adds nothing when the counts are right.
CREATE FUNCTION recount_connections() RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  INSERT INTO connection_counts (tenant_id, application_id, environment, kind, day, quantity)
  SELECT tenant_id, application_id, environment, what, day, sum(change)
  FROM (
    SELECT tenant_id, application_id, environment, what, day, count(*) AS change
    FROM connections, counted(state, certificate_status, error_code, dangling, created_at, live_at, archived_at)
    GROUP BY tenant_id, application_id, environment, what, day
    UNION ALL
    SELECT tenant_id, application_id, environment, kind, day, -quantity FROM connection_counts
  ) AS difference
  GROUP BY tenant_id, application_id, environment, what, day HAVING sum(change) <> 0;
END;
REVOKE ALL ON FUNCTION recount_connections FROM PUBLIC;

CREATE FUNCTION note_findings() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM connection_findings
    WHERE connection_id = NEW.id AND code NOT IN (SELECT finding ->> 'code' FROM jsonb_array_elements(NEW.findings) AS finding);
  END IF;
  INSERT INTO connection_findings (connection_id, code, tenant_id, application_id, environment, connected_at)
  SELECT DISTINCT NEW.id, finding ->> 'code', NEW.tenant_id, NEW.application_id, NEW.environment, NEW.created_at
  FROM jsonb_array_elements(NEW.findings) AS finding
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER findings_made AFTER INSERT ON connections
  FOR EACH ROW WHEN (NEW.findings <> '[]') EXECUTE FUNCTION note_findings();
CREATE TRIGGER findings_changed AFTER UPDATE OF findings ON connections
  FOR EACH ROW WHEN (OLD.findings IS DISTINCT FROM NEW.findings) EXECUTE FUNCTION note_findings();

-- Copies the codes of rows that were written before the triggers. Each thousand rows are locked while they are copied, so
-- that no change falls in between, and committed before the next.
CREATE PROCEDURE copy_findings() LANGUAGE plpgsql AS $$
DECLARE
  last uuid := '00000000-0000-0000-0000-000000000000';
  ids uuid[];
BEGIN
  LOOP
    ids := ARRAY(
      SELECT id FROM public.connections WHERE id > last AND findings <> '[]' ORDER BY id LIMIT 1000 FOR NO KEY UPDATE);
    EXIT WHEN cardinality(ids) = 0;
    INSERT INTO public.connection_findings (connection_id, code, tenant_id, application_id, environment, connected_at)
    SELECT DISTINCT id, finding ->> 'code', tenant_id, application_id, environment, created_at
    FROM public.connections, jsonb_array_elements(findings) AS finding
    WHERE id = ANY (ids)
    ON CONFLICT DO NOTHING;
    last := ids[cardinality(ids)];
    COMMIT;
  END LOOP;
END
$$;
REVOKE ALL ON PROCEDURE copy_findings FROM PUBLIC;
