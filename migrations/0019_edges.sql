-- Why: an edge that is cut off goes on serving what it knew. So it is known which edges there are and when each was last
-- heard of: the tenant is told which ones had not heard of an archive, and the operator sees the silent ones.
-- Lock: creates only.

CREATE TABLE edges (
  -- Kept by the edge's agent beside its journal, so that a restarted edge is the same one.
  id uuid PRIMARY KEY,
  -- The operator's, not unique.
  name text NOT NULL,
  -- Its newest copy of the admission table.
  epoch uuid NOT NULL,
  -- How long it goes on by itself.
  stale_ms bigint NOT NULL,
  registered_at timestamptz NOT NULL,
  heard_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON edges TO svc_edge;
