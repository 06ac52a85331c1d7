-- Why: the trace of a request continues in the workflow that the request starts (docs/traces.md). A message carries the
-- span that caused it, and a connection keeps the span that created it, to which later traces have a link. Both columns
-- hold a W3C traceparent, and are null while traces are off.
-- Lock: brief ACCESS EXCLUSIVE locks on outbox and connections, for columns without a default.

ALTER TABLE outbox ADD COLUMN trace_context text;
ALTER TABLE connections ADD COLUMN trace_context text;
