-- Why: the worker finds connections by their domain, and those whose domain is not enrolled yet.
-- Lock: none that waits for writers; the indexes are built concurrently, and no row has a reference yet.
-- Without a transaction.

DROP INDEX CONCURRENTLY IF EXISTS connections_by_registered_domain;
CREATE INDEX CONCURRENTLY connections_by_registered_domain ON connections (registered_domain)
  WHERE registered_domain IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS connections_without_registration;
CREATE INDEX CONCURRENTLY connections_without_registration ON connections (id)
  WHERE registered_domain IS NULL AND state IN ('live', 'drifted');
ALTER TABLE connections VALIDATE CONSTRAINT connections_registered_domain;
