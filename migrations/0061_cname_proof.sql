-- Why: an operator can import hostnames that are proved by their CNAME to a target of the tenant, instead of by a TXT
-- record. Such a claim is weaker: any connection that proves the hostname by TXT takes it.
-- Lock: brief ACCESS EXCLUSIVE lock on connections, for columns without a default and one with a constant default;
-- creates a table.

-- Targets of a tenant: proved by its TXT record and approved by the operator. Revoking deletes the row.
CREATE TABLE cname_targets (
  tenant_id uuid NOT NULL REFERENCES tenants,
  hostname text NOT NULL,
  challenge_token text NOT NULL,
  created_at timestamptz NOT NULL,
  approved_at timestamptz,
  PRIMARY KEY (tenant_id, hostname)
);
-- A target belongs to one tenant.
CREATE UNIQUE INDEX cname_targets_approved ON cname_targets (hostname) WHERE approved_at IS NOT NULL;

ALTER TABLE cname_targets ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON cname_targets TO svc_api USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY for_the_worker ON cname_targets TO svc_worker USING (true) WITH CHECK (true);
GRANT SELECT ON cname_targets TO svc_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON cname_targets TO svc_worker;

ALTER TABLE connections
  -- `txt` or `cname_target`, and the target of an imported hostname, which it wants as its record.
  ADD COLUMN proof text NOT NULL DEFAULT 'txt',
  ADD COLUMN proof_target text,
  -- The last check of a proof by CNAME, and since when every answer denies it.
  ADD COLUMN proof_checked_at timestamptz,
  ADD COLUMN proof_missing_since timestamptz;

-- A claim that a CNAME proves excludes no TXT proof, so it is no reason to refuse a connection.
CREATE OR REPLACE FUNCTION hostname_is_held(name text, drifted_since timestamptz) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
RETURN EXISTS (
  SELECT FROM connections
  WHERE hostname = name AND serve AND proof <> 'cname_target'
    AND state IN ('verified', 'dns_writing', 'propagating', 'stalled', 'issuing_cert', 'live', 'drifted')
    AND NOT (state = 'drifted' AND phase_started_at + unasked_ms * interval '1 millisecond' <= drifted_since)
    AND NOT (state IN ('live', 'drifted') AND is_domain_lost(registered_domain, proved_at))
);
