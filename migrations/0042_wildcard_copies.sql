-- Why: before the first record below a hostname that only a wildcard answers for, we write the wildcard's records at the
-- hostname itself. The ledger must know these copies: pointers replace them, and a successor takes them over.
-- Lock: a brief ACCESS EXCLUSIVE on dns_ledger; the column has no default, so no row is written.

-- Owner name of the wildcard that the value is a copy of; null for all other values.
ALTER TABLE dns_ledger ADD COLUMN wildcard text;
