-- Why: the list of hostnames that still point here after their archive.
-- Lock: none that waits for writers; the index is built concurrently.
-- Without a transaction.

DROP INDEX CONCURRENTLY IF EXISTS connections_dangling;
CREATE INDEX CONCURRENTLY connections_dangling ON connections (tenant_id, created_at DESC, id DESC) WHERE dangling;
