-- Why: rows that were written before 0028 are checked against its references and its list of counters.
-- Lock: SHARE UPDATE EXCLUSIVE on each table while it is read; readers and writers do not wait.
-- Without a transaction, so that each table is locked only while it is read itself.

ALTER TABLE active_domains VALIDATE CONSTRAINT active_domains_application_id_of_tenant;
ALTER TABLE api_keys VALIDATE CONSTRAINT api_keys_application_id_of_tenant;
ALTER TABLE batches VALIDATE CONSTRAINT batches_application_id_of_tenant;
ALTER TABLE connections VALIDATE CONSTRAINT connections_application_id_of_tenant;
ALTER TABLE credentials VALIDATE CONSTRAINT credentials_application_id_of_tenant;
ALTER TABLE usage_counters VALIDATE CONSTRAINT usage_counters_application_id_of_tenant;
ALTER TABLE webhook_endpoints VALIDATE CONSTRAINT webhook_endpoints_application_id_of_tenant;
ALTER TABLE connections VALIDATE CONSTRAINT connections_companion_of_of_tenant;
ALTER TABLE batch_rows VALIDATE CONSTRAINT batch_rows_connection_id_of_tenant;
ALTER TABLE checks VALIDATE CONSTRAINT checks_connection_id_of_tenant;
ALTER TABLE dns_displaced VALIDATE CONSTRAINT dns_displaced_connection_id_of_tenant;
ALTER TABLE dns_ledger VALIDATE CONSTRAINT dns_ledger_connection_id_of_tenant;
ALTER TABLE domain_connect_offers VALIDATE CONSTRAINT domain_connect_offers_connection_id_of_tenant;
ALTER TABLE domain_connect_returns VALIDATE CONSTRAINT domain_connect_returns_connection_id_of_tenant;
ALTER TABLE events VALIDATE CONSTRAINT events_connection_id_of_tenant;
ALTER TABLE held_starts VALIDATE CONSTRAINT held_starts_connection_id_of_tenant;
ALTER TABLE issued_certificates VALIDATE CONSTRAINT issued_certificates_connection_id_of_tenant;
ALTER TABLE observations VALIDATE CONSTRAINT observations_connection_id_of_tenant;
ALTER TABLE share_links VALIDATE CONSTRAINT share_links_connection_id_of_tenant;
ALTER TABLE timeline VALIDATE CONSTRAINT timeline_connection_id_of_tenant;
ALTER TABLE touches VALIDATE CONSTRAINT touches_connection_id_of_tenant;
ALTER TABLE batch_rows VALIDATE CONSTRAINT batch_rows_batch_id_of_tenant;
ALTER TABLE refused_zones VALIDATE CONSTRAINT refused_zones_credential_id_of_tenant;
ALTER TABLE usage_counters VALIDATE CONSTRAINT usage_counters_kind_check;
