-- Why: the constraint of 0040 holds for existing rows too.
-- Lock: SHARE UPDATE EXCLUSIVE, while reads and writes continue.
ALTER TABLE admissions VALIDATE CONSTRAINT admissions_standing_check;
