-- Why: the tenant is warned before a credential ends. The time is what its provider or the tenant has said; null where
-- neither did.
--
-- Lock: one column without a default on credentials, which rewrites nothing.
ALTER TABLE credentials ADD COLUMN expires_at timestamptz;
