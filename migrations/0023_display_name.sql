-- Why: visitors who meet a page of the edge's own should see whose product it is. The name reaches every copy of the
-- admission table the way the origin does.
-- Lock: columns without default on applications and admission_origins, and two triggers made anew (short exclusive locks).

ALTER TABLE applications ADD COLUMN display_name text;
ALTER TABLE admission_origins ADD COLUMN display_name text;

CREATE OR REPLACE FUNCTION note_origin() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  noted admission_origins;
BEGIN
  INSERT INTO admission_origins (application_id, sequence, origin_url, display_name)
  VALUES (NEW.id, nextval('admission_sequence'), NEW.origin_url, NEW.display_name)
  ON CONFLICT (application_id) DO UPDATE SET
    sequence = nextval('admission_sequence'),
    origin_url = excluded.origin_url,
    display_name = excluded.display_name
  RETURNING * INTO noted;
  PERFORM pg_notify('admission', json_build_object(
    'sequence', noted.sequence, 'application_id', noted.application_id)::text);
  RETURN NULL;
END
$$;

DROP TRIGGER origin_changed ON applications;
CREATE TRIGGER origin_changed AFTER UPDATE OF origin_url, display_name ON applications
  FOR EACH ROW WHEN ((OLD.origin_url, OLD.display_name) IS DISTINCT FROM (NEW.origin_url, NEW.display_name))
  EXECUTE FUNCTION note_origin();
DROP TRIGGER origin_made ON applications;
CREATE TRIGGER origin_made AFTER INSERT ON applications
  FOR EACH ROW WHEN (NEW.origin_url IS NOT NULL OR NEW.display_name IS NOT NULL) EXECUTE FUNCTION note_origin();
