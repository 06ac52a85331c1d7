-- Why: a wildcard serves hostnames that have no row here, so a blocked hostname needs a row even if no connection has
-- proved it, and stays blocked after its connection is archived.
-- Lock: a brief SHARE ROW EXCLUSIVE on admissions for a trigger; writes a row for each blocked hostname, which are few.

-- Keeps every row of a blocked hostname blocked, in any state of its connection.
CREATE FUNCTION keep_blocked() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM blocked_hostnames WHERE hostname = NEW.hostname) THEN
    NEW.standing := 'blocked';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER blocked_stays BEFORE INSERT OR UPDATE OF standing ON admissions
  FOR EACH ROW EXECUTE FUNCTION keep_blocked();

-- A hostname that no connection has proved belongs to none: its row has nil ids (RFC 9562 section 5.9).
CREATE OR REPLACE FUNCTION note_block() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  nil uuid := '00000000-0000-0000-0000-000000000000';
  noted admissions;
BEGIN
  LOCK TABLE admissions IN SHARE ROW EXCLUSIVE MODE;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO admissions (hostname, sequence, standing, connection_id, application_id)
    VALUES (NEW.hostname, nextval('admission_sequence'), 'blocked', nil, nil)
    ON CONFLICT (hostname) DO UPDATE SET sequence = nextval('admission_sequence'), standing = 'blocked'
    RETURNING * INTO noted;
  ELSE
    UPDATE admissions SET
      sequence = nextval('admission_sequence'),
      standing = coalesce(
        (SELECT standing_of(state, companion_of, false, ready_at IS NOT NULL) FROM connections WHERE id = connection_id),
        CASE WHEN removed_at IS NULL THEN 'none' ELSE 'archived' END)
    WHERE hostname = OLD.hostname
    RETURNING * INTO noted;
  END IF;
  IF noted.hostname IS NOT NULL THEN
    PERFORM pg_notify('admission', json_build_object('sequence', noted.sequence, 'hostname', noted.hostname)::text);
  END IF;
  RETURN NULL;
END
$$;

INSERT INTO admissions (hostname, sequence, standing, connection_id, application_id)
SELECT hostname, nextval('admission_sequence'), 'blocked',
  '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000'
FROM blocked_hostnames
ON CONFLICT (hostname) DO UPDATE SET sequence = excluded.sequence, standing = 'blocked'
WHERE admissions.standing <> 'blocked';
