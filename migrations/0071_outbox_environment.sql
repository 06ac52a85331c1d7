-- Why: tenants take turns with the starts of their connections in each environment. The relay read the environment from the
-- connection of every start that waited, many times a second: with 500 of them, nine milliseconds of Postgres each time.
-- Null for messages that are no start of a connection, and for starts that an older release adds, which take no turns.
-- Lock: brief ACCESS EXCLUSIVE lock on outbox, for a column without a default.

ALTER TABLE outbox ADD COLUMN environment text;
