-- Why: imported certificates that are due for renewal, or whose hostname was never proved.
-- Lock: none that waits for writers; the index is built concurrently.
-- Without a transaction.

ALTER TABLE certificates VALIDATE CONSTRAINT certificates_source_check;
DROP INDEX CONCURRENTLY IF EXISTS certificates_imported;
CREATE INDEX CONCURRENTLY certificates_imported ON certificates (renew_at) WHERE source = 'edge';
