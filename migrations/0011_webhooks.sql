-- Why: webhooks. Endpoints with their sealed secrets, one delivery for each event and endpoint, and every attempt at it.
-- Events that concern no connection (a batch, a test), and the time by which events are listed and forgotten.
-- Lock: ACCESS EXCLUSIVE on events while its columns change and its rows are given their time; outbox for a moment.

-- The ids of deliveries are made where the rows are: with the event, in its statement (RFC 9562, version 7).
CREATE FUNCTION uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN encode(
  set_bit(
    set_bit(
      overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
        FROM 1 FOR 6),
      52, 1),
    53, 1),
  'hex')::uuid;

CREATE TABLE webhook_endpoints (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  application_id uuid NOT NULL REFERENCES applications,
  environment text NOT NULL CHECK (environment IN ('test', 'live')),
  url text NOT NULL,
  events text[] NOT NULL,
  active boolean NOT NULL DEFAULT true,
  -- Why the service made it inactive; null when the tenant did, or while it is active.
  disabled_reason text CHECK (disabled_reason IN ('gone', 'failing')),
  disabled_at timestamptz,
  -- The envelope holds the secret that signs and the one that comes next, which signs from the given time on.
  key_id text NOT NULL,
  wrapped_key bytea NOT NULL,
  ciphertext bytea NOT NULL,
  next_secret_at timestamptz,
  -- Failures since the last success. They hold Temporal's time, like all that deadlines count from.
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  last_failure_at timestamptz,
  paused_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now())
);
CREATE INDEX webhook_endpoints_by_tenant ON webhook_endpoints (tenant_id, created_at DESC, id DESC);
CREATE INDEX webhook_endpoints_by_application ON webhook_endpoints (application_id);

-- No reference to the endpoint: deleting one must not wait for the rows of a month, which go by age.
CREATE TABLE webhook_deliveries (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  event_id uuid NOT NULL,
  event_type text NOT NULL,
  connection_id uuid,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
  -- Why it failed for good.
  reason text CHECK (reason IN ('attempts_exhausted', 'endpoint_inactive', 'event_expired')),
  attempts integer NOT NULL DEFAULT 0,
  -- A replay begins a new round of attempts; an attempt that is under way then ends the round before.
  round integer NOT NULL DEFAULT 1,
  round_attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz,
  last_attempt_at timestamptz,
  delivered_at timestamptz,
  -- One attempt at a time: who is at it, and until when nobody else may be.
  claimed_by text,
  claimed_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
  UNIQUE (event_id, endpoint_id)
);
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (next_attempt_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_old ON webhook_deliveries (created_at);

CREATE TABLE webhook_attempts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id uuid NOT NULL,
  delivery_id uuid NOT NULL,
  number integer NOT NULL,
  url text NOT NULL,
  outcome text NOT NULL,
  status_code integer,
  error text,
  response text,
  duration_ms integer NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX webhook_attempts_by_delivery ON webhook_attempts (delivery_id, number);
CREATE INDEX webhook_attempts_old ON webhook_attempts (created_at);

ALTER TABLE events
  ALTER COLUMN connection_id DROP NOT NULL,
  ALTER COLUMN sequence DROP NOT NULL,
  ADD COLUMN created_at timestamptz,
  ADD CONSTRAINT numbered_by_connection CHECK ((connection_id IS NULL) = (sequence IS NULL));
UPDATE events SET created_at = date_trunc('milliseconds', at);
ALTER TABLE events
  ALTER COLUMN created_at SET NOT NULL,
  ALTER COLUMN created_at SET DEFAULT date_trunc('milliseconds', now());
DROP INDEX events_by_tenant;
CREATE INDEX events_by_tenant ON events (tenant_id, created_at DESC, id DESC);
CREATE INDEX events_old ON events (created_at);

-- Statements that wrote nothing wake no relay: most events have no endpoint.
DROP TRIGGER outbox_written ON outbox;
CREATE OR REPLACE FUNCTION notify_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM written) THEN
    PERFORM pg_notify('outbox', '');
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER outbox_written AFTER INSERT ON outbox REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION notify_outbox();

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['webhook_endpoints', 'webhook_deliveries', 'webhook_attempts'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY own_tenant ON %I TO svc_api USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())',
      name);
    EXECUTE format('CREATE POLICY for_the_worker ON %I TO svc_worker USING (true) WITH CHECK (true)', name);
  END LOOP;
END
$$;
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_endpoints TO svc_api;
GRANT SELECT, INSERT, UPDATE ON webhook_deliveries TO svc_api;
GRANT SELECT ON webhook_attempts TO svc_api;
