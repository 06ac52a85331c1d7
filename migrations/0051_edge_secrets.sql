-- Why: edges sign requests to origins with secrets of the application, which edges get encrypted for their key pair.
-- Lock: a brief ACCESS EXCLUSIVE on admission_origins for a column without a default; the rest creates only.

-- An application's secrets, encrypted by the vault. All that are active sign.
CREATE TABLE edge_secrets (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  application_id uuid NOT NULL,
  key_id text NOT NULL,
  wrapped_key bytea NOT NULL,
  ciphertext bytea NOT NULL,
  active_from timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  FOREIGN KEY (application_id, tenant_id) REFERENCES applications (id, tenant_id)
);
CREATE INDEX edge_secrets_by_application ON edge_secrets (application_id, created_at);

ALTER TABLE edge_secrets ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON edge_secrets TO svc_api USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY for_the_worker ON edge_secrets TO svc_worker USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON edge_secrets TO svc_api, svc_worker;

-- A secret, encrypted for one edge (JWE, RFC 7516). The edge alone can read it.
CREATE TABLE edge_secret_copies (
  edge text NOT NULL REFERENCES registered_edges,
  secret_id uuid NOT NULL REFERENCES edge_secrets ON DELETE CASCADE,
  sealed text NOT NULL,
  PRIMARY KEY (secret_id, edge)
);
CREATE INDEX edge_secret_copies_by_edge ON edge_secret_copies (edge);
GRANT SELECT ON edge_secret_copies TO svc_edge;
GRANT SELECT, INSERT ON edge_secret_copies TO svc_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON edge_secret_copies TO svc_worker;

-- Ids of the secrets, each with the time in milliseconds of the epoch from which it signs; 0: it signs already.
ALTER TABLE admission_origins ADD COLUMN secrets jsonb;

-- Notifies every edge of an application's secrets. Clocks differ, so a secret of the last minute counts as active.
CREATE FUNCTION note_edge_secrets(application uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  owner applications;
  is_suspended boolean;
  noted admission_origins;
BEGIN
  SELECT * INTO owner FROM applications WHERE id = application;
  SELECT suspended_at IS NOT NULL INTO is_suspended FROM tenants WHERE id = owner.tenant_id FOR SHARE;
  INSERT INTO admission_origins (application_id, sequence, origin_url, display_name, suspended, secrets)
  SELECT application, nextval('admission_sequence'), owner.origin_url, owner.display_name, is_suspended,
    jsonb_agg(jsonb_build_object('id', id, 'from', CASE WHEN active_from <= clock_timestamp() + interval '1 minute' THEN 0
      ELSE round(extract(epoch FROM active_from) * 1000) END) ORDER BY active_from DESC, id)
  FROM edge_secrets WHERE application_id = application
  ON CONFLICT (application_id) DO UPDATE SET sequence = nextval('admission_sequence'), secrets = excluded.secrets
  RETURNING * INTO noted;
  PERFORM pg_notify('admission', json_build_object(
    'sequence', noted.sequence, 'application_id', noted.application_id)::text);
END
$$;
REVOKE ALL ON FUNCTION note_edge_secrets FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_edge_secrets TO svc_api, svc_worker;

-- Returns a secret as the vault encrypted it, for API processes that answer an edge whose agent is down.
CREATE FUNCTION sealed_edge_secret(secret uuid)
RETURNS TABLE (id uuid, tenant_id uuid, application_id uuid, key_id text, wrapped_key bytea, ciphertext bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT s.id, s.tenant_id, s.application_id, s.key_id, s.wrapped_key, s.ciphertext FROM edge_secrets s WHERE s.id = secret;
END;
REVOKE ALL ON FUNCTION sealed_edge_secret FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sealed_edge_secret TO svc_api;
