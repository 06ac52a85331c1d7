-- Why: the widget shows which mail records exist and what would change, without a DNS lookup in the request.
-- Lock: creates only.

CREATE TABLE mail_observations (
  connection_id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  observed_at timestamptz NOT NULL,
  -- Records at the names that mailbox providers use.
  records jsonb NOT NULL,
  -- Names about which no server answered.
  unknown text[] NOT NULL,
  FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id)
);
ALTER TABLE mail_observations ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON mail_observations TO svc_api
  USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY for_the_worker ON mail_observations TO svc_worker USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON mail_observations TO svc_api;
