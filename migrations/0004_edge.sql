-- Why: the edge. Which hostnames may have a certificate and where their requests go, in a form that every API process
-- can hold in memory and be told of within milliseconds; and what was asked of certificate authorities.
-- Lock: one column without default on connections and triggers on connections and applications (short exclusive locks);
-- the first fill reads both tables while writers wait.

-- Changes are told to listeners that may hear them late or twice; only a newer one counts. The number is drawn while the
-- hostname's row is locked, so per hostname it grows in the order of the commits.
CREATE SEQUENCE admission_sequence;

-- One row per hostname that ever was proved. It outlives the claim: an archived name is refused, not unknown.
CREATE TABLE admissions (
  hostname text PRIMARY KEY,
  sequence bigint NOT NULL,
  standing text NOT NULL CHECK (standing IN ('held', 'serving', 'archived', 'none')),
  connection_id uuid NOT NULL,
  application_id uuid NOT NULL
);
CREATE INDEX admissions_by_connection ON admissions (connection_id);

-- Origins have rows and numbers of their own: one change of an application is one change here, not one per hostname.
CREATE TABLE admission_origins (
  application_id uuid PRIMARY KEY,
  sequence bigint NOT NULL,
  origin_url text
);

-- The states of `held` and `serving` together are exactly those of the index connections_claim.
CREATE FUNCTION standing_of(state text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN state IN ('live', 'drifted') THEN 'serving'
  WHEN state IN ('verified', 'dns_writing', 'propagating', 'stalled', 'issuing_cert') THEN 'held'
  WHEN state = 'archived' THEN 'archived'
  ELSE 'none'
END;

-- Runs after the row's own indexes were checked: whoever takes a freed name draws its number after whoever freed it.
CREATE FUNCTION note_admission() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  next_standing text := standing_of(NEW.state);
  noted admissions;
BEGIN
  IF next_standing IN ('held', 'serving') THEN
    INSERT INTO admissions (hostname, sequence, standing, connection_id, application_id)
    VALUES (NEW.hostname, nextval('admission_sequence'), next_standing, NEW.id, NEW.application_id)
    ON CONFLICT (hostname) DO UPDATE SET
      sequence = nextval('admission_sequence'),
      standing = excluded.standing,
      connection_id = excluded.connection_id,
      application_id = excluded.application_id
    RETURNING * INTO noted;
  ELSE
    -- Somebody else may have proved the name since; theirs is not ours to take away.
    UPDATE admissions SET sequence = nextval('admission_sequence'), standing = next_standing
    WHERE hostname = NEW.hostname AND connection_id = NEW.id AND standing <> next_standing
    RETURNING * INTO noted;
  END IF;
  IF noted.hostname IS NOT NULL THEN
    PERFORM pg_notify('admission', json_build_object(
      'sequence', noted.sequence, 'hostname', noted.hostname, 'standing', noted.standing,
      'application_id', noted.application_id)::text);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER admission_changed AFTER UPDATE OF state ON connections
  FOR EACH ROW WHEN (standing_of(OLD.state) IS DISTINCT FROM standing_of(NEW.state)) EXECUTE FUNCTION note_admission();
CREATE TRIGGER admission_made AFTER INSERT ON connections
  FOR EACH ROW WHEN (standing_of(NEW.state) <> 'none') EXECUTE FUNCTION note_admission();

CREATE FUNCTION note_origin() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  noted admission_origins;
BEGIN
  INSERT INTO admission_origins (application_id, sequence, origin_url)
  VALUES (NEW.id, nextval('admission_sequence'), NEW.origin_url)
  ON CONFLICT (application_id) DO UPDATE SET
    sequence = nextval('admission_sequence'), origin_url = excluded.origin_url
  RETURNING * INTO noted;
  PERFORM pg_notify('admission', json_build_object(
    'sequence', noted.sequence, 'application_id', noted.application_id, 'origin_url', noted.origin_url)::text);
  RETURN NULL;
END
$$;
CREATE TRIGGER origin_changed AFTER UPDATE OF origin_url ON applications
  FOR EACH ROW WHEN (OLD.origin_url IS DISTINCT FROM NEW.origin_url) EXECUTE FUNCTION note_origin();
CREATE TRIGGER origin_made AFTER INSERT ON applications
  FOR EACH ROW WHEN (NEW.origin_url IS NOT NULL) EXECUTE FUNCTION note_origin();

INSERT INTO admissions (hostname, sequence, standing, connection_id, application_id)
SELECT DISTINCT ON (hostname) hostname, nextval('admission_sequence'), standing_of(state), id, application_id
FROM connections
WHERE standing_of(state) <> 'none'
ORDER BY hostname, (standing_of(state) = 'archived'), archived_at DESC;
INSERT INTO admission_origins (application_id, sequence, origin_url)
SELECT id, nextval('admission_sequence'), origin_url FROM applications WHERE origin_url IS NOT NULL;

-- Who holds a copy of the two tables above, and until when it may be believed. An epoch is one unbroken copy.
CREATE TABLE admission_leases (
  epoch uuid PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
-- Which changes a copy has taken in. Unlogged: after a crash every copy begins a new epoch anyway.
CREATE UNLOGGED TABLE admission_acks (
  epoch uuid NOT NULL REFERENCES admission_leases ON DELETE CASCADE,
  sequence bigint NOT NULL,
  PRIMARY KEY (epoch, sequence)
);

-- What we made certificate authorities do, so that we stay below what they allow.
CREATE TABLE certificate_orders (
  id uuid PRIMARY KEY,
  hostname text NOT NULL,
  registered_domain text NOT NULL,
  account text NOT NULL,
  ordered_at timestamptz NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('pending', 'issued', 'failed'))
);
CREATE INDEX certificate_orders_by_account ON certificate_orders (account, ordered_at DESC);
CREATE INDEX certificate_orders_by_domain ON certificate_orders (account, registered_domain, ordered_at DESC);
CREATE INDEX certificate_orders_by_hostname ON certificate_orders (hostname, ordered_at DESC);

-- When the edge was last asked to show the certificate.
ALTER TABLE connections ADD COLUMN certificate_checked_at timestamptz;
