-- Why: revoking a target ends the claims of all hostnames that it proves.
-- Lock: none that waits for writers; the index is built concurrently.
-- Without a transaction.

DROP INDEX CONCURRENTLY IF EXISTS connections_by_proof_target;
CREATE INDEX CONCURRENTLY connections_by_proof_target ON connections (tenant_id, proof_target, id)
  WHERE proof = 'cname_target';
