-- Why: a connection can have variables for its records, and can want records only: such a connection is never served, so
-- it holds no claim and no edge knows of it.
-- Lock: brief ACCESS EXCLUSIVE locks on connections, for columns with a constant default and a trigger.

ALTER TABLE connections
  ADD COLUMN serve boolean NOT NULL DEFAULT true,
  ADD COLUMN variables jsonb NOT NULL DEFAULT '{}',
  -- A change of the records in progress: when it began, how far it is, and the records of before.
  ADD COLUMN record_change text,
  ADD COLUMN record_changed_at timestamptz,
  ADD COLUMN retiring_records jsonb NOT NULL DEFAULT '[]';

CREATE OR REPLACE FUNCTION hostname_is_held(name text, drifted_since timestamptz) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
RETURN EXISTS (
  SELECT FROM connections
  WHERE hostname = name AND serve
    AND state IN ('verified', 'dns_writing', 'propagating', 'stalled', 'issuing_cert', 'live', 'drifted')
    AND NOT (state = 'drifted' AND phase_started_at + unasked_ms * interval '1 millisecond' <= drifted_since)
);

DROP TRIGGER admission_changed ON connections;
CREATE TRIGGER admission_changed AFTER UPDATE OF state, ready_at, route ON connections
  FOR EACH ROW WHEN (NEW.serve AND (
    standing_of(OLD.state) IS DISTINCT FROM standing_of(NEW.state)
    OR (OLD.ready_at IS NULL) IS DISTINCT FROM (NEW.ready_at IS NULL)
    OR OLD.route IS DISTINCT FROM NEW.route))
  EXECUTE FUNCTION note_admission();

-- In release 0.1.0, ON CONFLICT names the columns of this index, so it stays where that release may still run. It keeps a
-- served and a records-only connection from waiting for proof together; `migrate --finish` removes it.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM connections) THEN
    DROP INDEX connections_unproved;
  END IF;
END
$$;
