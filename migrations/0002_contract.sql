-- Why: the API's contract. Callers are known in one round trip, repeated requests are answered from memory, admin
-- mutations leave a trace, and browsers are told which origins may ask.
-- Lock: two indexes on tables that exist block writes to them while they are built.

-- Knows the owner of a key and binds the rest of the statement or transaction to its tenant. One answer, none, for
-- unknown and revoked. It notes the use at most once a minute, and never waits for a lock to do so.
CREATE FUNCTION caller_of_key(secret_hash bytea)
RETURNS TABLE (
  tenant_id uuid, environment text, application_id uuid, scopes text[], key_id uuid, allowed_origins text[])
LANGUAGE plpgsql ROWS 1 SECURITY DEFINER SET search_path = public AS $$
#variable_conflict use_column
DECLARE
  key api_keys;
BEGIN
  SELECT * INTO key FROM api_keys WHERE hash = secret_hash AND revoked_at IS NULL;
  PERFORM set_config('app.tenant_id', coalesce(key.tenant_id::text, ''), true);
  IF key.id IS NULL THEN
    RETURN;
  END IF;
  IF key.last_used_at IS NULL OR key.last_used_at < now() - interval '1 minute' THEN
    UPDATE api_keys SET last_used_at = date_trunc('milliseconds', now())
    WHERE id = (SELECT id FROM api_keys WHERE id = key.id FOR UPDATE SKIP LOCKED);
  END IF;
  RETURN QUERY SELECT key.tenant_id, key.environment, key.application_id, key.scopes, key.id, NULL::text[];
END
$$;
REVOKE ALL ON FUNCTION caller_of_key FROM PUBLIC;
GRANT EXECUTE ON FUNCTION caller_of_key TO svc_api;

-- The same for a widget token, whose signature was checked before: its application must still be there.
CREATE FUNCTION caller_of_token(token_tenant uuid, token_application uuid, token_scopes text[])
RETURNS TABLE (
  tenant_id uuid, environment text, application_id uuid, scopes text[], key_id uuid, allowed_origins text[])
LANGUAGE plpgsql ROWS 1 SECURITY DEFINER SET search_path = public AS $$
#variable_conflict use_column
DECLARE
  application applications;
BEGIN
  SELECT * INTO application FROM applications WHERE id = token_application AND tenant_id = token_tenant;
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

-- A preflight carries no credential, so all it can be told is whether anybody allows its origin.
CREATE INDEX applications_by_origin ON applications USING gin (allowed_origins);
CREATE FUNCTION origin_is_allowed(origin text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public
RETURN EXISTS (SELECT FROM applications WHERE allowed_origins @> ARRAY[origin]);
REVOKE ALL ON FUNCTION origin_is_allowed FROM PUBLIC;
GRANT EXECUTE ON FUNCTION origin_is_allowed TO svc_api;

-- Answers that are given again when a request is repeated. Secrets are never among them; the hash is keyed, because
-- bodies can hold secrets too.
CREATE TABLE idempotent_answers (
  tenant_id uuid NOT NULL REFERENCES tenants,
  -- Method, path and reach of the caller: what a live key was told is not told to a test key or a widget.
  operation text NOT NULL,
  key text NOT NULL,
  body_hash bytea NOT NULL,
  status integer NOT NULL,
  -- json, not jsonb: a repeated answer keeps the order of its fields.
  body json NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, operation, key)
);
CREATE INDEX idempotent_answers_old ON idempotent_answers (tenant_id, created_at);

-- Who changed what an administrator can change. Only ever added to.
CREATE TABLE audit_log (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  environment text NOT NULL CHECK (environment IN ('test', 'live')),
  created_at timestamptz NOT NULL,
  -- The key that asked; null for the operator's command.
  key_id uuid,
  action text NOT NULL,
  target_id uuid NOT NULL,
  -- Names of the fields that were given, never their values.
  fields text[] NOT NULL,
  request_id text
);
CREATE INDEX audit_log_by_tenant ON audit_log (tenant_id, created_at DESC, id DESC);

CREATE INDEX connections_by_external_id ON connections (tenant_id, external_id) WHERE external_id IS NOT NULL;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['idempotent_answers', 'audit_log'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY own_tenant ON %I TO svc_api USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())',
      name);
  END LOOP;
END
$$;
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotent_answers TO svc_api;
GRANT SELECT, INSERT ON audit_log TO svc_api;
