-- Why: edges follow the admissions through the API instead of the database, so a position in the order of changes is
-- needed, and the state of each edge is kept for operators.
-- Lock: brief ACCESS EXCLUSIVE locks on admissions, admission_origins, edges and registered_edges, for columns without or
-- with constant defaults and for triggers.

-- The transaction that changed the row last. Sequences are taken before the commit, so a lower one can appear later; no
-- transaction below the oldest running one can.
ALTER TABLE admissions ADD COLUMN changed_in xid8 NOT NULL DEFAULT '0';
ALTER TABLE admission_origins ADD COLUMN changed_in xid8 NOT NULL DEFAULT '0';

CREATE FUNCTION note_transaction() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  NEW.changed_in := pg_current_xact_id();
  RETURN NEW;
END
$$;
CREATE TRIGGER changed_in BEFORE INSERT OR UPDATE ON admissions FOR EACH ROW EXECUTE FUNCTION note_transaction();
CREATE TRIGGER changed_in BEFORE INSERT OR UPDATE ON admission_origins FOR EACH ROW EXECUTE FUNCTION note_transaction();

-- An edge on the feed has no lease of its own in the database; the API process that feeds it records it here.
ALTER TABLE edges
  ADD COLUMN leased_until timestamptz,
  -- Every change of an earlier transaction has reached the edge.
  ADD COLUMN position xid8,
  ADD COLUMN version text,
  ADD COLUMN names bigint,
  ADD COLUMN certificates bigint,
  -- Time between the sending of the last change and its acknowledgement.
  ADD COLUMN lag_ms bigint,
  -- Time since the last request of a visitor.
  ADD COLUMN idle_ms bigint;

-- The edge is being taken out of service: it reports how long no request has arrived.
ALTER TABLE registered_edges ADD COLUMN draining_at timestamptz;
