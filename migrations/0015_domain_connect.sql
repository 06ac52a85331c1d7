-- Why: Domain Connect. What a connection's DNS provider offers is kept from the worker's looks, so that reading the
-- connection asks no other server; and what a provider says when it leads the customer back becomes a finding.
-- Lock: creates only.

CREATE TABLE domain_connect_offers (
  connection_id uuid PRIMARY KEY REFERENCES connections,
  tenant_id uuid NOT NULL,
  zone text NOT NULL,
  provider_id text NOT NULL,
  provider_name text NOT NULL,
  url_sync_ux text NOT NULL,
  services text[] NOT NULL,
  looked_at timestamptz NOT NULL
);

-- The last time that a provider led the customer back. It proves nothing: DNS does.
CREATE TABLE domain_connect_returns (
  connection_id uuid PRIMARY KEY REFERENCES connections,
  tenant_id uuid NOT NULL,
  at timestamptz NOT NULL,
  -- One of the standard's words, never the provider's own text; null where no failure was reported.
  error text
);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['domain_connect_offers', 'domain_connect_returns'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY own_tenant ON %I TO svc_api USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())',
      name);
    EXECUTE format('CREATE POLICY for_the_worker ON %I TO svc_worker USING (true) WITH CHECK (true)', name);
  END LOOP;
END
$$;
GRANT SELECT ON domain_connect_offers TO svc_api;
GRANT SELECT, INSERT, UPDATE ON domain_connect_returns TO svc_api;
