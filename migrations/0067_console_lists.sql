-- Why: lists by the beginning of a hostname, by provider and by what needs attention, the deliveries of one connection, the
-- batches of a tenant and its sandbox records are read along an index.
-- Lock: none that waits for writers; the indexes are built concurrently.
-- Without a transaction.

DROP INDEX CONCURRENTLY IF EXISTS connections_by_prefix;
CREATE INDEX CONCURRENTLY connections_by_prefix ON connections (tenant_id, hostname COLLATE "C");
DROP INDEX CONCURRENTLY IF EXISTS connections_by_provider;
CREATE INDEX CONCURRENTLY connections_by_provider ON connections (tenant_id, provider, created_at DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS connections_failing_certificates;
CREATE INDEX CONCURRENTLY connections_failing_certificates ON connections (tenant_id, created_at DESC, id DESC)
  WHERE state <> 'archived' AND (certificate_status IN ('failed', 'expired')
    OR error_code IN ('cert_failed', 'ca_rate_limited', 'caa_blocked', 'edge_unreachable'));
DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_by_connection;
CREATE INDEX CONCURRENTLY webhook_deliveries_by_connection ON webhook_deliveries (connection_id, created_at DESC, id DESC)
  WHERE connection_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS batches_by_tenant;
CREATE INDEX CONCURRENTLY batches_by_tenant ON batches (tenant_id, created_at DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS sandbox_records_by_tenant;
CREATE INDEX CONCURRENTLY sandbox_records_by_tenant ON sandbox_records (tenant_id, visible_at DESC);
DROP INDEX CONCURRENTLY IF EXISTS credentials_refused;
CREATE INDEX CONCURRENTLY credentials_refused ON credentials (tenant_id, application_id) WHERE status = 'invalid';
DROP INDEX CONCURRENTLY IF EXISTS webhook_endpoints_disabled;
CREATE INDEX CONCURRENTLY webhook_endpoints_disabled ON webhook_endpoints (tenant_id, application_id)
  WHERE disabled_at IS NOT NULL;
