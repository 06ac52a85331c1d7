-- Why: one tenant's batch must not make another tenant's single name wait. The starts of a batch's connections are let go a
-- few at a time; until then they stand here in the order in which they came, and after that until they came to wait.
-- Lock: creates a table; the index on connections blocks writes to it while the table is read once.

CREATE TABLE held_starts (
  connection_id uuid PRIMARY KEY REFERENCES connections ON DELETE CASCADE,
  tenant_id uuid NOT NULL,
  place bigint GENERATED ALWAYS AS IDENTITY,
  released_at timestamptz
);
CREATE INDEX held_starts_in_order ON held_starts (tenant_id, place) WHERE released_at IS NULL;
CREATE INDEX held_starts_released ON held_starts (tenant_id) WHERE released_at IS NOT NULL;

-- Connections outside of batches that may be in motion, to be asked for the last few seconds of them.
CREATE INDEX connections_in_motion ON connections (phase_started_at)
  WHERE batch_id IS NULL AND state IN ('pending_ownership', 'verifying', 'verified', 'dns_writing', 'propagating', 'issuing_cert');

ALTER TABLE held_starts ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON held_starts TO svc_api
  USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY for_the_worker ON held_starts TO svc_worker USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON held_starts TO svc_api;
