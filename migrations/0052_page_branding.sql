-- Why: the edge's own pages show an application's logo and a link to its support. Both reach every copy of the admission
-- table as the display name does.
-- Lock: brief ACCESS EXCLUSIVE locks on applications and admission_origins, for columns without a default and a trigger.
-- An application that has one of these has a row in admission_origins, so note_suspension and note_edge_secrets stay.

ALTER TABLE applications ADD COLUMN logo_url text, ADD COLUMN support_url text;
ALTER TABLE admission_origins ADD COLUMN logo_url text, ADD COLUMN support_url text;

CREATE OR REPLACE FUNCTION note_origin() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  is_suspended boolean;
  noted admission_origins;
BEGIN
  SELECT suspended_at IS NOT NULL INTO is_suspended FROM tenants WHERE id = NEW.tenant_id FOR SHARE;
  IF TG_OP = 'INSERT' AND NOT is_suspended
    AND coalesce(NEW.origin_url, NEW.display_name, NEW.logo_url, NEW.support_url) IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO admission_origins (application_id, sequence, origin_url, display_name, logo_url, support_url, suspended)
  VALUES (NEW.id, nextval('admission_sequence'), NEW.origin_url, NEW.display_name, NEW.logo_url, NEW.support_url,
    is_suspended)
  ON CONFLICT (application_id) DO UPDATE SET
    sequence = nextval('admission_sequence'),
    origin_url = excluded.origin_url,
    display_name = excluded.display_name,
    logo_url = excluded.logo_url,
    support_url = excluded.support_url,
    suspended = excluded.suspended
  RETURNING * INTO noted;
  PERFORM pg_notify('admission', json_build_object(
    'sequence', noted.sequence, 'application_id', noted.application_id)::text);
  RETURN NULL;
END
$$;

DROP TRIGGER origin_changed ON applications;
CREATE TRIGGER origin_changed AFTER UPDATE OF origin_url, display_name, logo_url, support_url ON applications
  FOR EACH ROW WHEN ((OLD.origin_url, OLD.display_name, OLD.logo_url, OLD.support_url)
    IS DISTINCT FROM (NEW.origin_url, NEW.display_name, NEW.logo_url, NEW.support_url))
  EXECUTE FUNCTION note_origin();
