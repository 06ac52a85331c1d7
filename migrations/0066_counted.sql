-- Why: connections that exist already are counted, and their findings are copied.
-- Lock: none that lasts; the count reads connections once, and the copy locks a thousand rows at a time.
-- Without a transaction, so that every thousand rows are released.

SELECT recount_connections();
CALL copy_findings();
