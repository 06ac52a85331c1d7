-- Why: no tenant's origin, webhook receiver or DNS server may be a listener of this service, on whatever machine it runs.
-- Each process publishes where it listens, and every other one refuses to dial it.
-- Lock: creates only.

CREATE TABLE own_listeners (
  -- Drawn at the start of a process.
  process uuid PRIMARY KEY,
  -- Each `address port`.
  endpoints text[] NOT NULL,
  seen_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON own_listeners TO svc_edge;
