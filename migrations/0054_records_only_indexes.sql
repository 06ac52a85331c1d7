-- Why: only served connections hold claims, and a served connection of a hostname is another one than its records-only one.
-- Lock: none that waits for writers; the indexes are built concurrently.
-- Without a transaction.
-- Processes of the version before recognize a conflict by the old name of the index, so the new one takes it over.
-- squawk-ignore-file renaming-object

DROP INDEX CONCURRENTLY IF EXISTS connections_claim_of_served;
CREATE UNIQUE INDEX CONCURRENTLY connections_claim_of_served ON connections (hostname)
  WHERE serve AND state IN ('verified', 'dns_writing', 'propagating', 'stalled', 'issuing_cert', 'live', 'drifted');
DROP INDEX CONCURRENTLY IF EXISTS connections_claim;
ALTER INDEX IF EXISTS connections_claim_of_served RENAME TO connections_claim;
DROP INDEX CONCURRENTLY IF EXISTS connections_unproved_each;
CREATE UNIQUE INDEX CONCURRENTLY connections_unproved_each
  ON connections (application_id, hostname, external_id, serve) NULLS NOT DISTINCT
  WHERE state IN ('created', 'pending_ownership', 'verifying');
