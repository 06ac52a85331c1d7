-- Why: companions. www beside an apex, or the apex beside www, as a connection of its own that the edge leads to the first.
-- Lock: a column without default on connections and one with a constant default on applications (no rewrite); an index on
-- connections whose predicate no row fulfils yet blocks writes while the table is read once.

-- The connection that this one only leads visitors to.
ALTER TABLE connections ADD COLUMN companion_of uuid REFERENCES connections;
CREATE INDEX connections_companions ON connections (companion_of) WHERE companion_of IS NOT NULL;
ALTER TABLE applications ADD COLUMN companion boolean NOT NULL DEFAULT false;

-- `redirecting`: a companion that serves, by leading its visitors to the name beside it.
ALTER TABLE admissions DROP CONSTRAINT admissions_standing_check;
ALTER TABLE admissions ADD CONSTRAINT admissions_standing_check
  CHECK (standing IN ('held', 'pointing', 'serving', 'redirecting', 'archived', 'none'));

CREATE OR REPLACE FUNCTION note_admission() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  own_standing text := standing_of(NEW.state);
  next_standing text := CASE
    WHEN own_standing = 'serving' AND NEW.companion_of IS NOT NULL THEN 'redirecting' ELSE own_standing
  END;
  noted admissions;
BEGIN
  IF next_standing IN ('held', 'pointing', 'serving', 'redirecting') THEN
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

CREATE OR REPLACE FUNCTION tenant_of_claim(name text) RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
RETURN (
  SELECT connections.tenant_id FROM admissions JOIN connections ON connections.id = admissions.connection_id
  WHERE admissions.hostname = name AND admissions.standing IN ('held', 'pointing', 'serving', 'redirecting')
);
