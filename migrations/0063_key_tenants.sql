-- Why: a console session names the key that created it together with its tenant (0064), and a reference to both needs an
-- index of both.
-- Lock: none that waits for writers; the index is built concurrently.
-- Without a transaction.

DROP INDEX CONCURRENTLY IF EXISTS api_keys_of_tenant;
CREATE UNIQUE INDEX CONCURRENTLY api_keys_of_tenant ON api_keys (id, tenant_id);
