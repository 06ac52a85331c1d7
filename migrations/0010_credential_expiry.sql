-- When a credential ends, as its provider or the tenant has said; null where neither did.
--
-- Lock: one column without a default on credentials (no rewrite), an index on a small table.
ALTER TABLE credentials ADD COLUMN expires_at timestamptz;
