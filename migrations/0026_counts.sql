-- Why: operators see how many connections are in which state at which provider, and how many certificates end when, each
-- minute and however many there are: both are read from an index alone. And the rows of a connection that is removed with
-- its tenant are found by an index in every table that holds some.
-- Lock: none that writers wait for. An index that was left half built is made anew.
-- Without a transaction, because the indexes are built while the tables are written to.

DROP INDEX CONCURRENTLY IF EXISTS connections_counted;
CREATE INDEX CONCURRENTLY connections_counted ON connections (state, provider) WHERE state <> 'archived';
DROP INDEX CONCURRENTLY IF EXISTS connections_certificates;
CREATE INDEX CONCURRENTLY connections_certificates ON connections (certificate_not_after)
  WHERE state IN ('live', 'drifted') AND certificate_not_after IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS dns_ledger_by_connection;
CREATE INDEX CONCURRENTLY dns_ledger_by_connection ON dns_ledger (connection_id);
DROP INDEX CONCURRENTLY IF EXISTS dns_displaced_by_connection;
CREATE INDEX CONCURRENTLY dns_displaced_by_connection ON dns_displaced (connection_id);
DROP INDEX CONCURRENTLY IF EXISTS share_links_of_connection;
CREATE INDEX CONCURRENTLY share_links_of_connection ON share_links (connection_id);
DROP INDEX CONCURRENTLY IF EXISTS batch_rows_by_connection;
CREATE INDEX CONCURRENTLY batch_rows_by_connection ON batch_rows (connection_id) WHERE connection_id IS NOT NULL;
