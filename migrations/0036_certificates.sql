-- Why: certificates that this service holds itself, with their keys: uploaded by a tenant, or ordered by the worker.
-- Lock: creates; a brief ACCESS EXCLUSIVE on connections for columns without a default.

CREATE TABLE certificates (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  source text NOT NULL CHECK (source IN ('uploaded', 'ordered')),
  -- PEM, the certificate first.
  chain text NOT NULL,
  names text[] NOT NULL,
  serial text NOT NULL,
  ca text NOT NULL,
  not_before timestamptz NOT NULL,
  not_after timestamptz NOT NULL,
  -- The id by which the CA knows the certificate for renewal (RFC 9773); null for uploads.
  renewal_id text,
  -- When it should be renewed; null for uploads, which the tenant renews.
  renew_at timestamptz,
  -- When to ask the CA again whether it should be renewed earlier (ARI, RFC 9773).
  ask_renewal_at timestamptz,
  -- Its private key, in the vault.
  key_id text NOT NULL,
  wrapped_key bytea NOT NULL,
  ciphertext bytea NOT NULL,
  created_at timestamptz NOT NULL,
  -- An upload that the tenant deleted. It serves until the order of its successor ends.
  is_leaving boolean NOT NULL DEFAULT false,
  -- A newer one replaces the row, with a new id.
  UNIQUE (connection_id, source),
  FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id)
);
CREATE INDEX certificates_ending ON certificates (not_after);
CREATE INDEX certificates_due ON certificates (renew_at) WHERE source = 'ordered';
CREATE INDEX certificates_to_ask ON certificates (ask_renewal_at) WHERE source = 'ordered';

-- A private key that waits for its certificate: the tenant asked for a signing request.
CREATE TABLE certificate_requests (
  connection_id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  key_id text NOT NULL,
  wrapped_key bytea NOT NULL,
  ciphertext bytea NOT NULL,
  created_at timestamptz NOT NULL,
  FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id)
);
CREATE INDEX certificate_requests_old ON certificate_requests (created_at);

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['certificates', 'certificate_requests'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY own_tenant ON %I TO svc_api USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())',
      name);
    EXECUTE format('CREATE POLICY for_the_worker ON %I TO svc_worker USING (true) WITH CHECK (true)', name);
  END LOOP;
END
$$;
GRANT SELECT, INSERT, UPDATE, DELETE ON certificates, certificate_requests TO svc_api;

-- The certificate that visitors see: who provided it, and which one it is.
ALTER TABLE connections
  ADD COLUMN certificate_source text,
  ADD COLUMN certificate_serial text,
  ADD COLUMN certificate_names text[];
