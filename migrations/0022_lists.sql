-- Why: lists by state, application or environment read the whole of a large tenant, and so did the questions which names
-- lie at or below another one.
-- Lock: none that writers wait for. An index that was left half built is made anew.
-- Without a transaction, because the indexes are built while the table is written to.

DROP INDEX CONCURRENTLY IF EXISTS connections_due;
DROP INDEX CONCURRENTLY IF EXISTS connections_by_state;
CREATE INDEX CONCURRENTLY connections_by_state ON connections (tenant_id, state, created_at DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS connections_by_application;
CREATE INDEX CONCURRENTLY connections_by_application ON connections (application_id, created_at DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS connections_by_environment;
CREATE INDEX CONCURRENTLY connections_by_environment ON connections (tenant_id, environment, created_at DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS connections_waiting;
CREATE INDEX CONCURRENTLY connections_waiting ON connections (application_id) WHERE state NOT IN ('live', 'failed', 'archived');
DROP INDEX CONCURRENTLY IF EXISTS connections_by_name_order;
CREATE INDEX CONCURRENTLY connections_by_name_order ON connections (tenant_id, (reverse('.' || hostname)) COLLATE "C");
DROP INDEX CONCURRENTLY IF EXISTS certificate_orders_old;
CREATE INDEX CONCURRENTLY certificate_orders_old ON certificate_orders (ordered_at);
DROP INDEX CONCURRENTLY IF EXISTS timeline_old;
CREATE INDEX CONCURRENTLY timeline_old ON timeline (at);
DROP INDEX CONCURRENTLY IF EXISTS dns_ledger_closed;
CREATE INDEX CONCURRENTLY dns_ledger_closed ON dns_ledger (at) WHERE status NOT IN ('intended', 'standing');
DROP INDEX CONCURRENTLY IF EXISTS dns_displaced_closed;
CREATE INDEX CONCURRENTLY dns_displaced_closed ON dns_displaced (at) WHERE status <> 'displaced';
DROP INDEX CONCURRENTLY IF EXISTS admissions_archived;
CREATE INDEX CONCURRENTLY admissions_archived ON admissions (connection_id) WHERE standing = 'archived';
