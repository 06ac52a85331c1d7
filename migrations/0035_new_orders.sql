-- Why: most limits count new orders only, which a million renewals must not make slower to find.
-- Lock: none that writers wait for. An index that was left half built is made anew.
-- Without a transaction, because the indexes are built while the table is written to.

DROP INDEX CONCURRENTLY IF EXISTS certificate_orders_new;
CREATE INDEX CONCURRENTLY certificate_orders_new ON certificate_orders (account, ordered_at DESC) WHERE kind = 'new';
DROP INDEX CONCURRENTLY IF EXISTS certificate_orders_new_of_tenant;
CREATE INDEX CONCURRENTLY certificate_orders_new_of_tenant
  ON certificate_orders (account, tenant_id, ordered_at DESC) WHERE kind = 'new';
DROP INDEX CONCURRENTLY IF EXISTS certificate_orders_new_of_domain;
CREATE INDEX CONCURRENTLY certificate_orders_new_of_domain
  ON certificate_orders (account, registered_domain, ordered_at DESC) WHERE kind = 'new';
DROP INDEX CONCURRENTLY IF EXISTS certificate_orders_placed;
CREATE INDEX CONCURRENTLY certificate_orders_placed ON certificate_orders (account, ordered_at DESC) WHERE begun_by <> 'edge';
DROP INDEX CONCURRENTLY IF EXISTS certificate_orders_by_account;
DROP INDEX CONCURRENTLY IF EXISTS certificate_orders_by_tenant;
DROP INDEX CONCURRENTLY IF EXISTS certificate_orders_by_domain;
