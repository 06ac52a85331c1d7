-- Why: certificate authorities exempt renewals from most limits, so the ledger must tell them from new orders. Checks of
-- a certificate depend on fractions of its lifetime, so its beginning is saved too.
-- Lock: a brief ACCESS EXCLUSIVE on certificate_orders and connections; defaults are constants, so no row is written.
-- The rule that goes is replaced by a wider one in the same statement.
-- squawk-ignore-file ban-drop-constraint

ALTER TABLE certificate_orders
  ADD COLUMN kind text NOT NULL DEFAULT 'new',
  ADD CONSTRAINT known_kind CHECK (kind IN ('new', 'renewal')) NOT VALID,
  ADD COLUMN replaces boolean NOT NULL DEFAULT false,
  DROP CONSTRAINT certificate_orders_begun_by_check,
  ADD CONSTRAINT known_writer CHECK (begun_by IN ('worker', 'ask', 'edge')) NOT VALID;
ALTER TABLE connections ADD COLUMN certificate_not_before timestamptz;
