-- Why: what an operator can take away at once and give back: a tenant that misbehaves is suspended, a hostname blocked, a
-- provider paused. And a tenant or an application can be deleted, which the audit outlives.
-- Lock: columns without default and one with a constant default on small tables; on admissions and audit_log only their
-- definitions change, for a moment and without reading them.

ALTER TABLE tenants ADD COLUMN suspended_at timestamptz, ADD COLUMN suspended_reason text;

-- Names that are not served, whoever proves them.
CREATE TABLE blocked_hostnames (
  hostname text PRIMARY KEY,
  reason text NOT NULL,
  blocked_at timestamptz NOT NULL
);

-- Providers that nobody may call. What we would write there is set up by hand.
CREATE TABLE paused_providers (
  provider text PRIMARY KEY,
  reason text NOT NULL,
  paused_at timestamptz NOT NULL
);
-- The reasons are the operator's own.
GRANT SELECT (hostname) ON blocked_hostnames TO svc_api;
GRANT SELECT (provider) ON paused_providers TO svc_api;

-- The log outlives the tenant. What concerns no tenant, such as a name that nobody holds, is for operators alone: row-level
-- security shows a row without a tenant to none. `target` is what has no id; the reason is the operator's own note.
-- squawk-ignore ban-drop-constraint
ALTER TABLE audit_log DROP CONSTRAINT audit_log_tenant_id_fkey;
-- squawk-ignore ban-drop-not-null
ALTER TABLE audit_log ALTER COLUMN tenant_id DROP NOT NULL;
-- squawk-ignore ban-drop-not-null
ALTER TABLE audit_log ALTER COLUMN target_id DROP NOT NULL;
ALTER TABLE audit_log ADD COLUMN target text, ADD COLUMN reason text;

-- `blocked`: proved, and withheld by the operator. A name's own block stands here; that its tenant is suspended stands on
-- its application's row, so that it is one change for any number of names.
-- squawk-ignore ban-drop-constraint
ALTER TABLE admissions DROP CONSTRAINT admissions_standing_check;
ALTER TABLE admissions ADD CONSTRAINT admissions_standing_check
  CHECK (standing IN ('held', 'pointing', 'serving', 'redirecting', 'archived', 'none', 'blocked')) NOT VALID;
ALTER TABLE admission_origins ADD COLUMN suspended boolean NOT NULL DEFAULT false;
-- When the connection was removed for good; its tombstone stays for a while.
ALTER TABLE admissions ADD COLUMN removed_at timestamptz;

CREATE FUNCTION standing_of(state text, companion_of uuid, is_blocked boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp
RETURN CASE
  WHEN is_blocked AND standing_of(state) IN ('held', 'pointing', 'serving') THEN 'blocked'
  WHEN standing_of(state) = 'serving' AND companion_of IS NOT NULL THEN 'redirecting'
  ELSE standing_of(state)
END;

-- The lock on the table is taken before it is read whether the name is blocked, and whoever blocks a name holds the table
-- against all that are under way: so either this transaction sees the block, or the block sees what this one has written.
CREATE OR REPLACE FUNCTION note_admission() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  next_standing text;
  noted admissions;
BEGIN
  LOCK TABLE admissions IN ROW EXCLUSIVE MODE;
  next_standing := standing_of(NEW.state, NEW.companion_of,
    EXISTS (SELECT FROM blocked_hostnames WHERE hostname = NEW.hostname));
  IF next_standing IN ('held', 'pointing', 'serving', 'redirecting', 'blocked') THEN
    INSERT INTO admissions (hostname, sequence, standing, connection_id, application_id)
    VALUES (NEW.hostname, nextval('admission_sequence'), next_standing, NEW.id, NEW.application_id)
    ON CONFLICT (hostname) DO UPDATE SET
      sequence = nextval('admission_sequence'),
      standing = excluded.standing,
      connection_id = excluded.connection_id,
      application_id = excluded.application_id,
      removed_at = NULL
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

CREATE FUNCTION note_block() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  name text := coalesce(NEW.hostname, OLD.hostname);
  noted admissions;
BEGIN
  LOCK TABLE admissions IN SHARE ROW EXCLUSIVE MODE;
  UPDATE admissions SET
    sequence = nextval('admission_sequence'),
    standing = standing_of(connections.state, connections.companion_of, TG_OP = 'INSERT')
  FROM connections
  WHERE admissions.hostname = name AND connections.id = admissions.connection_id
    AND admissions.standing NOT IN ('archived', 'none')
  RETURNING admissions.* INTO noted;
  IF noted.hostname IS NOT NULL THEN
    PERFORM pg_notify('admission', json_build_object('sequence', noted.sequence, 'hostname', noted.hostname)::text);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER hostname_blocked AFTER INSERT OR DELETE ON blocked_hostnames
  FOR EACH ROW EXECUTE FUNCTION note_block();

-- An application that is made while its tenant is suspended, or whose origin changes then, is suspended too.
CREATE OR REPLACE FUNCTION note_origin() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  is_suspended boolean;
  noted admission_origins;
BEGIN
  SELECT suspended_at IS NOT NULL INTO is_suspended FROM tenants WHERE id = NEW.tenant_id FOR SHARE;
  IF TG_OP = 'INSERT' AND NEW.origin_url IS NULL AND NEW.display_name IS NULL AND NOT is_suspended THEN
    RETURN NULL;
  END IF;
  INSERT INTO admission_origins (application_id, sequence, origin_url, display_name, suspended)
  VALUES (NEW.id, nextval('admission_sequence'), NEW.origin_url, NEW.display_name, is_suspended)
  ON CONFLICT (application_id) DO UPDATE SET
    sequence = nextval('admission_sequence'),
    origin_url = excluded.origin_url,
    display_name = excluded.display_name,
    suspended = excluded.suspended
  RETURNING * INTO noted;
  PERFORM pg_notify('admission', json_build_object(
    'sequence', noted.sequence, 'application_id', noted.application_id)::text);
  RETURN NULL;
END
$$;
DROP TRIGGER origin_made ON applications;
CREATE TRIGGER origin_made AFTER INSERT ON applications FOR EACH ROW EXECUTE FUNCTION note_origin();

CREATE FUNCTION note_suspension() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  noted admission_origins;
BEGIN
  FOR noted IN
    INSERT INTO admission_origins AS known (application_id, sequence, origin_url, display_name, suspended)
    SELECT id, nextval('admission_sequence'), origin_url, display_name, NEW.suspended_at IS NOT NULL
    FROM applications WHERE tenant_id = NEW.id ORDER BY id
    ON CONFLICT (application_id) DO UPDATE SET
      sequence = nextval('admission_sequence'), suspended = excluded.suspended
    RETURNING known.*
  LOOP
    PERFORM pg_notify('admission', json_build_object(
      'sequence', noted.sequence, 'application_id', noted.application_id)::text);
  END LOOP;
  RETURN NULL;
END
$$;
CREATE TRIGGER tenant_suspended AFTER UPDATE OF suspended_at ON tenants
  FOR EACH ROW WHEN ((OLD.suspended_at IS NULL) <> (NEW.suspended_at IS NULL)) EXECUTE FUNCTION note_suspension();

-- Every request learns with its caller whether the caller's tenant is suspended, so that it counts from the next one on.
-- One more column at the end: processes of the version before read the others by their names.
-- squawk-ignore ban-drop-function
DROP FUNCTION caller_of_key(bytea);
CREATE FUNCTION caller_of_key(secret_hash bytea)
RETURNS TABLE (
  tenant_id uuid, environment text, application_id uuid, scopes text[], key_id uuid, allowed_origins text[],
  suspended boolean)
LANGUAGE plpgsql ROWS 1 SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  used_at timestamptz;
BEGIN
  SELECT key.tenant_id, key.environment, key.application_id, key.scopes, key.id, key.last_used_at,
         tenants.suspended_at IS NOT NULL
  INTO tenant_id, environment, application_id, scopes, key_id, used_at, suspended
  FROM api_keys AS key JOIN tenants ON tenants.id = key.tenant_id
  WHERE key.hash = secret_hash AND key.revoked_at IS NULL;
  PERFORM set_config('app.tenant_id', coalesce(caller_of_key.tenant_id::text, ''), true);
  IF caller_of_key.key_id IS NULL THEN
    RETURN;
  END IF;
  IF used_at IS NULL OR used_at < now() - interval '1 minute' THEN
    UPDATE api_keys SET last_used_at = date_trunc('milliseconds', now())
    WHERE id = (SELECT id FROM api_keys WHERE id = caller_of_key.key_id FOR UPDATE SKIP LOCKED);
  END IF;
  RETURN NEXT;
END
$$;
REVOKE ALL ON FUNCTION caller_of_key FROM PUBLIC;
GRANT EXECUTE ON FUNCTION caller_of_key TO svc_api;

-- squawk-ignore ban-drop-function
DROP FUNCTION caller_of_token(uuid, uuid, text[], uuid);
CREATE FUNCTION caller_of_token(token_tenant uuid, token_application uuid, token_scopes text[], minting_key uuid)
RETURNS TABLE (
  tenant_id uuid, environment text, application_id uuid, scopes text[], key_id uuid, allowed_origins text[],
  suspended boolean)
LANGUAGE plpgsql ROWS 1 SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  application applications;
  is_suspended boolean;
BEGIN
  SELECT applications.* INTO application
  FROM applications JOIN api_keys AS key ON key.id = minting_key AND key.tenant_id = applications.tenant_id
  WHERE applications.id = token_application AND applications.tenant_id = token_tenant AND key.revoked_at IS NULL;
  PERFORM set_config('app.tenant_id', coalesce(application.tenant_id::text, ''), true);
  IF application.id IS NULL THEN
    RETURN;
  END IF;
  SELECT tenants.suspended_at IS NOT NULL INTO is_suspended FROM tenants WHERE tenants.id = token_tenant;
  RETURN QUERY SELECT application.tenant_id, application.environment, application.id, token_scopes, NULL::uuid,
                      application.allowed_origins, is_suspended;
END
$$;
REVOKE ALL ON FUNCTION caller_of_token FROM PUBLIC;
GRANT EXECUTE ON FUNCTION caller_of_token TO svc_api;

-- The page behind a shared link is a tenant's too.
CREATE OR REPLACE FUNCTION share_link_of(secret_hash bytea, at_time timestamptz)
RETURNS TABLE (id uuid, tenant_id uuid, connection_id uuid, expires_at timestamptz)
LANGUAGE sql STABLE ROWS 1 SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT link.id, link.tenant_id, link.connection_id, link.expires_at
  FROM share_links AS link JOIN connections AS connection ON connection.id = link.connection_id
    JOIN tenants ON tenants.id = link.tenant_id
  WHERE link.hash = secret_hash AND link.revoked_at IS NULL AND link.expires_at > at_time
    AND connection.state <> 'archived' AND tenants.suspended_at IS NULL;
END;
