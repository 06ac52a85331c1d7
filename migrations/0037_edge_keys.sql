-- Why: an edge gets private keys encrypted for its own key pair, which an operator registers with a token.
-- Lock: a brief ACCESS EXCLUSIVE on admissions for a column without a default; the rest creates only.

-- Edges that an operator added. The token is known to the edge, and its key pair is bound when the token is first used.
CREATE TABLE registered_edges (
  name text PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE,
  -- Until then the token may bind a key pair.
  bindable_until timestamptz NOT NULL,
  -- JWK, P-256: verifies signatures of the edge, and encrypts for it.
  public_key jsonb,
  bound_at timestamptz,
  created_at timestamptz NOT NULL,
  revoked_at timestamptz
);

-- A private key, encrypted for one edge (JWE, RFC 7516). The edge alone can read it.
CREATE TABLE edge_certificates (
  edge text NOT NULL REFERENCES registered_edges,
  certificate_id uuid NOT NULL REFERENCES certificates ON DELETE CASCADE,
  sealed text NOT NULL,
  PRIMARY KEY (certificate_id, edge)
);
CREATE INDEX edge_certificates_by_edge ON edge_certificates (edge);

-- The certificate to serve for the hostname; null: the edge obtains its own.
ALTER TABLE admissions ADD COLUMN certificate_id uuid;

-- Returns the certificate to serve for a connection: an uploaded one comes before an ordered one, as long as it is valid.
CREATE FUNCTION certificate_of(connection uuid, at timestamptz) RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
RETURN (
  SELECT id FROM certificates WHERE connection_id = connection AND not_after > at
  ORDER BY source = 'uploaded' DESC LIMIT 1
);
REVOKE ALL ON FUNCTION certificate_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION certificate_of TO svc_worker;

-- Chooses the certificate of a connection again, and tells every edge if it has changed or was sealed for more edges.
CREATE FUNCTION choose_certificate(connection uuid, at timestamptz, is_sealed_anew boolean) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  chosen uuid := certificate_of(connection, at);
  noted admissions;
BEGIN
  UPDATE admissions SET sequence = nextval('admission_sequence'), certificate_id = chosen
  WHERE connection_id = connection AND (certificate_id IS DISTINCT FROM chosen OR is_sealed_anew)
  RETURNING * INTO noted;
  IF noted.hostname IS NOT NULL THEN
    PERFORM pg_notify('admission', json_build_object('sequence', noted.sequence, 'hostname', noted.hostname)::text);
  END IF;
  RETURN chosen;
END
$$;
REVOKE ALL ON FUNCTION choose_certificate FROM PUBLIC;
GRANT EXECUTE ON FUNCTION choose_certificate TO svc_api, svc_worker;

-- A hostname that another connection has proved is served with that connection's certificate from the same moment on.
CREATE OR REPLACE FUNCTION note_admission() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  next_standing text;
  noted admissions;
BEGIN
  LOCK TABLE admissions IN ROW EXCLUSIVE MODE;
  next_standing := standing_of(NEW.state, NEW.companion_of,
    EXISTS (SELECT FROM blocked_hostnames WHERE hostname = NEW.hostname));
  IF next_standing IN ('held', 'pointing', 'serving', 'redirecting', 'blocked') THEN
    INSERT INTO admissions (hostname, sequence, standing, connection_id, application_id, certificate_id)
    VALUES (NEW.hostname, nextval('admission_sequence'), next_standing, NEW.id, NEW.application_id,
      certificate_of(NEW.id, clock_timestamp()))
    ON CONFLICT (hostname) DO UPDATE SET
      sequence = nextval('admission_sequence'),
      standing = excluded.standing,
      connection_id = excluded.connection_id,
      application_id = excluded.application_id,
      certificate_id = excluded.certificate_id,
      removed_at = NULL
    RETURNING * INTO noted;
  ELSE
    -- Another connection may have proved the name since; its standing stays.
    UPDATE admissions SET sequence = nextval('admission_sequence'), standing = next_standing, certificate_id = NULL
    WHERE hostname = NEW.hostname AND connection_id = NEW.id AND standing <> next_standing
    RETURNING * INTO noted;
  END IF;
  IF noted.hostname IS NOT NULL THEN
    PERFORM pg_notify('admission', json_build_object('sequence', noted.sequence, 'hostname', noted.hostname)::text);
  END IF;
  RETURN NULL;
END
$$;

-- Binds a key pair to the edge that has the token, once, and returns the edge's name. Null: the token is unknown, revoked,
-- was not used in time, or is bound to another key pair.
CREATE FUNCTION bind_edge(token text, key jsonb) RETURNS text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  UPDATE registered_edges SET public_key = key, bound_at = coalesce(bound_at, clock_timestamp())
  WHERE token_hash = sha256(convert_to(token, 'UTF8')) AND revoked_at IS NULL
    AND (public_key = key OR public_key IS NULL AND bindable_until > clock_timestamp())
  RETURNING name
$$;
REVOKE ALL ON FUNCTION bind_edge FROM PUBLIC;
GRANT EXECUTE ON FUNCTION bind_edge TO svc_edge;

GRANT SELECT ON registered_edges TO svc_edge, svc_api;
GRANT SELECT ON edge_certificates TO svc_edge;
GRANT SELECT, INSERT ON edge_certificates TO svc_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON registered_edges, edge_certificates TO svc_worker;
