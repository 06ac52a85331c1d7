-- Why: every message in the outbox woke every relay, also the relays of other workflow types, which then read the outbox
-- in vain. The notification now names the workflow type.
-- Lock: none; it replaces a function.

CREATE OR REPLACE FUNCTION notify_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('outbox', workflow) FROM (SELECT DISTINCT workflow FROM written) AS woken;
  RETURN NULL;
END
$$;
