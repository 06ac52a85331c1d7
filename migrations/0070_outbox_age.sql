-- Why: deliveries to a receiver that hangs wait in the outbox, dated in the future. The oldest message is read every two
-- seconds and must not be searched for behind them.
-- Lock: none that writers wait for. An index that was left half built is made anew.
-- Without a transaction, because the index is built while the table is written to.

DROP INDEX CONCURRENTLY IF EXISTS outbox_by_age;
CREATE INDEX CONCURRENTLY outbox_by_age ON outbox (created_at);
