-- Why: a certificate can be ordered before the records that point here change, and the edge serves the hostname then already.
-- Lock: brief ACCESS EXCLUSIVE locks on applications, connections and admissions, for columns with constant defaults, a
-- trigger, and a constraint that the next migration validates.
-- The constraint returns in the same transaction, with one more value.
-- squawk-ignore-file ban-drop-constraint

ALTER TABLE applications ADD COLUMN before_dns boolean NOT NULL DEFAULT false;
ALTER TABLE connections
  -- Whether the certificate is ordered before the records that point here change.
  ADD COLUMN before_dns boolean NOT NULL DEFAULT false,
  -- `hold`: the records that point here wait for a cutover.
  ADD COLUMN point text NOT NULL DEFAULT 'auto',
  -- The name to which the customer delegates the challenges of the CA; null if a credential writes them.
  ADD COLUMN delegated_to text,
  -- When the certificate was there, so that edges serve the hostname before it points here.
  ADD COLUMN ready_at timestamptz,
  -- Whether every edge has it, so that the hostname may be pointed here.
  ADD COLUMN ready_to_point boolean NOT NULL DEFAULT false,
  -- The records that were published then. While they stay, no deadline runs.
  ADD COLUMN records_when_ready text;

ALTER TABLE admissions DROP CONSTRAINT admissions_standing_check;
ALTER TABLE admissions ADD CONSTRAINT admissions_standing_check
  CHECK (standing IN ('held', 'ready', 'pointing', 'serving', 'redirecting', 'archived', 'none', 'blocked')) NOT VALID;

-- `ready`: requests are forwarded although the hostname does not point here yet, so that the first visitor after the move,
-- and a probe before it, see the site.
CREATE FUNCTION standing_of(state text, companion_of uuid, is_blocked boolean, is_ready boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp
RETURN CASE
  WHEN is_blocked OR NOT is_ready OR companion_of IS NOT NULL THEN standing_of(state, companion_of, is_blocked)
  WHEN standing_of(state) = 'held' THEN 'ready'
  WHEN standing_of(state) = 'pointing' THEN 'serving'
  ELSE standing_of(state)
END;

CREATE OR REPLACE FUNCTION note_admission() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  next_standing text;
  noted admissions;
BEGIN
  LOCK TABLE admissions IN ROW EXCLUSIVE MODE;
  next_standing := standing_of(NEW.state, NEW.companion_of,
    EXISTS (SELECT FROM blocked_hostnames WHERE hostname = NEW.hostname), NEW.ready_at IS NOT NULL);
  IF next_standing IN ('held', 'ready', 'pointing', 'serving', 'redirecting', 'blocked') THEN
    INSERT INTO admissions (hostname, sequence, standing, connection_id, application_id, certificate_id)
    VALUES (NEW.hostname, nextval('admission_sequence'), next_standing, NEW.id, NEW.application_id,
      certificate_of(NEW.id, clock_timestamp()))
    ON CONFLICT (hostname) DO UPDATE SET
      sequence = nextval('admission_sequence'),
      standing = excluded.standing,
      connection_id = excluded.connection_id,
      application_id = excluded.application_id,
      certificate_id = excluded.certificate_id,
      removed_at = NULL
    RETURNING * INTO noted;
  ELSE
    -- Another connection may have proved the name since; its standing stays.
    UPDATE admissions SET sequence = nextval('admission_sequence'), standing = next_standing, certificate_id = NULL
    WHERE hostname = NEW.hostname AND connection_id = NEW.id AND standing <> next_standing
    RETURNING * INTO noted;
  END IF;
  IF noted.hostname IS NOT NULL THEN
    PERFORM pg_notify('admission', json_build_object('sequence', noted.sequence, 'hostname', noted.hostname)::text);
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION note_block() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  name text := coalesce(NEW.hostname, OLD.hostname);
  noted admissions;
BEGIN
  LOCK TABLE admissions IN SHARE ROW EXCLUSIVE MODE;
  UPDATE admissions SET
    sequence = nextval('admission_sequence'),
    standing = standing_of(connections.state, connections.companion_of, TG_OP = 'INSERT', connections.ready_at IS NOT NULL)
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

DROP TRIGGER admission_changed ON connections;
CREATE TRIGGER admission_changed AFTER UPDATE OF state, ready_at ON connections
  FOR EACH ROW WHEN (
    standing_of(OLD.state) IS DISTINCT FROM standing_of(NEW.state)
    OR (OLD.ready_at IS NULL) IS DISTINCT FROM (NEW.ready_at IS NULL))
  EXECUTE FUNCTION note_admission();
