-- Why: mail records that we wrote outlive the connection unless the tenant says otherwise: a domain that loses its MX
-- loses its mail.
-- Lock: a column with a constant default on applications (no rewrite).

ALTER TABLE applications ADD COLUMN offboarding_email text NOT NULL DEFAULT 'keep'
  CHECK (offboarding_email IN ('keep', 'remove'));
