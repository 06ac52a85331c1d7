-- Why: plans, what a tenant may use in a month, what it has used, and the subscription that pays for more.
-- Lock: a column with a constant default on tenants (no rewrite); a trigger on connections takes its lock for a moment;
-- the copies of what stands today read connections once.

CREATE TABLE plans (
  id text PRIMARY KEY,
  name text NOT NULL,
  position integer NOT NULL,
  -- Null: no limit.
  connects_per_period integer CHECK (connects_per_period >= 0),
  -- In the smallest unit of the currency. Null: not for sale, or not told.
  price_amount integer CHECK (price_amount >= 0),
  price_currency text CHECK (price_currency ~ '^[a-z]{3}$'),
  price_interval text CHECK (price_interval IN ('month', 'year')),
  -- The price of Stripe that buys it. Null: not for sale.
  stripe_price_id text UNIQUE,
  features text[] NOT NULL DEFAULT '{}',
  CHECK (num_nulls(price_amount, price_currency, price_interval) IN (0, 3))
);
INSERT INTO plans (id, name, position, connects_per_period) VALUES
  ('free', 'Free', 1, 10),
  ('starter', 'Starter', 2, 100),
  ('growth', 'Growth', 3, 1000),
  ('scale', 'Scale', 4, 10000),
  ('unlimited', 'Unlimited', 5, NULL);

-- The plan of a tenant that pays for none.
ALTER TABLE tenants ADD COLUMN plan_id text NOT NULL DEFAULT 'unlimited' REFERENCES plans;

-- One customer of Stripe for each tenant, and of its subscriptions the one that counts.
CREATE TABLE subscriptions (
  tenant_id uuid PRIMARY KEY REFERENCES tenants,
  customer_id text NOT NULL UNIQUE,
  subscription_id text UNIQUE,
  plan_id text REFERENCES plans,
  status text,
  current_period_start timestamptz,
  current_period_end timestamptz,
  cancel_at_period_end boolean NOT NULL DEFAULT false,
  -- When the reading of Stripe began that this row tells: one that began earlier never overwrites it.
  read_at timestamptz NOT NULL DEFAULT '-infinity',
  -- A request is changing the subscription at Stripe until then at the latest.
  busy_until timestamptz NOT NULL DEFAULT '-infinity'
);

-- A row for the whole tenant (no application) and one for each application, month and kind.
CREATE TABLE usage_counters (
  tenant_id uuid NOT NULL REFERENCES tenants,
  application_id uuid REFERENCES applications,
  period date NOT NULL CHECK (extract(day FROM period) = 1),
  kind text NOT NULL CHECK (kind IN ('connect', 'active_domain', 'cert', 'api_call')),
  quantity bigint NOT NULL CHECK (quantity >= 0)
);
CREATE UNIQUE INDEX usage_counters_once ON usage_counters (tenant_id, period, kind, application_id) NULLS NOT DISTINCT;

-- How many live connections serve now; the month's highest number stands among the counters.
CREATE TABLE active_domains (
  tenant_id uuid NOT NULL REFERENCES tenants,
  application_id uuid REFERENCES applications,
  domains integer NOT NULL CHECK (domains >= 0)
);
CREATE UNIQUE INDEX active_domains_once ON active_domains (tenant_id, application_id) NULLS NOT DISTINCT;

-- Certificates that were seen at the edge, each once.
CREATE TABLE issued_certificates (
  connection_id uuid NOT NULL REFERENCES connections,
  not_after timestamptz NOT NULL,
  tenant_id uuid NOT NULL,
  application_id uuid NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (connection_id, not_after)
);
CREATE INDEX issued_certificates_at ON issued_certificates (at);

-- The last count of API calls that each process has handed in: one whose answer got lost is not counted twice.
CREATE TABLE api_call_flushes (
  process uuid PRIMARY KEY,
  sequence bigint NOT NULL,
  at timestamptz NOT NULL
);

-- What Stripe's meters have been told; `sending` is on its way, and sent again until an answer came.
CREATE TABLE metered_usage (
  tenant_id uuid NOT NULL REFERENCES tenants,
  period date NOT NULL,
  kind text NOT NULL,
  reported bigint NOT NULL DEFAULT 0,
  sending bigint,
  PRIMARY KEY (tenant_id, period, kind)
);

-- A month by UTC.
CREATE FUNCTION period_of(at timestamptz) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN date_trunc('month', at AT TIME ZONE 'UTC')::date;

CREATE FUNCTION add_usage(tenant uuid, application uuid, month date, what text, more bigint) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  INSERT INTO usage_counters AS counter (tenant_id, application_id, period, kind, quantity)
  VALUES (tenant, application, month, what, more)
  ON CONFLICT (tenant_id, period, kind, application_id) DO UPDATE SET quantity = counter.quantity + excluded.quantity;
END;

CREATE FUNCTION raise_usage(tenant uuid, application uuid, month date, what text, least_quantity bigint) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  INSERT INTO usage_counters AS counter (tenant_id, application_id, period, kind, quantity)
  VALUES (tenant, application, month, what, least_quantity)
  ON CONFLICT (tenant_id, period, kind, application_id)
  DO UPDATE SET quantity = greatest(counter.quantity, excluded.quantity);
END;

-- The highest number of the month is what stands after one more serves, and what stood before one less does.
CREATE FUNCTION count_active(tenant uuid, application uuid, change integer, month date) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  standing integer;
BEGIN
  INSERT INTO active_domains AS active (tenant_id, application_id, domains)
  VALUES (tenant, application, greatest(change, 0))
  ON CONFLICT (tenant_id, application_id) DO UPDATE SET domains = greatest(active.domains + change, 0)
  RETURNING domains INTO standing;
  PERFORM raise_usage(tenant, application, month, 'active_domain', standing - least(change, 0));
END
$$;

-- Runs as the transaction commits: by then it holds every row it needs, so that no two wait for each other. The times are
-- those of the move and of the look, never this server's.
CREATE FUNCTION meter_connection() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  change integer := (NEW.state IN ('live', 'drifted'))::integer - (OLD.state IN ('live', 'drifted'))::integer;
  moved_in date := period_of(coalesce(NEW.phase_started_at, now()));
  seen_at timestamptz := coalesce(NEW.certificate_checked_at, NEW.phase_started_at, now());
BEGIN
  IF change <> 0 THEN
    PERFORM count_active(NEW.tenant_id, NULL, change, moved_in);
    PERFORM count_active(NEW.tenant_id, NEW.application_id, change, moved_in);
  END IF;
  IF NEW.certificate_status = 'issued' AND NEW.certificate_not_after IS DISTINCT FROM OLD.certificate_not_after THEN
    INSERT INTO issued_certificates (connection_id, not_after, tenant_id, application_id, at)
    VALUES (NEW.id, NEW.certificate_not_after, NEW.tenant_id, NEW.application_id, seen_at)
    ON CONFLICT DO NOTHING;
    IF FOUND THEN
      PERFORM add_usage(NEW.tenant_id, NULL, period_of(seen_at), 'cert', 1);
      PERFORM add_usage(NEW.tenant_id, NEW.application_id, period_of(seen_at), 'cert', 1);
    END IF;
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER connection_metered AFTER UPDATE ON connections
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.environment = 'live' AND (
    (OLD.state IN ('live', 'drifted')) <> (NEW.state IN ('live', 'drifted'))
    OR NEW.certificate_status = 'issued' AND NEW.certificate_not_after IS NOT NULL
      AND NEW.certificate_not_after IS DISTINCT FROM OLD.certificate_not_after))
  EXECUTE FUNCTION meter_connection();

-- Calls of many tenants by one statement, from a process that is bound to none. Each hand-in counts once.
CREATE FUNCTION note_api_calls(from_process uuid, number bigint, counts jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO api_call_flushes AS flush (process, sequence, at) VALUES (from_process, number, clock_timestamp())
  ON CONFLICT (process) DO UPDATE SET sequence = excluded.sequence, at = excluded.at
  WHERE flush.sequence < excluded.sequence;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  INSERT INTO usage_counters AS counter (tenant_id, application_id, period, kind, quantity)
  SELECT given.tenant_id, scope.application_id, given.period, 'api_call', sum(given.quantity)
  FROM jsonb_to_recordset(counts) AS given (tenant_id uuid, application_id uuid, period date, quantity bigint)
    JOIN applications ON applications.id = given.application_id AND applications.tenant_id = given.tenant_id,
    LATERAL (VALUES (NULL::uuid), (given.application_id)) AS scope (application_id)
  GROUP BY given.tenant_id, scope.application_id, given.period
  ORDER BY given.tenant_id, given.period, scope.application_id NULLS FIRST
  ON CONFLICT (tenant_id, period, kind, application_id) DO UPDATE SET quantity = counter.quantity + excluded.quantity;
END
$$;
REVOKE ALL ON FUNCTION note_api_calls FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_api_calls TO svc_api, svc_worker;

-- Stripe's events name a customer, not a tenant.
CREATE FUNCTION tenant_of_customer(customer text) RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
RETURN (SELECT tenant_id FROM subscriptions WHERE customer_id = customer);
REVOKE ALL ON FUNCTION tenant_of_customer FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenant_of_customer TO svc_api, svc_worker;

-- What serves today, and the certificates that are known.
INSERT INTO active_domains (tenant_id, application_id, domains)
SELECT tenant_id, application_id, count(*) FROM connections
WHERE environment = 'live' AND state IN ('live', 'drifted')
GROUP BY GROUPING SETS ((tenant_id), (tenant_id, application_id));
INSERT INTO issued_certificates (connection_id, not_after, tenant_id, application_id, at)
SELECT id, certificate_not_after, tenant_id, application_id, coalesce(certificate_checked_at, live_at, created_at)
FROM connections
WHERE environment = 'live' AND certificate_status IN ('issued', 'expired') AND certificate_not_after IS NOT NULL;

ALTER TABLE batch_rows DROP CONSTRAINT batch_rows_result_check;
ALTER TABLE batch_rows ADD CONSTRAINT batch_rows_result_check
  CHECK (result IN ('created', 'existing', 'conflict', 'invalid', 'quota_exceeded'));

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['subscriptions', 'usage_counters', 'active_domains', 'issued_certificates', 'metered_usage']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY own_tenant ON %I TO svc_api USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant())',
      name);
    EXECUTE format('CREATE POLICY for_the_worker ON %I TO svc_worker USING (true) WITH CHECK (true)', name);
  END LOOP;
END
$$;
GRANT SELECT ON plans, active_domains, issued_certificates, metered_usage TO svc_api;
GRANT SELECT, INSERT, UPDATE ON usage_counters, subscriptions TO svc_api;
