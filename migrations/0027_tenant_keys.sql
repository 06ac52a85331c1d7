-- Why: a row that names a connection, an application, a batch or a credential names its tenant too (0028), and a reference
-- to both needs an index of both.
-- Lock: none that writers wait for. An index that was left half built is made anew.
-- Without a transaction, because the indexes are built while the tables are written to.

DROP INDEX CONCURRENTLY IF EXISTS applications_of_tenant;
CREATE UNIQUE INDEX CONCURRENTLY applications_of_tenant ON applications (id, tenant_id);
DROP INDEX CONCURRENTLY IF EXISTS connections_of_tenant;
CREATE UNIQUE INDEX CONCURRENTLY connections_of_tenant ON connections (id, tenant_id);
DROP INDEX CONCURRENTLY IF EXISTS batches_of_tenant;
CREATE UNIQUE INDEX CONCURRENTLY batches_of_tenant ON batches (id, tenant_id);
DROP INDEX CONCURRENTLY IF EXISTS credentials_of_tenant;
CREATE UNIQUE INDEX CONCURRENTLY credentials_of_tenant ON credentials (id, tenant_id);
