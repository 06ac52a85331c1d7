-- Why: the constraints of 0038 hold for existing rows too.
-- Lock: SHARE UPDATE EXCLUSIVE, while reads and writes continue.
ALTER TABLE dns_ledger VALIDATE CONSTRAINT dns_ledger_purpose_check;
ALTER TABLE dns_displaced VALIDATE CONSTRAINT dns_displaced_purpose_check;
