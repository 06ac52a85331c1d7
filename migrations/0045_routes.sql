-- Why: a connection can have an origin, a redirect, values for the origin and other settings of its own.
-- Lock: brief ACCESS EXCLUSIVE locks on connections and admissions, for columns without a default and a trigger.

ALTER TABLE connections ADD COLUMN route jsonb;
-- The same for edges, with the time since which the connection is live.
ALTER TABLE admissions ADD COLUMN route jsonb;

-- A companion has nothing of its own, but its redirect becomes permanent with time.
CREATE FUNCTION edge_route(route jsonb, companion_of uuid, live_at timestamptz) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp
RETURN CASE WHEN route IS NOT NULL OR companion_of IS NOT NULL
  THEN coalesce(route, '{}') || jsonb_build_object('live_at', round(extract(epoch FROM live_at) * 1000)) END;

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
    INSERT INTO admissions (hostname, sequence, standing, connection_id, application_id, certificate_id, route)
    VALUES (NEW.hostname, nextval('admission_sequence'), next_standing, NEW.id, NEW.application_id,
      certificate_of(NEW.id, clock_timestamp()), edge_route(NEW.route, NEW.companion_of, NEW.live_at))
    ON CONFLICT (hostname) DO UPDATE SET
      sequence = nextval('admission_sequence'),
      standing = excluded.standing,
      connection_id = excluded.connection_id,
      application_id = excluded.application_id,
      certificate_id = excluded.certificate_id,
      route = excluded.route,
      removed_at = NULL
    RETURNING * INTO noted;
  ELSE
    -- Another connection may have proved the name since; its standing stays.
    UPDATE admissions SET sequence = nextval('admission_sequence'), standing = next_standing, certificate_id = NULL,
      route = NULL
    WHERE hostname = NEW.hostname AND connection_id = NEW.id AND standing <> next_standing
    RETURNING * INTO noted;
  END IF;
  IF noted.hostname IS NOT NULL THEN
    PERFORM pg_notify('admission', json_build_object('sequence', noted.sequence, 'hostname', noted.hostname)::text);
  END IF;
  RETURN NULL;
END
$$;

DROP TRIGGER admission_changed ON connections;
CREATE TRIGGER admission_changed AFTER UPDATE OF state, ready_at, route ON connections
  FOR EACH ROW WHEN (
    standing_of(OLD.state) IS DISTINCT FROM standing_of(NEW.state)
    OR (OLD.ready_at IS NULL) IS DISTINCT FROM (NEW.ready_at IS NULL)
    OR OLD.route IS DISTINCT FROM NEW.route)
  EXECUTE FUNCTION note_admission();

UPDATE admissions SET sequence = nextval('admission_sequence'), route = edge_route(NULL, companion_of, live_at)
FROM connections WHERE connections.id = connection_id AND companion_of IS NOT NULL AND standing = 'redirecting';
