-- Why: after an archive we look whether the hostname still points here, and tenants list the hostnames that do.
-- Lock: brief ACCESS EXCLUSIVE lock on connections, for a column without a default and one with a constant default.

ALTER TABLE connections
  ADD COLUMN departure_checked_at timestamptz,
  ADD COLUMN dangling boolean NOT NULL DEFAULT false;
