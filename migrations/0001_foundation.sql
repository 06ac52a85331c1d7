-- Why: the system of record. Tenants, their applications and keys, connections with their claim, timeline and events,
-- and the outbox through which Temporal learns what to do.
-- Lock: creates only; touches nothing that exists.

-- The API works as svc_api, which row-level security binds to one tenant; migrations, relay, worker and reconciler work
-- as the owner. The role is shared by every database of the server, so another one may have made it already.
DO $$
BEGIN
  CREATE ROLE svc_api NOLOGIN NOINHERIT;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;
DO $$
BEGIN
  EXECUTE format('GRANT svc_api TO %I', current_user);
END
$$;
GRANT USAGE ON SCHEMA public TO svc_api;

-- An unset tenant is null, and null matches no row.
CREATE FUNCTION current_tenant() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('app.tenant_id', true), '')::uuid;

CREATE TABLE tenants (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE applications (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  name text NOT NULL,
  environment text NOT NULL CHECK (environment IN ('test', 'live')),
  allowed_origins text[] NOT NULL DEFAULT '{}',
  record_template jsonb NOT NULL DEFAULT '[]',
  origin_url text,
  conflict_policy text NOT NULL DEFAULT 'refuse' CHECK (conflict_policy IN ('refuse', 'replace')),
  drift_policy text NOT NULL DEFAULT 'notify' CHECK (drift_policy IN ('notify', 'repair')),
  offboarding text NOT NULL DEFAULT 'remove_records' CHECK (offboarding IN ('remove_records', 'keep_records')),
  widget_email boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now())
);
CREATE INDEX applications_by_tenant ON applications (tenant_id, created_at DESC, id DESC);

CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  application_id uuid NOT NULL REFERENCES applications,
  name text NOT NULL,
  hash bytea NOT NULL UNIQUE,
  last4 text NOT NULL,
  environment text NOT NULL CHECK (environment IN ('test', 'live')),
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
  last_used_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX api_keys_by_application ON api_keys (application_id, created_at DESC, id DESC);

CREATE TABLE connections (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenants,
  application_id uuid NOT NULL REFERENCES applications,
  environment text NOT NULL CHECK (environment IN ('test', 'live')),
  hostname text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('apex', 'subdomain')),
  state text NOT NULL CHECK (state IN (
    'created', 'pending_ownership', 'verifying', 'verified', 'dns_writing', 'propagating',
    'stalled', 'issuing_cert', 'live', 'drifted', 'failed', 'archived')),
  setup_type text NOT NULL DEFAULT 'manual',
  provider text,
  -- The zone's name servers when it was first looked at.
  nameservers text[],
  error_code text,
  batch_id uuid,
  external_id text,
  challenge_token text NOT NULL,
  desired_records jsonb NOT NULL,
  findings jsonb NOT NULL DEFAULT '[]',
  -- Grows with every change of state; whoever moves the row must name the version it saw.
  version integer NOT NULL DEFAULT 1,
  event_sequence integer NOT NULL DEFAULT 0,
  -- Deadlines and schedules count from these. They hold Temporal's time, never this server's.
  phase_started_at timestamptz,
  -- Time of the phase in which nobody could be asked; deadlines do not count it.
  unasked_ms bigint NOT NULL DEFAULT 0,
  fast_until timestamptz,
  last_checked_at timestamptz,
  next_check_at timestamptz,
  mismatch_count integer NOT NULL DEFAULT 0,
  first_mismatch_at timestamptz,
  live_at timestamptz,
  flow_completed_at timestamptz,
  certificate_status text NOT NULL DEFAULT 'none'
    CHECK (certificate_status IN ('none', 'pending', 'issued', 'failed', 'expired')),
  certificate_not_after timestamptz,
  certificate_ca text,
  cleanup text NOT NULL DEFAULT 'none' CHECK (cleanup IN ('none', 'pending', 'done', 'failed')),
  created_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
  archived_at timestamptz
);

-- The claim: one proved connection per hostname in the whole service, whatever tenant or environment.
CREATE UNIQUE INDEX connections_claim ON connections (hostname)
  WHERE state IN ('verified', 'dns_writing', 'propagating', 'stalled', 'issuing_cert', 'live', 'drifted');
-- A customer who asks twice gets the connection that is already waiting; two that race get one.
CREATE UNIQUE INDEX connections_unproved ON connections (application_id, hostname)
  WHERE state IN ('created', 'pending_ownership', 'verifying');
CREATE INDEX connections_by_tenant ON connections (tenant_id, created_at DESC, id DESC);
CREATE INDEX connections_by_hostname ON connections (hostname);
-- What the reconciler reads: connections whose next look is long overdue.
CREATE INDEX connections_due ON connections (next_check_at) WHERE state NOT IN ('failed', 'archived');
CREATE INDEX connections_to_clean ON connections (archived_at) WHERE cleanup = 'pending';

CREATE TABLE timeline (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id uuid NOT NULL,
  connection_id uuid NOT NULL REFERENCES connections,
  at timestamptz NOT NULL,
  from_state text NOT NULL,
  to_state text NOT NULL,
  reason text
);
CREATE INDEX timeline_by_connection ON timeline (connection_id, id DESC);

CREATE TABLE events (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  application_id uuid NOT NULL,
  connection_id uuid NOT NULL REFERENCES connections,
  environment text NOT NULL,
  type text NOT NULL,
  sequence integer NOT NULL,
  at timestamptz NOT NULL,
  data jsonb NOT NULL,
  UNIQUE (connection_id, sequence)
);
CREATE INDEX events_by_tenant ON events (tenant_id, at DESC, id DESC);

-- What was seen, one row for as long as it stays the same, kept for a week.
CREATE TABLE observations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id uuid NOT NULL,
  connection_id uuid NOT NULL REFERENCES connections,
  purpose text NOT NULL CHECK (purpose IN ('challenge', 'records')),
  verdict text NOT NULL CHECK (verdict IN ('match', 'mismatch', 'unknown')),
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  looks integer NOT NULL DEFAULT 1,
  seen jsonb NOT NULL
);
CREATE INDEX observations_latest ON observations (connection_id, purpose, id DESC);
CREATE INDEX observations_old ON observations (last_at);

-- When somebody last showed interest; beside the row, so that interest never collides with a transition.
CREATE TABLE touches (
  connection_id uuid PRIMARY KEY REFERENCES connections,
  tenant_id uuid NOT NULL,
  touched_at timestamptz NOT NULL
);

-- Messages for Temporal, written with the facts they follow from and deleted once Temporal has them.
CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id uuid NOT NULL,
  connection_id uuid NOT NULL REFERENCES connections,
  kind text NOT NULL CHECK (kind IN ('start', 'touch', 'credentials_changed', 'archive')),
  created_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX outbox_due ON outbox (next_attempt_at, id);
CREATE INDEX outbox_by_connection ON outbox (connection_id, id);

CREATE FUNCTION notify_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('outbox', '');
  RETURN NULL;
END
$$;
CREATE TRIGGER outbox_written AFTER INSERT ON outbox FOR EACH STATEMENT EXECUTE FUNCTION notify_outbox();

-- The DNS of the sandbox: a zone file per tenant.
CREATE TABLE sandbox_records (
  tenant_id uuid NOT NULL REFERENCES tenants,
  host text NOT NULL,
  type text NOT NULL,
  value text NOT NULL,
  ttl integer NOT NULL,
  priority integer,
  visible_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, host, type, value)
);

-- Create learns only whether somebody holds the name, never who, unless it is the caller itself.
CREATE FUNCTION hostname_is_held(name text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public
RETURN EXISTS (
  SELECT FROM connections
  WHERE hostname = name
    AND state IN ('verified', 'dns_writing', 'propagating', 'stalled', 'issuing_cert', 'live', 'drifted')
);
REVOKE ALL ON FUNCTION hostname_is_held FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hostname_is_held TO svc_api;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'applications', 'api_keys', 'connections', 'timeline', 'events', 'observations', 'touches', 'outbox', 'sandbox_records']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY own_tenant ON %I TO svc_api USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())',
      name);
  END LOOP;
END
$$;
ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON tenants TO svc_api USING (id = current_tenant());

GRANT SELECT ON tenants TO svc_api;
GRANT SELECT, INSERT, UPDATE ON applications, api_keys, connections, observations, touches TO svc_api;
GRANT SELECT, INSERT ON timeline, events, outbox TO svc_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON sandbox_records TO svc_api;
