-- Why: writing DNS for customers. Credentials under envelope encryption, and a ledger of every value we wrote, so that it
-- can be shown, undone and proved.
-- Lock: creates, and two columns without default on connections (no rewrite).

CREATE TABLE credentials (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  application_id uuid NOT NULL REFERENCES applications,
  provider text NOT NULL,
  label text,
  hint text NOT NULL,
  zones text[] NOT NULL DEFAULT '{}',
  status text NOT NULL CHECK (status IN ('ok', 'invalid', 'unverified')),
  reason text,
  key_id text NOT NULL,
  wrapped_key bytea NOT NULL,
  ciphertext bytea NOT NULL,
  last_verified_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now())
);
CREATE INDEX credentials_by_application ON credentials (application_id, created_at DESC, id DESC);

-- One row per value: intended before the provider is called, standing once it answered. Clean-up believes both, for a
-- write whose answer was lost may have happened.
CREATE TABLE dns_ledger (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  connection_id uuid NOT NULL REFERENCES connections,
  credential_id uuid NOT NULL,
  provider text NOT NULL,
  zone_id text NOT NULL,
  zone_name text NOT NULL,
  host text NOT NULL,
  type text NOT NULL,
  value text NOT NULL,
  ttl integer NOT NULL,
  priority integer,
  record_id text,
  extra jsonb,
  previous jsonb NOT NULL DEFAULT '[]',
  status text NOT NULL CHECK (status IN ('intended', 'standing', 'removed', 'surrendered')),
  at timestamptz NOT NULL
);
CREATE UNIQUE INDEX dns_ledger_owned ON dns_ledger (connection_id, host, type, value, priority) NULLS NOT DISTINCT
  WHERE status IN ('intended', 'standing');

-- The credential that was last used or refused: another one is worth another try.
ALTER TABLE connections ADD COLUMN credential_id uuid;
-- When drift was last repaired, newest first, as far back as the budget of repairs looks.
ALTER TABLE connections ADD COLUMN repaired_at timestamptz[];

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['credentials', 'dns_ledger']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY own_tenant ON %I TO svc_api USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())',
      name);
  END LOOP;
END
$$;
GRANT SELECT, INSERT, UPDATE, DELETE ON credentials TO svc_api;
GRANT SELECT ON dns_ledger TO svc_api;
