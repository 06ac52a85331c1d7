-- Why: a tenant's people sign in to the console by a link that works once, and the audit log names their session.
-- Lock: brief ACCESS EXCLUSIVE lock on audit_log for a column without a default, and SHARE ROW EXCLUSIVE on api_keys and
-- tenants for references and a trigger; no row is read.

-- A link that was not used yet, or the session of the browser that used it. Only hashes of their secrets are stored.
CREATE TABLE console_sessions (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  environment text NOT NULL CHECK (environment IN ('test', 'live')),
  scopes text[] NOT NULL,
  made_by text NOT NULL CHECK (made_by IN ('key', 'operator', 'openid_connect')),
  -- The session ends with this key.
  key_id uuid CHECK ((key_id IS NOT NULL) = (made_by = 'key')),
  link_hash bytea UNIQUE,
  link_expires_at timestamptz,
  cookie_hash bytea UNIQUE,
  created_at timestamptz NOT NULL,
  signed_in_at timestamptz,
  -- Time of the last request, to the minute.
  last_seen_at timestamptz,
  expires_at timestamptz NOT NULL,
  ended_at timestamptz,
  FOREIGN KEY (key_id, tenant_id) REFERENCES api_keys (id, tenant_id) ON DELETE CASCADE
);
CREATE INDEX console_sessions_of_tenant ON console_sessions (tenant_id, created_at DESC, id DESC) WHERE ended_at IS NULL;
CREATE INDEX console_sessions_by_key ON console_sessions (key_id);
CREATE INDEX console_sessions_old ON console_sessions (expires_at);

ALTER TABLE console_sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON console_sessions TO svc_api USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY for_the_worker ON console_sessions TO svc_worker USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON console_sessions TO svc_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON console_sessions TO svc_worker;

-- Suspension ends sessions for good: they do not come back when it ends.
CREATE FUNCTION end_console_sessions() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  UPDATE console_sessions SET ended_at = now() WHERE tenant_id = NEW.id AND ended_at IS NULL;
  RETURN NULL;
END
$$;
CREATE TRIGGER tenant_suspended_console AFTER UPDATE OF suspended_at ON tenants
  FOR EACH ROW WHEN (OLD.suspended_at IS NULL AND NEW.suspended_at IS NOT NULL) EXECUTE FUNCTION end_console_sessions();

-- The suspension above does not see a row that another transaction is inserting. The lock on the tenant makes one wait for
-- the other.
CREATE FUNCTION refuse_suspended_console() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM FROM tenants WHERE id = NEW.tenant_id AND suspended_at IS NULL FOR SHARE;
  IF NOT FOUND THEN
    NEW.ended_at := NEW.created_at;
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER console_session_made BEFORE INSERT ON console_sessions
  FOR EACH ROW EXECUTE FUNCTION refuse_suspended_console();

-- A link is its own credential: this finds whose it is. Unknown, used, expired and ended links get the same answer: none.
CREATE FUNCTION console_link_of(secret_hash bytea, at_time timestamptz)
RETURNS TABLE (id uuid, tenant_id uuid, tenant_name text, environment text, scopes text[], link_expires_at timestamptz)
LANGUAGE sql STABLE ROWS 1 SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT link.id, link.tenant_id, tenants.name, link.environment, link.scopes, link.link_expires_at
  FROM console_sessions AS link
    JOIN tenants ON tenants.id = link.tenant_id
    LEFT JOIN api_keys AS key ON key.id = link.key_id
  WHERE link.link_hash = secret_hash AND link.signed_in_at IS NULL AND link.ended_at IS NULL
    AND link.link_expires_at > at_time AND key.revoked_at IS NULL;
END;
REVOKE ALL ON FUNCTION console_link_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION console_link_of TO svc_api;

-- Authenticates a console session and binds the statement to its tenant, as caller_of_key does.
CREATE FUNCTION caller_of_session(secret_hash bytea, at_time timestamptz)
RETURNS TABLE (tenant_id uuid, environment text, scopes text[], session_id uuid)
LANGUAGE plpgsql ROWS 1 SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  seen_at timestamptz;
BEGIN
  SELECT session.tenant_id, session.environment, session.scopes, session.id, session.last_seen_at
  INTO tenant_id, environment, scopes, session_id, seen_at
  FROM console_sessions AS session LEFT JOIN api_keys AS key ON key.id = session.key_id
  WHERE session.cookie_hash = secret_hash AND session.ended_at IS NULL AND session.expires_at > at_time
    AND key.revoked_at IS NULL;
  PERFORM set_config('app.tenant_id', coalesce(caller_of_session.tenant_id::text, ''), true);
  IF caller_of_session.session_id IS NULL THEN
    RETURN;
  END IF;
  IF seen_at IS NULL OR seen_at < at_time - interval '1 minute' THEN
    UPDATE console_sessions SET last_seen_at = date_trunc('milliseconds', at_time)
    WHERE id = (SELECT id FROM console_sessions WHERE id = caller_of_session.session_id FOR UPDATE SKIP LOCKED);
  END IF;
  RETURN NEXT;
END
$$;
REVOKE ALL ON FUNCTION caller_of_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION caller_of_session TO svc_api;

ALTER TABLE audit_log ADD COLUMN session_id uuid;
