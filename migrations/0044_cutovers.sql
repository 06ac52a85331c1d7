-- Why: a cutover moves a running site here, watches it, and restores the old records if the site fails.
-- Lock: creates a table.

CREATE TABLE cutovers (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  -- `planned`: a dry run. Its plan is the one that the next call consents to.
  state text NOT NULL CHECK (state IN (
    'planned', 'waiting_for_ttl', 'probing', 'moving', 'observing', 'done', 'reverted', 'cancelled', 'failed')),
  -- The records to remove and to add, as the zone's owner saw them.
  plan jsonb NOT NULL,
  probe jsonb NOT NULL,
  observe_for bigint NOT NULL,
  lower_ttl bigint,
  -- The newest probes, oldest first.
  probes jsonb NOT NULL DEFAULT '[]',
  -- How it will end, decided before the records are restored. Null while it goes on.
  outcome text CHECK (outcome IN ('done', 'reverted', 'cancelled', 'failed')),
  reason text,
  -- When TTLs of the old records were lowered, and when the records may have been replaced.
  lowered_at timestamptz,
  moved_at timestamptz,
  created_at timestamptz NOT NULL,
  ended_at timestamptz,
  FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id)
);
CREATE INDEX cutovers_by_connection ON cutovers (connection_id, id);
-- A connection has one cutover in progress.
CREATE UNIQUE INDEX cutovers_in_progress ON cutovers (connection_id)
  WHERE state IN ('waiting_for_ttl', 'probing', 'moving', 'observing');

ALTER TABLE cutovers ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON cutovers TO svc_api USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY for_the_worker ON cutovers TO svc_worker USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON cutovers TO svc_api, svc_worker;
