-- Why: we ask registries by RDAP when domains expire, and whether they were registered anew since their proof or are gone.
-- Then the claim of a served connection can be taken, as after seven days of drift. Answers are kept per domain, and
-- contain nothing about persons.
-- Lock: brief ACCESS EXCLUSIVE lock on connections, for columns without a default and a reference that reads no row.

CREATE TABLE registrations (
  -- The domain that a registry delegates, such as example.co.uk.
  domain text PRIMARY KEY,
  -- The RDAP server that was asked; null if the bootstrap file has none for the domain.
  server text,
  -- The last answer.
  state text NOT NULL DEFAULT 'unknown' CHECK (state IN ('found', 'not_found', 'unknown')),
  registered_at timestamptz,
  expires_at timestamptz,
  -- First day, and number of days, on which the registry did not know the domain and DNS denied it.
  missing_since timestamptz,
  missing_days bigint NOT NULL DEFAULT 0,
  checked_at timestamptz,
  -- The last check that got an answer.
  answered_at timestamptz,
  next_check_at timestamptz NOT NULL
);
CREATE INDEX registrations_due ON registrations (next_check_at);

ALTER TABLE connections
  -- The last proof of ownership. Rows from before this migration get it from their timeline when they are enrolled.
  ADD COLUMN proved_at timestamptz,
  -- Null until the worker enrols the domain for daily checks.
  ADD COLUMN registered_domain text,
  ADD CONSTRAINT connections_registered_domain FOREIGN KEY (registered_domain) REFERENCES registrations (domain)
    ON DELETE SET NULL NOT VALID,
  -- The last `domain.expiring`: the end of the registration, and the days before it.
  ADD COLUMN expiry_reported_for timestamptz,
  ADD COLUMN expiry_reported_days bigint;

ALTER TABLE registrations ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON registrations FOR SELECT TO svc_api USING (EXISTS (
  SELECT FROM connections WHERE registered_domain = domain AND tenant_id = current_tenant()));
CREATE POLICY for_the_worker ON registrations TO svc_worker USING (true) WITH CHECK (true);
GRANT SELECT ON registrations TO svc_api;

-- Whether the domain of a connection has another owner, as far as the registry knows.
CREATE FUNCTION is_domain_lost(registered_domain text, proved_at timestamptz) RETURNS boolean LANGUAGE sql STABLE
RETURN EXISTS (
  SELECT FROM registrations AS known
  WHERE known.domain = registered_domain AND (known.registered_at > proved_at OR known.missing_days >= 7)
);
REVOKE ALL ON FUNCTION is_domain_lost FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_domain_lost TO svc_api, svc_worker;

CREATE OR REPLACE FUNCTION hostname_is_held(name text, drifted_since timestamptz) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
RETURN EXISTS (
  SELECT FROM connections
  WHERE hostname = name AND serve
    AND state IN ('verified', 'dns_writing', 'propagating', 'stalled', 'issuing_cert', 'live', 'drifted')
    AND NOT (state = 'drifted' AND phase_started_at + unasked_ms * interval '1 millisecond' <= drifted_since)
    AND NOT (state IN ('live', 'drifted') AND is_domain_lost(registered_domain, proved_at))
);
