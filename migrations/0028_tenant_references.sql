-- Why: row-level security binds each row to its tenant, but nothing kept a row of one tenant from naming a connection of
-- another. Each reference is now to the object and its tenant together. Rows that exist are checked in 0029. And real
-- hostnames that a tenant connects in the test environment get a counter of their own, because the plan's limit sees them.
-- Lock: SHARE ROW EXCLUSIVE and, to drop the old references, ACCESS EXCLUSIVE, for milliseconds: no row is read.
-- Each reference that goes is replaced by a narrower one in the same statement.
-- squawk-ignore-file ban-drop-constraint

ALTER TABLE active_domains ADD CONSTRAINT active_domains_application_id_of_tenant FOREIGN KEY (application_id, tenant_id) REFERENCES applications (id, tenant_id) NOT VALID,
  DROP CONSTRAINT active_domains_application_id_fkey;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_application_id_of_tenant FOREIGN KEY (application_id, tenant_id) REFERENCES applications (id, tenant_id) NOT VALID,
  DROP CONSTRAINT api_keys_application_id_fkey;
ALTER TABLE batches ADD CONSTRAINT batches_application_id_of_tenant FOREIGN KEY (application_id, tenant_id) REFERENCES applications (id, tenant_id) NOT VALID,
  DROP CONSTRAINT batches_application_id_fkey;
ALTER TABLE connections ADD CONSTRAINT connections_application_id_of_tenant FOREIGN KEY (application_id, tenant_id) REFERENCES applications (id, tenant_id) NOT VALID,
  DROP CONSTRAINT connections_application_id_fkey;
ALTER TABLE credentials ADD CONSTRAINT credentials_application_id_of_tenant FOREIGN KEY (application_id, tenant_id) REFERENCES applications (id, tenant_id) NOT VALID,
  DROP CONSTRAINT credentials_application_id_fkey;
ALTER TABLE usage_counters ADD CONSTRAINT usage_counters_application_id_of_tenant FOREIGN KEY (application_id, tenant_id) REFERENCES applications (id, tenant_id) NOT VALID,
  DROP CONSTRAINT usage_counters_application_id_fkey;
ALTER TABLE webhook_endpoints ADD CONSTRAINT webhook_endpoints_application_id_of_tenant FOREIGN KEY (application_id, tenant_id) REFERENCES applications (id, tenant_id) NOT VALID,
  DROP CONSTRAINT webhook_endpoints_application_id_fkey;
ALTER TABLE connections ADD CONSTRAINT connections_companion_of_of_tenant FOREIGN KEY (companion_of, tenant_id) REFERENCES connections (id, tenant_id) NOT VALID,
  DROP CONSTRAINT connections_companion_of_fkey;
ALTER TABLE batch_rows ADD CONSTRAINT batch_rows_connection_id_of_tenant FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id) NOT VALID,
  DROP CONSTRAINT batch_rows_connection_id_fkey;
ALTER TABLE checks ADD CONSTRAINT checks_connection_id_of_tenant FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id) ON DELETE CASCADE NOT VALID,
  DROP CONSTRAINT checks_connection_id_fkey;
ALTER TABLE dns_displaced ADD CONSTRAINT dns_displaced_connection_id_of_tenant FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id) NOT VALID,
  DROP CONSTRAINT dns_displaced_connection_id_fkey;
ALTER TABLE dns_ledger ADD CONSTRAINT dns_ledger_connection_id_of_tenant FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id) NOT VALID,
  DROP CONSTRAINT dns_ledger_connection_id_fkey;
ALTER TABLE domain_connect_offers ADD CONSTRAINT domain_connect_offers_connection_id_of_tenant FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id) NOT VALID,
  DROP CONSTRAINT domain_connect_offers_connection_id_fkey;
ALTER TABLE domain_connect_returns ADD CONSTRAINT domain_connect_returns_connection_id_of_tenant FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id) NOT VALID,
  DROP CONSTRAINT domain_connect_returns_connection_id_fkey;
ALTER TABLE events ADD CONSTRAINT events_connection_id_of_tenant FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id) NOT VALID,
  DROP CONSTRAINT events_connection_id_fkey;
ALTER TABLE held_starts ADD CONSTRAINT held_starts_connection_id_of_tenant FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id) ON DELETE CASCADE NOT VALID,
  DROP CONSTRAINT held_starts_connection_id_fkey;
ALTER TABLE issued_certificates ADD CONSTRAINT issued_certificates_connection_id_of_tenant FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id) NOT VALID,
  DROP CONSTRAINT issued_certificates_connection_id_fkey;
ALTER TABLE observations ADD CONSTRAINT observations_connection_id_of_tenant FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id) NOT VALID,
  DROP CONSTRAINT observations_connection_id_fkey;
ALTER TABLE share_links ADD CONSTRAINT share_links_connection_id_of_tenant FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id) NOT VALID,
  DROP CONSTRAINT share_links_connection_id_fkey;
ALTER TABLE timeline ADD CONSTRAINT timeline_connection_id_of_tenant FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id) NOT VALID,
  DROP CONSTRAINT timeline_connection_id_fkey;
ALTER TABLE touches ADD CONSTRAINT touches_connection_id_of_tenant FOREIGN KEY (connection_id, tenant_id) REFERENCES connections (id, tenant_id) NOT VALID,
  DROP CONSTRAINT touches_connection_id_fkey;
ALTER TABLE batch_rows ADD CONSTRAINT batch_rows_batch_id_of_tenant FOREIGN KEY (batch_id, tenant_id) REFERENCES batches (id, tenant_id) NOT VALID,
  DROP CONSTRAINT batch_rows_batch_id_fkey;
ALTER TABLE refused_zones ADD CONSTRAINT refused_zones_credential_id_of_tenant FOREIGN KEY (credential_id, tenant_id) REFERENCES credentials (id, tenant_id) ON DELETE CASCADE NOT VALID,
  DROP CONSTRAINT refused_zones_credential_id_fkey;

ALTER TABLE usage_counters DROP CONSTRAINT usage_counters_kind_check, ADD CONSTRAINT usage_counters_kind_check
  CHECK (kind IN ('connect', 'active_domain', 'cert', 'api_call', 'test_connect')) NOT VALID;
