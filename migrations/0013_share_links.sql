-- Why: the colleague who owns the DNS is shown a connection's records by a link that ends by itself or is withdrawn; and
-- pages that pin a file of the browser SDK by its hash are served that file after the service was upgraded.
-- Lock: creates only.

CREATE TABLE share_links (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  connection_id uuid NOT NULL REFERENCES connections,
  -- Of the secret in the link, which is not kept.
  hash bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  -- When the timeline last told that it was opened.
  opened_at timestamptz
);
CREATE INDEX share_links_by_connection ON share_links (connection_id) WHERE revoked_at IS NULL;
CREATE INDEX share_links_old ON share_links (expires_at);

ALTER TABLE share_links ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON share_links TO svc_api
  USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY for_the_worker ON share_links TO svc_worker USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON share_links TO svc_api;

-- A link is its own credential: this finds whose it is. One answer, none, for unknown, expired and withdrawn, and for
-- connections that are archived.
CREATE FUNCTION share_link_of(secret_hash bytea, at_time timestamptz)
RETURNS TABLE (id uuid, tenant_id uuid, connection_id uuid, expires_at timestamptz)
LANGUAGE sql STABLE ROWS 1 SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT link.id, link.tenant_id, link.connection_id, link.expires_at
  FROM share_links AS link JOIN connections AS connection ON connection.id = link.connection_id
  WHERE link.hash = secret_hash AND link.revoked_at IS NULL AND link.expires_at > at_time
    AND connection.state <> 'archived';
END;
REVOKE ALL ON FUNCTION share_link_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION share_link_of TO svc_api, svc_worker;

-- Public files of ours, under names that hold their hash.
CREATE TABLE sdk_files (
  name text PRIMARY KEY,
  body bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT ON sdk_files TO svc_api;
