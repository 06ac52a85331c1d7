-- Why: a test application can let time pass faster for sandbox hostnames, so that a test sees deadlines of days.
-- Lock: one ALTER TABLE on applications without a rewrite.

ALTER TABLE applications ADD COLUMN sandbox_speed bigint CHECK (sandbox_speed BETWEEN 1 AND 1440);
