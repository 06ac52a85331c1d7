-- Why: an edge that reconnects reads the changes since its position.
-- Lock: none that writers wait for. An index that was left half built is made anew.
-- Without a transaction, because the indexes are built while the tables are written to.

DROP INDEX CONCURRENTLY IF EXISTS admissions_changed_in;
CREATE INDEX CONCURRENTLY admissions_changed_in ON admissions (changed_in, hostname);
DROP INDEX CONCURRENTLY IF EXISTS admission_origins_changed_in;
CREATE INDEX CONCURRENTLY admission_origins_changed_in ON admission_origins (changed_in);
