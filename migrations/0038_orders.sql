-- Why: the worker orders certificates itself by ACME, validated by DNS records.
-- Lock: creates tables; brief ACCESS EXCLUSIVE locks on dns_ledger and dns_displaced for constraints that the next migration
-- validates.
-- The constraints return in the same transaction, with one more value.
-- squawk-ignore-file ban-drop-constraint

-- The worker's account at a certificate authority (CA). It is not the edge's. Its key is in the vault.
CREATE TABLE acme_accounts (
  directory text PRIMARY KEY,
  id uuid NOT NULL,
  -- The URL by which the CA knows it; null until it is registered.
  url text,
  key_id text NOT NULL,
  wrapped_key bytea NOT NULL,
  ciphertext bytea NOT NULL,
  created_at timestamptz NOT NULL
);

-- An order in progress. Its private key is created with it, so that every step can be repeated after a crash.
CREATE TABLE acme_orders (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  connection_id uuid NOT NULL UNIQUE,
  directory text NOT NULL,
  names text[] NOT NULL,
  -- The certificate that it replaces, as the CA knows it (RFC 9773).
  replaces text,
  -- The CA's URL of the order; null until it is placed.
  url text,
  outcome text CHECK (outcome IN ('issued', 'failed')),
  key_id text NOT NULL,
  wrapped_key bytea NOT NULL,
  ciphertext bytea NOT NULL,
  created_at timestamptz NOT NULL,
  FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id)
);
ALTER TABLE acme_orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON acme_orders TO svc_api USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY for_the_worker ON acme_orders TO svc_worker USING (true) WITH CHECK (true);

-- TXT values that an order needs. Values of several orders at one name coexist, and each order removes its own.
CREATE TABLE acme_challenges (
  order_id uuid NOT NULL REFERENCES acme_orders ON DELETE CASCADE,
  host text NOT NULL,
  value text NOT NULL,
  -- The name that has the value: the host in the customer's zone, or a name in the delegation zone. Null: not decided yet.
  published_at text,
  PRIMARY KEY (order_id, host, value)
);

-- The newest failed order of a connection: what the customer is shown, and when to try again.
CREATE TABLE acme_failures (
  connection_id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  failed_at timestamptz NOT NULL,
  retry_at timestamptz NOT NULL,
  -- No order can succeed, so the edge obtains the certificate once the hostname points there.
  falls_back boolean NOT NULL,
  finding jsonb NOT NULL,
  FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id)
);
ALTER TABLE acme_failures ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON acme_failures TO svc_api USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
CREATE POLICY for_the_worker ON acme_failures TO svc_worker USING (true) WITH CHECK (true);

-- The key of delegated validation, once a customer has seen a label that was made with it. It must never change.
CREATE TABLE acme_delegation (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  fingerprint text NOT NULL
);

GRANT SELECT, INSERT ON acme_orders TO svc_api;
GRANT SELECT ON acme_failures TO svc_api;
GRANT SELECT, INSERT ON acme_delegation TO svc_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON acme_accounts, acme_orders, acme_challenges, acme_failures, acme_delegation
  TO svc_worker;

ALTER TABLE dns_ledger DROP CONSTRAINT dns_ledger_purpose_check;
ALTER TABLE dns_ledger ADD CONSTRAINT dns_ledger_purpose_check
  CHECK (purpose IN ('connection', 'email', 'certificate')) NOT VALID;
ALTER TABLE dns_displaced DROP CONSTRAINT dns_displaced_purpose_check;
ALTER TABLE dns_displaced ADD CONSTRAINT dns_displaced_purpose_check
  CHECK (purpose IN ('connection', 'email', 'certificate')) NOT VALID;
