-- Why: the ledger knows why a value was written (connection, email), in which zone, and what every write displaced at a
-- name, layer by layer; a credential that one zone refuses stays good for the others; the outbox carries messages for
-- workflows of any kind.
-- Lock: dns_ledger and outbox are locked for moments (new columns with constant defaults, one index each on small tables).

ALTER TABLE dns_ledger ADD COLUMN purpose text NOT NULL DEFAULT 'connection' CHECK (purpose IN ('connection', 'email'));
-- Withdrawn: intended, and then surely not written, so a value like it that appears later is not ours.
ALTER TABLE dns_ledger DROP CONSTRAINT dns_ledger_status_check;
ALTER TABLE dns_ledger ADD CONSTRAINT dns_ledger_status_check
  CHECK (status IN ('intended', 'standing', 'removed', 'surrendered', 'withdrawn'));
-- A sub-zone that is made later gets rows of its own, and those of the zone above stay until it is cleaned.
DROP INDEX dns_ledger_owned;
CREATE UNIQUE INDEX dns_ledger_owned ON dns_ledger (connection_id, purpose, zone_id, host, type, value, priority)
  NULLS NOT DISTINCT WHERE status IN ('intended', 'standing');

-- The customer's values that writes of ours took away: a row for each write and name, the newest on top. It outlives the
-- values that displaced it, because the customer may delete those and still want back what stood before.
CREATE TABLE dns_displaced (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id uuid NOT NULL,
  connection_id uuid NOT NULL REFERENCES connections,
  purpose text NOT NULL CHECK (purpose IN ('connection', 'email')),
  credential_id uuid NOT NULL,
  provider text NOT NULL,
  zone_id text NOT NULL,
  zone_name text NOT NULL,
  host text NOT NULL,
  records jsonb NOT NULL,
  -- No pointer of ours stood beside them: they were all that the customer had at the name.
  whole boolean NOT NULL,
  status text NOT NULL DEFAULT 'displaced' CHECK (status IN ('displaced', 'restored', 'surrendered', 'withdrawn')),
  at timestamptz NOT NULL
);
CREATE INDEX dns_displaced_open ON dns_displaced (connection_id, id) WHERE status = 'displaced';

-- Until now each value carried what it had displaced, newest first; values of one name shared it.
INSERT INTO dns_displaced (
  tenant_id, connection_id, purpose, credential_id, provider, zone_id, zone_name, host, records, whole, at)
SELECT tenant_id, connection_id, 'connection', (array_agg(credential_id ORDER BY at DESC))[1],
  provider, zone_id, zone_name, host, jsonb_agg(record ORDER BY at DESC, position), true, max(at)
FROM dns_ledger, jsonb_array_elements(previous) WITH ORDINALITY AS displaced (record, position)
WHERE status IN ('intended', 'standing')
GROUP BY tenant_id, connection_id, provider, zone_id, zone_name, host;
ALTER TABLE dns_ledger DROP COLUMN previous;

-- Zones that a provider does not let a credential write. Its other zones are not touched by that.
CREATE TABLE refused_zones (
  credential_id uuid NOT NULL REFERENCES credentials ON DELETE CASCADE,
  tenant_id uuid NOT NULL,
  zone text NOT NULL,
  reason text NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (credential_id, zone)
);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['dns_displaced', 'refused_zones']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY own_tenant ON %I TO svc_api USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())',
      name);
  END LOOP;
END
$$;
GRANT SELECT, INSERT, UPDATE ON dns_displaced TO svc_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON refused_zones TO svc_api;

-- A message names whom it is about (kind and id), which kind of workflow it is for and on which task queue that runs;
-- none means the queue of the relay that sends it. What kinds of messages there are is each workflow's own matter.
ALTER TABLE outbox DROP CONSTRAINT outbox_connection_id_fkey;
ALTER TABLE outbox DROP CONSTRAINT outbox_kind_check;
ALTER TABLE outbox RENAME COLUMN connection_id TO aggregate_id;
ALTER TABLE outbox ADD COLUMN aggregate_kind text NOT NULL DEFAULT 'connection';
ALTER TABLE outbox ADD COLUMN workflow text NOT NULL DEFAULT 'connection';
ALTER TABLE outbox ALTER COLUMN aggregate_kind DROP DEFAULT, ALTER COLUMN workflow DROP DEFAULT;
ALTER TABLE outbox ADD COLUMN task_queue text;
DROP INDEX outbox_by_connection;
CREATE INDEX outbox_by_aggregate ON outbox (aggregate_kind, aggregate_id, id);
