-- Why: rights and claims as narrow as they can be. Logins of their own for the API and the worker, functions with a fixed
-- search path, one waiting connection per customer of the tenant (external_id), claims that end after a week of drift,
-- widget tokens that end with their key, and certificates only for names that were seen pointing here.
-- Lock: the index connections_unproved is built anew while writers of connections wait; two columns without default.

-- Nobody but the owner makes objects where the functions below look for theirs (the default since Postgres 15).
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

-- svc_worker: the worker, the operator's command and the maintenance, for all tenants. svc_edge: the copies of the
-- admission table and the orders of certificates, which concern all tenants and show no tenant's data. Both are shared by
-- every database of the server, so another one may have made them already.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['svc_worker', 'svc_edge'] LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN NOINHERIT', name);
    EXCEPTION
      WHEN duplicate_object OR unique_violation THEN NULL;
    END;
  END LOOP;
END
$$;

-- Two customers of one tenant may each try to connect a name; neither prepares the other's row, and the first proof wins.
DROP INDEX connections_unproved;
CREATE UNIQUE INDEX connections_unproved ON connections (application_id, hostname, external_id) NULLS NOT DISTINCT
  WHERE state IN ('created', 'pending_ownership', 'verifying');

-- A connection that has drifted since before `drifted_since` keeps its claim only until another connection proves the
-- name, so it is no reason to refuse that other one. Time in which no name server could be asked does not count.
DROP FUNCTION hostname_is_held(text);
CREATE FUNCTION hostname_is_held(name text, drifted_since timestamptz) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER
RETURN EXISTS (
  SELECT FROM connections
  WHERE hostname = name
    AND state IN ('verified', 'dns_writing', 'propagating', 'stalled', 'issuing_cert', 'live', 'drifted')
    AND NOT (state = 'drifted' AND phase_started_at + unasked_ms * interval '1 millisecond' <= drifted_since)
);
REVOKE ALL ON FUNCTION hostname_is_held FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hostname_is_held TO svc_api;

-- A widget token ends with the key that minted it, at the next request.
DROP FUNCTION caller_of_token(uuid, uuid, text[]);
CREATE FUNCTION caller_of_token(token_tenant uuid, token_application uuid, token_scopes text[], minting_key uuid)
RETURNS TABLE (
  tenant_id uuid, environment text, application_id uuid, scopes text[], key_id uuid, allowed_origins text[])
LANGUAGE plpgsql ROWS 1 SECURITY DEFINER AS $$
#variable_conflict use_column
DECLARE
  application applications;
BEGIN
  SELECT applications.* INTO application
  FROM applications JOIN api_keys AS key ON key.id = minting_key AND key.tenant_id = applications.tenant_id
  WHERE applications.id = token_application AND applications.tenant_id = token_tenant AND key.revoked_at IS NULL;
  PERFORM set_config('app.tenant_id', coalesce(application.tenant_id::text, ''), true);
  IF application.id IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY SELECT application.tenant_id, application.environment, application.id, token_scopes, NULL::uuid,
                      application.allowed_origins;
END
$$;
REVOKE ALL ON FUNCTION caller_of_token FROM PUBLIC;
GRANT EXECUTE ON FUNCTION caller_of_token TO svc_api;

-- `pointing`: proved and seen pointing here, so a certificate authority can be asked. `held` is proved alone.
ALTER TABLE admissions DROP CONSTRAINT admissions_standing_check;
ALTER TABLE admissions ADD CONSTRAINT admissions_standing_check
  CHECK (standing IN ('held', 'pointing', 'serving', 'archived', 'none'));
CREATE OR REPLACE FUNCTION standing_of(state text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN state IN ('live', 'drifted') THEN 'serving'
  WHEN state = 'issuing_cert' THEN 'pointing'
  WHEN state IN ('verified', 'dns_writing', 'propagating', 'stalled') THEN 'held'
  WHEN state = 'archived' THEN 'archived'
  ELSE 'none'
END;
UPDATE admissions SET standing = 'pointing', sequence = nextval('admission_sequence')
FROM connections
WHERE connections.id = admissions.connection_id AND connections.state = 'issuing_cert';

-- A message says what changed and not what it is now: any login of the database can send one, so every copy reads the
-- row before it believes anything.
CREATE OR REPLACE FUNCTION note_admission() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  next_standing text := standing_of(NEW.state);
  noted admissions;
BEGIN
  IF next_standing IN ('held', 'pointing', 'serving') THEN
    INSERT INTO admissions (hostname, sequence, standing, connection_id, application_id)
    VALUES (NEW.hostname, nextval('admission_sequence'), next_standing, NEW.id, NEW.application_id)
    ON CONFLICT (hostname) DO UPDATE SET
      sequence = nextval('admission_sequence'),
      standing = excluded.standing,
      connection_id = excluded.connection_id,
      application_id = excluded.application_id
    RETURNING * INTO noted;
  ELSE
    -- Another connection may have proved the name since; its standing stays.
    UPDATE admissions SET sequence = nextval('admission_sequence'), standing = next_standing
    WHERE hostname = NEW.hostname AND connection_id = NEW.id AND standing <> next_standing
    RETURNING * INTO noted;
  END IF;
  IF noted.hostname IS NOT NULL THEN
    PERFORM pg_notify('admission', json_build_object('sequence', noted.sequence, 'hostname', noted.hostname)::text);
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION note_origin() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  noted admission_origins;
BEGIN
  INSERT INTO admission_origins (application_id, sequence, origin_url)
  VALUES (NEW.id, nextval('admission_sequence'), NEW.origin_url)
  ON CONFLICT (application_id) DO UPDATE SET
    sequence = nextval('admission_sequence'), origin_url = excluded.origin_url
  RETURNING * INTO noted;
  PERFORM pg_notify('admission', json_build_object(
    'sequence', noted.sequence, 'application_id', noted.application_id)::text);
  RETURN NULL;
END
$$;

-- The newest change at a connection's hostname, for a process that waits until every copy has taken it in.
CREATE FUNCTION newest_admission(connection uuid) RETURNS TABLE (sequence bigint, hostname text)
LANGUAGE sql STABLE SECURITY DEFINER
BEGIN ATOMIC
  SELECT admissions.sequence, admissions.hostname
  FROM admissions JOIN connections USING (hostname) WHERE connections.id = connection;
END;
REVOKE ALL ON FUNCTION newest_admission FROM PUBLIC;
GRANT EXECUTE ON FUNCTION newest_admission TO svc_edge, svc_worker;

-- Whose budget pays for a certificate of the hostname.
CREATE FUNCTION tenant_of_claim(name text) RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER
RETURN (
  SELECT connections.tenant_id FROM admissions JOIN connections ON connections.id = admissions.connection_id
  WHERE admissions.hostname = name AND admissions.standing IN ('held', 'pointing', 'serving')
);
REVOKE ALL ON FUNCTION tenant_of_claim FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenant_of_claim TO svc_edge, svc_worker;

-- Orders are counted per tenant too. `begun_at` is this server's clock and only tells whether the edge may still be busy
-- with the order; `begun_by` who wrote it down: the worker before its handshake, or ask at a visitor's.
ALTER TABLE certificate_orders
  ADD COLUMN tenant_id uuid,
  ADD COLUMN begun_by text NOT NULL DEFAULT 'worker' CHECK (begun_by IN ('worker', 'ask')),
  ADD COLUMN begun_at timestamptz NOT NULL DEFAULT clock_timestamp();
CREATE INDEX certificate_orders_by_tenant ON certificate_orders (account, tenant_id, ordered_at DESC);
ALTER TABLE certificate_orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON certificate_orders TO svc_api
  USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY all_tenants ON certificate_orders TO svc_edge USING (true) WITH CHECK (true);
GRANT SELECT ON certificate_orders TO svc_api;
GRANT SELECT, INSERT ON certificate_orders TO svc_edge;

GRANT USAGE ON SCHEMA public TO svc_edge, svc_worker;
GRANT SELECT ON admissions, admission_origins TO svc_edge;
GRANT SELECT, INSERT, UPDATE, DELETE ON admission_leases, admission_acks TO svc_edge;

-- Reverting what was written runs in the API, for the caller's tenant.
GRANT INSERT, UPDATE, DELETE ON dns_ledger TO svc_api;
-- Processes that may not migrate read whether the schema is the one that they know.
GRANT SELECT ON schema_migrations TO svc_api, svc_worker;

GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO svc_worker;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO svc_worker;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO svc_worker;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO svc_worker;
REVOKE UPDATE, DELETE ON audit_log FROM svc_worker;
REVOKE INSERT, UPDATE, DELETE ON schema_migrations FROM svc_worker;
DO $$
DECLARE
  guarded regclass;
  definer regprocedure;
BEGIN
  FOR guarded IN
    SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relrowsecurity
  LOOP
    EXECUTE format('CREATE POLICY for_the_worker ON %s TO svc_worker USING (true) WITH CHECK (true)', guarded);
  END LOOP;
  -- With pg_temp last, no temporary object of the caller is taken for one of ours.
  FOR definer IN SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, public, pg_temp', definer);
  END LOOP;
END
$$;
