-- Why: certificates that another server obtained are taken over with their keys. They serve until the edge or the worker
-- has obtained a successor.
-- Lock: brief ACCESS EXCLUSIVE locks on certificates, for a constraint that the next migration validates, and on
-- connections, for a column with a constant default.
-- The constraint returns in the same transaction, with one more value.
-- squawk-ignore-file ban-drop-constraint

ALTER TABLE certificates DROP CONSTRAINT certificates_source_check;
-- `edge`: imported. An edge stores the certificates that it obtains itself.
ALTER TABLE certificates ADD CONSTRAINT certificates_source_check
  CHECK (source IN ('uploaded', 'ordered', 'edge')) NOT VALID;

-- Whether visitors see an imported certificate.
ALTER TABLE connections ADD COLUMN certificate_imported boolean NOT NULL DEFAULT false;

-- Returns the certificate to serve for a connection, as long as it is valid: an uploaded one comes before an ordered one,
-- and that before an imported one.
CREATE OR REPLACE FUNCTION certificate_of(connection uuid, at timestamptz) RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
RETURN (
  SELECT id FROM certificates WHERE connection_id = connection AND not_after > at
  ORDER BY source = 'uploaded' DESC, source = 'ordered' DESC LIMIT 1
);
