// Generated from docs/openapi.json by `npm run openapi`. Do not edit.
export interface paths {
    "/v1/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List connections, newest first
         * @description Requires the scope connections:read.
         */
        get: operations["get_connections"];
        put?: never;
        /**
         * Connect a domain, or resume a connection that waits for its ownership proof
         * @description Requires the scope connections:write. Accepts a widget token.
         */
        post: operations["post_connections"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a connection with its records, certificate, findings and timeline
         * @description Requires the scope connections:read. Accepts a widget token.
         */
        get: operations["get_connections_by_id"];
        put?: never;
        post?: never;
        /**
         * Archive a connection. Releases its hostname and removes the records that we wrote.
         * @description Requires the scope connections:write.
         */
        delete: operations["delete_connections_by_id"];
        options?: never;
        head?: never;
        /**
         * Update a connection. Fields that you omit stay as they are, and null returns to the default.
         * @description Requires the scope connections:write.
         */
        patch: operations["patch_connections_by_id"];
        trace?: never;
    };
    "/v1/connections:counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count connections by state and by what needs attention
         * @description Requires the scope connections:read.
         */
        get: operations["get_connections_counts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections:series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count connections by day, and by their time from create to live
         * @description Requires the scope connections:read.
         */
        get: operations["get_connections_series"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections/{id}/certificate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Serve the tenant's own certificate for a hostname
         * @description Requires the scope apps:admin.
         */
        put: operations["put_connections_by_id_certificate"];
        post?: never;
        /**
         * Stop serving the tenant's own certificate. 202: it serves until its successor, which is being ordered, is there.
         * @description Requires the scope apps:admin.
         */
        delete: operations["delete_connections_by_id_certificate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections/{id}/certificate:csr": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a private key that stays with us, and get a signing request for your certificate authority
         * @description Requires the scope apps:admin.
         */
        post: operations["post_connections_by_id_certificate_csr"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the ownership record now
         * @description Requires the scope connections:write.
         */
        post: operations["post_connections_by_id_verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections/{id}/records:check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check all records of a connection now
         * @description Requires the scope connections:write. Accepts a widget token.
         */
        post: operations["post_connections_by_id_records_check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections/{id}/dns:plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview the changes that writing the records would make. Read-only.
         * @description Requires the scope connections:write.
         */
        post: operations["post_connections_by_id_dns_plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections/{id}/dns:revert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove all records that we wrote for a purpose, and restore the records that they replaced
         * @description Requires the scope connections:write.
         */
        post: operations["post_connections_by_id_dns_revert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections/{id}/cutover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the newest cutover of a connection
         * @description Requires the scope connections:read.
         */
        get: operations["get_connections_by_id_cutover"];
        put?: never;
        /**
         * Move a running site here: probe it, replace its records, observe it, and restore the records if it fails
         * @description Requires the scope connections:write.
         */
        post: operations["post_connections_by_id_cutover"];
        /**
         * Cancel a cutover in progress, and restore the records that it has replaced
         * @description Requires the scope connections:write.
         */
        delete: operations["delete_connections_by_id_cutover"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/email/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the DNS records that a mailbox provider needs at a domain. Read-only.
         * @description Requires the scope connections:read.
         */
        post: operations["post_email_records"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections/{id}/email:apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a mailbox provider's DNS records without touching existing ones. Returns the steps left to do manually.
         * @description Requires the scope connections:write.
         */
        post: operations["post_connections_by_id_email_apply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List batches, newest first
         * @description Requires the scope connections:read.
         */
        get: operations["get_batches"];
        put?: never;
        /**
         * Connect up to a thousand domains. Returns a result for each.
         * @description Requires the scope connections:write.
         */
        post: operations["post_batches"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the progress of a batch, and its failed rows
         * @description Requires the scope connections:read.
         */
        get: operations["get_batches_by_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections/{id}/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a link that shows the records to a colleague who manages the DNS
         * @description Requires the scope connections:write.
         */
        post: operations["post_connections_by_id_share"];
        /**
         * Revoke all shared links of a connection
         * @description Requires the scope connections:write.
         */
        delete: operations["delete_connections_by_id_share"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/domains:check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Detect a domain's DNS provider and how it can be connected. Read-only.
         * @description Requires the scope connections:read. Accepts a widget token.
         */
        post: operations["post_domains_check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a widget token for one connect flow
         * @description Requires the scope connections:write.
         */
        post: operations["post_tokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List applications
         * @description Requires the scope apps:admin.
         */
        get: operations["get_applications"];
        put?: never;
        /**
         * Create an application
         * @description Requires the scope apps:admin.
         */
        post: operations["post_applications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/applications/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an application
         * @description Requires the scope apps:admin.
         */
        get: operations["get_applications_by_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update an application. Fields that you omit stay as they are.
         * @description Requires the scope apps:admin.
         */
        patch: operations["patch_applications_by_id"];
        trace?: never;
    };
    "/v1/applications/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an application's API keys, without secrets
         * @description Requires the scope apps:admin.
         */
        get: operations["get_applications_by_id_keys"];
        put?: never;
        /**
         * Create an API key. The secret is returned only once.
         * @description Requires the scope apps:admin.
         */
        post: operations["post_applications_by_id_keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/applications/{id}/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key. Its next request is refused.
         * @description Requires the scope apps:admin.
         */
        delete: operations["delete_applications_by_id_keys_by_keyId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/applications/{id}/edge-secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an application's edge secrets, without their values
         * @description Requires the scope apps:admin.
         */
        get: operations["get_applications_by_id_edge-secrets"];
        put?: never;
        /**
         * Create a secret with which edges sign requests to your origins, from a day later on. It is returned only once.
         * @description Requires the scope apps:admin.
         */
        post: operations["post_applications_by_id_edge-secrets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/applications/{id}/edge-secrets/{secret_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an edge secret. When the call returns, no edge signs with it.
         * @description Requires the scope apps:admin.
         */
        delete: operations["delete_applications_by_id_edge-secrets_by_secret_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List console sessions, and links that were not used yet, newest first
         * @description Requires the scope apps:admin.
         */
        get: operations["get_console-sessions"];
        put?: never;
        /**
         * Create a link that signs a person in to the console, once and within 2 minutes
         * @description Requires the scope apps:admin.
         */
        post: operations["post_console-sessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console-sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a console session or a link. The next request of the browser is refused.
         * @description Requires the scope apps:admin.
         */
        delete: operations["delete_console-sessions_by_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/applications/{id}/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an application's DNS provider credentials, without secrets
         * @description Requires the scope apps:admin.
         */
        get: operations["get_applications_by_id_credentials"];
        put?: never;
        /**
         * Add a DNS provider credential. We test it against the provider before saving.
         * @description Requires the scope apps:admin.
         */
        post: operations["post_applications_by_id_credentials"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/applications/{id}/credentials/{cid}:test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a credential against its provider again
         * @description Requires the scope apps:admin.
         */
        post: operations["post_applications_by_id_credentials_by_cid_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/applications/{id}/credentials/{cid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a credential. Records that it wrote stay in place.
         * @description Requires the scope apps:admin.
         */
        delete: operations["delete_applications_by_id_credentials_by_cid"];
        options?: never;
        head?: never;
        /**
         * Update the secret, label or expiry of a credential. Connections continue with the new secret.
         * @description Requires the scope apps:admin.
         */
        patch: operations["patch_applications_by_id_credentials_by_cid"];
        trace?: never;
    };
    "/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints, without secrets
         * @description Requires the scope apps:admin or webhooks:write.
         */
        get: operations["get_webhook-endpoints"];
        put?: never;
        /**
         * Create a webhook endpoint. The signing secret is returned only once.
         * @description Requires the scope apps:admin or webhooks:write.
         */
        post: operations["post_webhook-endpoints"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}:rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a new signing secret, which takes effect later, or immediately after a leak
         * @description Requires the scope apps:admin or webhooks:write.
         */
        post: operations["post_webhook-endpoints_by_id_rotate-secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}:test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event to this endpoint only
         * @description Requires the scope apps:admin or webhooks:write.
         */
        post: operations["post_webhook-endpoints_by_id_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}:recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend all events since a given time that were not delivered to this endpoint
         * @description Requires the scope apps:admin or webhooks:write.
         */
        post: operations["post_webhook-endpoints_by_id_recover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an endpoint's deliveries of the last 30 days
         * @description Requires the scope apps:admin or webhooks:write.
         */
        get: operations["get_webhook-endpoints_by_id_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a webhook endpoint, without its secret
         * @description Requires the scope apps:admin or webhooks:write.
         */
        get: operations["get_webhook-endpoints_by_id"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint. Pending deliveries are not sent.
         * @description Requires the scope apps:admin or webhooks:write.
         */
        delete: operations["delete_webhook-endpoints_by_id"];
        options?: never;
        head?: never;
        /**
         * Update a webhook endpoint. Fields that you omit stay as they are.
         * @description Requires the scope apps:admin or webhooks:write.
         */
        patch: operations["patch_webhook-endpoints_by_id"];
        trace?: never;
    };
    "/v1/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a connection's events in the last 30 days
         * @description Requires the scope apps:admin or webhooks:write.
         */
        get: operations["get_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{id}:replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event to its endpoint again now
         * @description Requires the scope apps:admin or webhooks:write.
         */
        post: operations["post_deliveries_by_id_replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a delivery and its attempts
         * @description Requires the scope apps:admin or webhooks:write.
         */
        get: operations["get_deliveries_by_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of the last 30 days, whether or not they were delivered
         * @description Requires the scope apps:admin or webhooks:write.
         */
        get: operations["get_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an event and its deliveries
         * @description Requires the scope apps:admin or webhooks:write.
         */
        get: operations["get_events_by_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the DNS providers at which we can write records
         * @description Accepts any valid API key.
         */
        get: operations["get_providers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the usage of a month, and the limits of the plan
         * @description Requires the scope usage:read or connections:read.
         */
        get: operations["get_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List plans
         * @description Accepts any valid API key.
         */
        get: operations["get_plans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the tenant's plan and subscription
         * @description Requires the scope apps:admin.
         */
        get: operations["get_subscriptions"];
        put?: never;
        /**
         * Choose a plan. Changes the existing subscription, or opens a checkout for the first one.
         * @description Requires the scope apps:admin.
         */
        post: operations["post_subscriptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log: who changed which object
         * @description Requires the scope apps:admin.
         */
        get: operations["get_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the records in the sandbox's DNS, newest first
         * @description Requires the scope connections:read. Test keys only.
         */
        get: operations["get_sandbox_records"];
        /**
         * Set records in the sandbox's DNS, as a customer would at a DNS provider
         * @description Requires the scope connections:write. Test keys only.
         */
        put: operations["put_sandbox_records"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ApiKey: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the application.
             */
            application_id: string;
            /** @description Name of the key in lists. */
            name: string;
            /** @description Last four characters of the secret. */
            last4: string;
            /** @description Environment of the object. One of test, live. New values may be added. */
            environment: string;
            /** @description What the key may do. */
            scopes: string[];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Time of the last request, to the minute. Null if unused. */
            last_used_at: string | null;
            /** @description Time of the revocation, or null. */
            revoked_at: string | null;
        };
        ApiKeyCreated: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the application.
             */
            application_id: string;
            /** @description Name of the key in lists. */
            name: string;
            /** @description Last four characters of the secret. */
            last4: string;
            /** @description Environment of the object. One of test, live. New values may be added. */
            environment: string;
            /** @description What the key may do. */
            scopes: string[];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Time of the last request, to the minute. Null if unused. */
            last_used_at: string | null;
            /** @description Time of the revocation, or null. */
            revoked_at: string | null;
            /** @description Returned only once, not in a replay. */
            secret?: string;
        };
        Application: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /** @description Name of the application. */
            name: string;
            /** @description Environment of the object. One of test, live. New values may be added. */
            environment: string;
            /** @description Origins of your pages that may use the widget. */
            allowed_origins: string[];
            /** @description Records that each hostname needs. Empty: records that point at the edge. */
            record_template: components["schemas"]["ApplicationRecord"][];
            /** @description Server to which the edge forwards requests, or null. */
            origin_url: string | null;
            /** @description Name on the edge's pages. */
            display_name: string | null;
            /** @description https URL of a logo on the edge's pages, or null. */
            logo_url: string | null;
            /** @description https or mailto URL of the support link on the edge's pages, or null. */
            support_url: string | null;
            /** @description What automatic setup does if other records are in the way. One of refuse, replace. New values may be added. */
            conflict_policy: string;
            /** @description Whether we only report drift, or write the records again. One of notify, repair. New values may be added. */
            drift_policy: string;
            /** @description What happens at an archive to the records that we wrote. One of remove_records, keep_records. New values may be added. */
            offboarding: string;
            /** @description Whether to keep or remove the mail records that we wrote when their connection is archived. One of keep, remove. New values may be added. */
            offboarding_email: string;
            /** @description Factor by which deadlines and waits of sandbox hostnames pass faster. Only for test applications. Null means 1. */
            sandbox_speed: number | null;
            /** @description Whether to connect www with an apex, and the apex with www. */
            companion: boolean;
            /** @description Whether to order the certificate before the DNS records point here, where a credential or a delegated name makes it possible. */
            before_dns: boolean;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
        };
        ApplicationRecord: {
            /** @description Name relative to the hostname, or `@`. */
            host: string;
            /** @description Record type. One of A, AAAA, CNAME, ALIAS, TXT, MX, CAA, NS, SRV. New values may be added. */
            type: string;
            /** @description Record value. It can contain variables such as {hostname}, {cname_target} and {var.name}, which each connection gives. */
            value: string;
            /** @description Time to live in seconds. */
            ttl: number;
            /** @description For MX and SRV only. */
            priority: number | null;
            /** @description Kind of hostname to which the record applies. Defaults to both. */
            when?: string;
            /** @description False: the record is shown and watched, but a connection is live without it. Defaults to false for a TXT that begins with `v=spf1`, else to true. */
            required?: boolean;
        };
        AuditEntry: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /**
             * Format: date-time
             * @description Time of the action.
             */
            created_at: string;
            /** @description Environment of the object. One of test, live. New values may be added. */
            environment: string;
            /** @description Who acted. */
            actor: {
                /** @description Whether an API key, an operator, or a person in the console acted. One of key, operator, session. New values may be added. */
                kind: string;
                /** @description Id of the API key. Null for an operator and for a console session. */
                key_id: string | null;
                /** @description Id of the console session. Null for a key and for an operator. */
                session_id: string | null;
            };
            /** @description What was done. New actions may be added. */
            action: string;
            /**
             * Format: uuid
             * @description Id of the object that was changed.
             */
            target_id: string;
            /** @description Names of the fields in the request. Values are not logged. */
            fields: string[];
            /** @description X-Request-Id of the request, or null. */
            request_id: string | null;
        };
        Batch: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            batch_id: string;
            /**
             * Format: uuid
             * @description Id of the application.
             */
            application_id: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Time when every connection of the batch had become live, failed or archived. */
            completed_at: string | null;
            /** @description Number of rows. */
            total: number;
            /** @description Number of rows with each result. */
            results: {
                /** @description Rows that created a connection. */
                created: number;
                /** @description Rows whose connection existed already. */
                existing: number;
                /** @description Rows whose hostname another connection holds. */
                conflict: number;
                /** @description Rows that cannot be connected. */
                invalid: number;
                /** @description Rows beyond the plan's limit. */
                quota_exceeded: number;
            };
            /** @description Number of connections in each state. */
            states: {
                [key: string]: number;
            };
            /** @description Rows that were refused or whose connection has failed, in the order of the request. */
            failures: {
                /** @description Objects of this page. */
                data: {
                    /** @description Position in the list that you sent, starting at 1. */
                    row: number;
                    /** @description Hostname of the customer. A wildcard begins with `*.`. */
                    hostname: string;
                    /** @description Your id for the customer, or null. */
                    external_id: string | null;
                    /** @description What became of the row. One of created, existing, conflict, invalid, quota_exceeded. New values may be added. */
                    result: string;
                    /** @description Connection of this row. For a conflict, your connection that already holds the hostname. */
                    connection_id: string | null;
                    /** @description Reason why the row was refused. */
                    problem: {
                        /** @description Stable code for programs. New codes may be added. */
                        code: string;
                        /** @description What is wrong with the row, in English. */
                        message: string;
                        /** @description Hostname that you probably meant. */
                        suggestion?: string;
                    } | null;
                    /** @description State of the connection. Null if there is none. */
                    state: string | null;
                    /** @description Why the connection failed, or null. */
                    error_code: string | null;
                }[];
                /** @description Null on the last page. */
                next_cursor: string | null;
            };
        };
        BatchCreated: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            batch_id: string;
            /**
             * Format: uuid
             * @description Id of the application.
             */
            application_id: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Time when every connection of the batch had become live, failed or archived. */
            completed_at: string | null;
            /** @description Number of rows. */
            total: number;
            /** @description Number of rows with each result. */
            results: {
                /** @description Rows that created a connection. */
                created: number;
                /** @description Rows whose connection existed already. */
                existing: number;
                /** @description Rows whose hostname another connection holds. */
                conflict: number;
                /** @description Rows that cannot be connected. */
                invalid: number;
                /** @description Rows beyond the plan's limit. */
                quota_exceeded: number;
            };
            /** @description Number of connections in each state. */
            states: {
                [key: string]: number;
            };
            /** @description Every row, in the order of the request. */
            rows: {
                /** @description Position in the list that you sent, starting at 1. */
                row: number;
                /** @description Hostname of the customer. A wildcard begins with `*.`. */
                hostname: string;
                /** @description Your id for the customer, or null. */
                external_id: string | null;
                /** @description What became of the row. One of created, existing, conflict, invalid, quota_exceeded. New values may be added. */
                result: string;
                /** @description Connection of this row. For a conflict, your connection that already holds the hostname. */
                connection_id: string | null;
                /** @description Reason why the row was refused. */
                problem: {
                    /** @description Stable code for programs. New codes may be added. */
                    code: string;
                    /** @description What is wrong with the row, in English. */
                    message: string;
                    /** @description Hostname that you probably meant. */
                    suggestion?: string;
                } | null;
                /** @description TXT record that proves ownership. Null if the row was refused. */
                ownership_challenge: {
                    /** @description Publish the record at exactly this name, not at the hostname. A wildcard is proved at its domain, without the star. */
                    name: string;
                    /**
                     * @description Record type, always TXT.
                     * @constant
                     */
                    type: "TXT";
                    /** @description Publish exactly this value, without quotes. */
                    value: string;
                } | null;
            }[];
        };
        Connection: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the application.
             */
            application_id: string;
            /** @description Environment of the object. One of test, live. New values may be added. */
            environment: string;
            /** @description Hostname of the customer. A wildcard begins with `*.`. */
            hostname: string;
            /** @description Whether the hostname is a registrable domain (`apex`). A wildcard is a `subdomain`. One of apex, subdomain. New values may be added. */
            kind: string;
            /** @description Who sets the DNS records: we (`automatic`) or the customer (`manual`). One of automatic, manual, semiautomatic, shared_login, async, api. New values may be added. */
            setup_type: string;
            /** @description State of the connection. One of created, pending_ownership, verifying, verified, dns_writing, propagating, stalled, issuing_cert, live, drifted, failed, archived. New values may be added. */
            state: string;
            /** @description DNS provider that serves the hostname, as a slug. Null until the first check. */
            provider: string | null;
            /** @description Display name of the DNS provider. Null if it is unknown. */
            provider_name: string | null;
            /** @description Batch that created the connection, or null. */
            batch_id: string | null;
            /** @description Your id for the customer, or null. */
            external_id: string | null;
            /** @description False: the connection wants records only. It has no origin and no certificate, and holds no claim to its hostname. It cannot be changed later. */
            serve: boolean;
            /** @description How ownership is proved: by the TXT record (`txt`), or by the hostname's CNAME to an approved target of yours (`cname_target`), which only the operator's import creates. One of txt, cname_target. New values may be added. */
            proof: string;
            /** @description What keeps the connection from being live. Null if nothing does. */
            error_code: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
        };
        ConnectionCounts: {
            /** @description Number of connections in all states, archived ones included. */
            total: number;
            /** @description Number of connections in each state. */
            by_state: {
                /** @description Connections in the state `created`. */
                created: number;
                /** @description Connections in the state `pending_ownership`. */
                pending_ownership: number;
                /** @description Connections in the state `verifying`. */
                verifying: number;
                /** @description Connections in the state `verified`. */
                verified: number;
                /** @description Connections in the state `dns_writing`. */
                dns_writing: number;
                /** @description Connections in the state `propagating`. */
                propagating: number;
                /** @description Connections in the state `stalled`. */
                stalled: number;
                /** @description Connections in the state `issuing_cert`. */
                issuing_cert: number;
                /** @description Connections in the state `live`. */
                live: number;
                /** @description Connections in the state `drifted`. */
                drifted: number;
                /** @description Connections in the state `failed`. */
                failed: number;
                /** @description Connections in the state `archived`. */
                archived: number;
            };
            /** @description Number of objects that need attention, by reason. */
            attention: {
                /** @description Connections whose records are missing for longer than usual. */
                stalled: number;
                /** @description Connections that were live and whose records have changed. */
                drifted: number;
                /** @description Connections whose certificate has expired, or could not be obtained or renewed. */
                failing_certificates: number;
                /** @description Archived connections whose hostname still pointed here at the last check. */
                dangling: number;
                /** @description Credentials that their DNS provider refuses. */
                refused_credentials: number;
                /** @description Webhook endpoints that the service has disabled. */
                disabled_endpoints: number;
            };
        };
        ConnectionCreated: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the application.
             */
            application_id: string;
            /** @description Environment of the object. One of test, live. New values may be added. */
            environment: string;
            /** @description Hostname of the customer. A wildcard begins with `*.`. */
            hostname: string;
            /** @description Whether the hostname is a registrable domain (`apex`). A wildcard is a `subdomain`. One of apex, subdomain. New values may be added. */
            kind: string;
            /** @description Who sets the DNS records: we (`automatic`) or the customer (`manual`). One of automatic, manual, semiautomatic, shared_login, async, api. New values may be added. */
            setup_type: string;
            /** @description State of the connection. One of created, pending_ownership, verifying, verified, dns_writing, propagating, stalled, issuing_cert, live, drifted, failed, archived. New values may be added. */
            state: string;
            /** @description DNS provider that serves the hostname, as a slug. Null until the first check. */
            provider: string | null;
            /** @description Display name of the DNS provider. Null if it is unknown. */
            provider_name: string | null;
            /** @description Batch that created the connection, or null. */
            batch_id: string | null;
            /** @description Your id for the customer, or null. */
            external_id: string | null;
            /** @description False: the connection wants records only. It has no origin and no certificate, and holds no claim to its hostname. It cannot be changed later. */
            serve: boolean;
            /** @description How ownership is proved: by the TXT record (`txt`), or by the hostname's CNAME to an approved target of yours (`cname_target`), which only the operator's import creates. One of txt, cname_target. New values may be added. */
            proof: string;
            /** @description What keeps the connection from being live. Null if nothing does. */
            error_code: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description TXT record that proves ownership of the hostname. */
            ownership_challenge: {
                /** @description Publish the record at exactly this name, not at the hostname. A wildcard is proved at its domain, without the star. */
                name: string;
                /**
                 * @description Record type, always TXT.
                 * @constant
                 */
                type: "TXT";
                /** @description Publish exactly this value, without quotes. */
                value: string;
            };
        };
        ConnectionDetail: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the application.
             */
            application_id: string;
            /** @description Environment of the object. One of test, live. New values may be added. */
            environment: string;
            /** @description Hostname of the customer. A wildcard begins with `*.`. */
            hostname: string;
            /** @description Whether the hostname is a registrable domain (`apex`). A wildcard is a `subdomain`. One of apex, subdomain. New values may be added. */
            kind: string;
            /** @description Who sets the DNS records: we (`automatic`) or the customer (`manual`). One of automatic, manual, semiautomatic, shared_login, async, api. New values may be added. */
            setup_type: string;
            /** @description State of the connection. One of created, pending_ownership, verifying, verified, dns_writing, propagating, stalled, issuing_cert, live, drifted, failed, archived. New values may be added. */
            state: string;
            /** @description DNS provider that serves the hostname, as a slug. Null until the first check. */
            provider: string | null;
            /** @description Display name of the DNS provider. Null if it is unknown. */
            provider_name: string | null;
            /** @description Batch that created the connection, or null. */
            batch_id: string | null;
            /** @description Your id for the customer, or null. */
            external_id: string | null;
            /** @description False: the connection wants records only. It has no origin and no certificate, and holds no claim to its hostname. It cannot be changed later. */
            serve: boolean;
            /** @description How ownership is proved: by the TXT record (`txt`), or by the hostname's CNAME to an approved target of yours (`cname_target`), which only the operator's import creates. One of txt, cname_target. New values may be added. */
            proof: string;
            /** @description What keeps the connection from being live. Null if nothing does. */
            error_code: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description TXT record that proves ownership of the hostname. */
            ownership_challenge: {
                /** @description Publish the record at exactly this name, not at the hostname. A wildcard is proved at its domain, without the star. */
                name: string;
                /**
                 * @description Record type, always TXT.
                 * @constant
                 */
                type: "TXT";
                /** @description Publish exactly this value, without quotes. */
                value: string;
            };
            /** @description Records that make the hostname live, without the challenge. */
            desired_records: {
                /** @description Fully qualified name without a trailing dot. */
                host: string;
                /** @description Name relative to the zone, or `@` at its apex. */
                relative_host: string;
                /** @description Record type. ALIAS acts like a CNAME at an apex. One of A, AAAA, CNAME, ALIAS, TXT, MX, CAA, NS, SRV. New values may be added. */
                type: string;
                /** @description Record value, without quotes. */
                value: string;
                /** @description Time to live in seconds. */
                ttl: number;
                /** @description Null unless the type is MX or SRV. */
                priority: number | null;
                /** @description Whether the connection waits for the record. One that is not required is shown and watched. */
                required: boolean;
            }[];
            /** @description Values for `{var.name}` in the application's record_template. */
            variables: {
                [key: string]: string;
            };
            /** @description What the last check found for each desired record. */
            observed_records: {
                /** @description Fully qualified name without a trailing dot. */
                host: string;
                /** @description Name relative to the zone, or `@` at its apex. */
                relative_host: string;
                /** @description Record type. ALIAS acts like a CNAME at an apex. One of A, AAAA, CNAME, ALIAS, TXT, MX, CAA, NS, SRV. New values may be added. */
                type: string;
                /** @description Record value, without quotes. */
                value: string;
                /** @description Time to live in seconds. */
                ttl: number;
                /** @description Null unless the type is MX or SRV. */
                priority: number | null;
                /** @description Whether name servers and resolvers return this value. An address of the edge that is not published is false, even where another address is enough. */
                propagated: boolean;
                /**
                 * Format: date-time
                 * @description Time of the check.
                 */
                observed_at: string;
            }[];
            /** @description Everything to add, in this order: the `records` of the finding `wildcard_covers_hostname`, the challenge, the delegation of certificate challenges and the desired records. Without `before_dns`, one visit to the DNS panel is enough. */
            records_to_add: components["schemas"]["RecordToAdd"][];
            /** @description Null if the provider is unknown. */
            provider_panel: {
                /** @description Name of the provider. */
                name: string;
                /** @description Page where the customer edits DNS, or null. */
                url: string | null;
                /** @description Steps in the order in which the customer takes them. */
                steps: {
                    /** @description Kind of step. One of sign_in, open, add, blank_host, proxy_off, save. New values may be added. */
                    code: string;
                    /** @description Values for the text of the step. */
                    params: {
                        [key: string]: string;
                    };
                }[];
            } | null;
            /** @description Changes that automatic setup would make. Null if no credential covers the hostname. */
            plan: {
                /** @description DNS provider, as in GET /providers. */
                provider: string;
                /** @description Records that we would add. */
                creates: components["schemas"]["Record"][];
                /** @description Wanted records that exist already. */
                keeps: components["schemas"]["Record"][];
                /** @description Other records at the same names, which stay. */
                untouched: {
                    /** @description Fully qualified name without a trailing dot. */
                    host: string;
                    /** @description Name relative to the zone, or `@` at its apex. */
                    relative_host: string;
                    /** @description Record type, of any kind. */
                    type: string;
                    /** @description Record value, without quotes. */
                    value: string;
                    /** @description Time to live in seconds. */
                    ttl: number;
                    /** @description Null unless the type is MX or SRV. */
                    priority: number | null;
                }[];
                /** @description Records that we cannot add, and why. */
                conflicts: {
                    /** @description Record that we want to write. */
                    wanted: components["schemas"]["Record"];
                    /** @description Published records that are in the way. */
                    found: {
                        /** @description Fully qualified name without a trailing dot. */
                        host: string;
                        /** @description Name relative to the zone, or `@` at its apex. */
                        relative_host: string;
                        /** @description Record type, of any kind. */
                        type: string;
                        /** @description Record value, without quotes. */
                        value: string;
                        /** @description Time to live in seconds. */
                        ttl: number;
                        /** @description Null unless the type is MX or SRV. */
                        priority: number | null;
                    }[];
                    /** @description Why both cannot exist, in English. */
                    reason: string;
                }[];
            } | null;
            /** @description Certificate that the edge serves. */
            certificate: {
                /** @description Status of the certificate. One of none, pending, issued, failed, expired. New values may be added. */
                status: string;
                /** @description Time at which the certificate expires. */
                not_after: string | null;
                /** @description Certificate authority that issued it. */
                ca: string | null;
                /** @description `edge`: the edge obtained it at the first visit. `ordered`: this service ordered it before (DNS-01). `uploaded`: the tenant uploaded it. Null if there is none. */
                source: string | null;
                /** @description Serial number, hexadecimal. */
                serial: string | null;
                /** @description Hostnames in the certificate. */
                names: string[];
                /** @description Whether another server obtained it, from which the operator imported it. Its successor is obtained at `renew_at`. */
                imported: boolean;
                /** @description Time from which it is renewed. Null for an uploaded one, which the tenant renews. */
                renew_at: string | null;
            };
            /** @description Whether the certificate is ordered before the DNS records point here. */
            before_dns: boolean;
            /** @description `hold`: the records that point here wait for a cutover. One of auto, hold. New values may be added. */
            point: string;
            /** @description Whether the hostname may be pointed here. Null without `before_dns`, and after it was live. */
            ready_to_point: boolean | null;
            /** @description Server to which the edge forwards requests, in place of the application's. */
            origin_url: string | null;
            /** @description Host header at the origin: the origin's own name, or the hostname that the visitor requested. One of origin, visitor. New values may be added. */
            host_header: string;
            /** @description Values that the origin gets as `X-Svc-Metadata`. At most 4 kB as JSON. */
            metadata: {
                [key: string]: string;
            } | null;
            /** @description URL to which every visitor is sent, or null. */
            redirect: {
                /** @description Absolute https URL without query and fragment. */
                to: string;
                /** @description Status of the response. One of 301, 302, 307, 308. New values may be added. */
                status: number;
                /** @description Whether path and query are appended. */
                keep_path: boolean;
            } | null;
            /** @description Headers of responses, unless the origin sends its own. */
            security_headers: {
                /** @description Seconds for which browsers use https only, sent once the connection was live for a day. */
                hsts_max_age: number;
            } | null;
            /** @description Shows a page with status 503 in place of the site. */
            maintenance: {
                /** @description Your text on the page. */
                message: string;
            } | null;
            /** @description Connection of the matching apex or www. The companion redirects visitors to the main one. */
            companion: {
                /**
                 * Format: uuid
                 * @description Id of the other connection.
                 */
                connection_id: string;
                /** @description Hostname of the other connection. */
                hostname: string;
                /** @description State of the connection. One of created, pending_ownership, verifying, verified, dns_writing, propagating, stalled, issuing_cert, live, drifted, failed, archived. New values may be added. */
                state: string;
                /** @description Role of the other connection. One of companion, main. New values may be added. */
                role: string;
            } | null;
            /** @description Domain Connect offer. Null if the DNS provider has none, or if no records are needed. */
            domain_connect: {
                /** @description The provider's id in Domain Connect. */
                provider_id: string;
                /** @description Name of the provider. */
                provider_name: string;
                /** @description Page where the customer consents. Signed for this reader and valid for one hour. */
                apply_url: string;
            } | null;
            /** @description Removal of the records that we wrote, after an archive. One of none, pending, done, failed. New values may be added. */
            cleanup: string;
            /** @description Time of the last check. */
            last_checked_at: string | null;
            /** @description Time of the next check, or null if none is planned. */
            next_check_at: string | null;
            /** @description Problems that the last check found. */
            findings: components["schemas"]["Finding"][];
            /** @description One entry for each mailbox provider. Present only with `include=email_setup`. */
            email_setup?: components["schemas"]["EmailSetup"][];
            /** @description The last 50 changes, newest first. */
            timeline: {
                /**
                 * Format: date-time
                 * @description Time of the entry.
                 */
                at: string;
                /** @description Kind of entry: move, reason, share_opened, edge_cut_off, … */
                kind: string;
                /** @description Null if the state did not change. */
                from: string | null;
                /** @description State after the entry. Null if it did not change. */
                to: string | null;
                /** @description Why, in English, or null. */
                reason: string | null;
            }[];
        };
        ConnectionSeries: {
            /** @description Every day, oldest first. */
            days: {
                /**
                 * Format: date
                 * @description Day by UTC.
                 */
                day: string;
                /** @description Connections that were created on this day. */
                created: number;
                /** @description Connections that became live for the first time on this day. */
                live: number;
                /** @description Connections that were archived on this day. */
                archived: number;
            }[];
            /** @description Time from create to first live, as a histogram of the connections that became live on these days. */
            seconds_to_live: {
                /** @description Upper bound of this step in seconds, included. Null: longer than all others. */
                up_to: number | null;
                /** @description Connections that took this long, and longer than the step before. */
                count: number;
            }[];
        };
        ConsoleSession: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /** @description Who created the session. */
            made_by: {
                /** @description Whether an API key, an operator, or a sign-in by OpenID Connect created the session. One of key, operator, openid_connect. New values may be added. */
                kind: string;
                /** @description Id of the API key, with which the session ends. Null if no key created it. */
                key_id: string | null;
            };
            /** @description What the person may do. */
            scopes: string[];
            /** @description Environment of the session. A `test` session reaches only test objects. One of test, live. New values may be added. */
            environment: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Time at which the link was used. Null while it was not. */
            signed_in_at: string | null;
            /** @description Time of the last request, to the minute. Null before the first. */
            last_seen_at: string | null;
            /**
             * Format: date-time
             * @description Time at which the session ends by itself.
             */
            expires_at: string;
        };
        ConsoleSessionCreated: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /** @description Link into the console. It works once. */
            url: string;
            /**
             * Format: date-time
             * @description Time at which the link stops working: after 2 minutes.
             */
            link_expires_at: string;
            /**
             * Format: date-time
             * @description Time at which the session ends by itself.
             */
            expires_at: string;
        };
        Credential: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the application.
             */
            application_id: string;
            /** @description Environment of the object. One of test, live. New values may be added. */
            environment: string;
            /** @description DNS provider, as in GET /providers. */
            provider: string;
            /** @description Name of the credential in lists, or null. */
            label: string | null;
            /** @description End of the secret, by which people recognize the credential. */
            hint: string;
            /** @description Zones that the credential can write. */
            zones: string[];
            /** @description Result of the last test at the provider. One of ok, invalid, unverified. New values may be added. */
            status: string;
            /** @description Why the provider refused it, or null. */
            reason: string | null;
            /** @description Time of the last successful test. */
            last_verified_at: string | null;
            /** @description Expiry of the secret, if it is known. */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
        };
        Cutover: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the connection.
             */
            connection_id: string;
            /** @description State of the cutover. `planned` is a dry run. One of planned, waiting_for_ttl, probing, moving, observing, done, reverted, cancelled, failed. New values may be added. */
            state: string;
            /** @description The change of the zone. Nothing else is changed. */
            plan: {
                /** @description DNS provider, as in GET /providers. */
                provider: string;
                /** @description Zone in which the records are replaced. */
                zone: string;
                /** @description Records that are replaced, with their TTL. */
                removes: {
                    /** @description Fully qualified name without a trailing dot. */
                    host: string;
                    /** @description Name relative to the zone, or `@` at its apex. */
                    relative_host: string;
                    /** @description Record type, of any kind. */
                    type: string;
                    /** @description Record value, without quotes. */
                    value: string;
                    /** @description Time to live in seconds. */
                    ttl: number;
                    /** @description Null unless the type is MX or SRV. */
                    priority: number | null;
                }[];
                /** @description Records that are added. */
                adds: components["schemas"]["Record"][];
            };
            /** @description Request that shows whether the site works. */
            probe: {
                /**
                 * @description Path and query to request, printable ASCII.
                 * @default /
                 */
                path: string;
                /**
                 * @description Status that the site must answer with. Null: any from 200 to 399.
                 * @default null
                 */
                expect_status: number | null;
                /**
                 * @description Text that the response must contain, within its first megabyte. Null: any response.
                 * @default null
                 */
                expect_text: string | null;
            };
            /** @description Seconds for which the site is probed after the move. */
            observe_for: number;
            /** @description TTL of the old records before the move, if it is lowered. */
            lower_ttl: number | null;
            /** @description The newest probes, oldest first, at most 20. */
            probes: {
                /**
                 * Format: date-time
                 * @description Time of the probe.
                 */
                at: string;
                /** @description Who was asked: the edge itself before the move, or the address that resolvers return after it. One of edge, dns. New values may be added. */
                via: string;
                /** @description Address that was dialled, if one was. */
                address: string | null;
                /** @description HTTP status of the response, if there was one. */
                status: number | null;
                /** @description `unknown` is no verdict about the site, for example while resolvers still have the old record. One of ok, failed, unknown. New values may be added. */
                verdict: string;
                /** @description Reason for a verdict other than `ok`. */
                message: string | null;
            }[];
            /** @description Reason for an end other than `done`. */
            reason: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Time at which the records were replaced. */
            moved_at: string | null;
            /** @description Time at which the cutover ended. */
            ended_at: string | null;
        };
        Delivery: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the webhook endpoint.
             */
            endpoint_id: string;
            /**
             * Format: uuid
             * @description Id of the event.
             */
            event_id: string;
            /** @description Event type. New types may be added. */
            event_type: string;
            /** @description Status of the delivery. One of pending, delivered, failed. New values may be added. */
            status: string;
            /** @description Set if it failed permanently. */
            reason: string | null;
            /** @description Number of attempts so far. */
            attempt_count: number;
            /** @description Time of the next attempt, or null. */
            next_attempt_at: string | null;
            /** @description Time of the last attempt, or null. */
            last_attempt_at: string | null;
            /** @description Time at which your receiver accepted it, or null. */
            delivered_at: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
        };
        DeliveryAttempt: {
            /** @description Number of the attempt, starting at 1. */
            number: number;
            /**
             * Format: date-time
             * @description Time of the attempt.
             */
            at: string;
            /** @description URL that we called. */
            url: string;
            /** @description Result of the attempt. One of delivered, http_3xx, http_4xx, http_5xx, timeout, dns_error, blocked_address, connection_refused, connection_failed, tls_error. New values may be added. */
            outcome: string;
            /** @description HTTP status of the answer. Null without an answer. */
            status_code: number | null;
            /** @description Why there was no answer, or null. */
            error: string | null;
            /** @description First 8 kB of the response body. */
            response: string | null;
            /** @description Duration in milliseconds. */
            duration_ms: number;
        };
        DeliveryDetail: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the webhook endpoint.
             */
            endpoint_id: string;
            /**
             * Format: uuid
             * @description Id of the event.
             */
            event_id: string;
            /** @description Event type. New types may be added. */
            event_type: string;
            /** @description Status of the delivery. One of pending, delivered, failed. New values may be added. */
            status: string;
            /** @description Set if it failed permanently. */
            reason: string | null;
            /** @description Number of attempts so far. */
            attempt_count: number;
            /** @description Time of the next attempt, or null. */
            next_attempt_at: string | null;
            /** @description Time of the last attempt, or null. */
            last_attempt_at: string | null;
            /** @description Time at which your receiver accepted it, or null. */
            delivered_at: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description The last hundred attempts, newest first. */
            attempts: components["schemas"]["DeliveryAttempt"][];
        };
        DnsPlan: {
            /** @description DNS provider, as in GET /providers. */
            provider: string;
            /** @description Zone in which the records are written. */
            zone: string;
            /** @description Records that we would add. */
            creates: components["schemas"]["Record"][];
            /** @description Wanted records that exist already. */
            keeps: components["schemas"]["Record"][];
            /** @description Records that we cannot add, and why. */
            conflicts: {
                /** @description Record that we want to write. */
                wanted: components["schemas"]["Record"];
                /** @description Published records that are in the way. */
                found: {
                    /** @description Fully qualified name without a trailing dot. */
                    host: string;
                    /** @description Name relative to the zone, or `@` at its apex. */
                    relative_host: string;
                    /** @description Record type, of any kind. */
                    type: string;
                    /** @description Record value, without quotes. */
                    value: string;
                    /** @description Time to live in seconds. */
                    ttl: number;
                    /** @description Null unless the type is MX or SRV. */
                    priority: number | null;
                }[];
                /** @description Why both cannot exist, in English. */
                reason: string;
            }[];
            /** @description Records of others that we would replace. */
            removals: {
                /** @description Fully qualified name without a trailing dot. */
                host: string;
                /** @description Name relative to the zone, or `@` at its apex. */
                relative_host: string;
                /** @description Record type, of any kind. */
                type: string;
                /** @description Record value, without quotes. */
                value: string;
                /** @description Time to live in seconds. */
                ttl: number;
                /** @description Null unless the type is MX or SRV. */
                priority: number | null;
            }[];
            /** @description Replaced records that we would put back. */
            restores: components["schemas"]["Record"][];
        };
        DomainCheck: {
            /** @description Hostname of the customer. A wildcard begins with `*.`. */
            domain: string;
            /** @description False only if the registry reports that the domain does not exist. */
            registered: boolean;
            /** @description DNS provider, as a slug; `unknown` if no provider was recognized. */
            provider: string;
            /** @description Equal to `provider`. */
            provider_slug: string;
            /** @description Display name of the DNS provider. Null if it is unknown. */
            provider_name: string | null;
            /** @description How the domain can be connected. One of automatic, manual, semiautomatic, shared_login, async, api. New values may be added. */
            setup_type: string;
            /** @description Whether the provider can point an apex at a name. */
            apex_flattening: boolean;
            /** @description First name server of the domain, in sorted order. */
            nameserver: string | null;
            /** @description Whether the name is a registrable domain. */
            apex: boolean;
            /** @description Whether we can write the records. */
            auto_configurable: boolean;
            /** @description Whether connecting www is better, because the provider cannot point an apex at a name. */
            www_redirect_recommended: boolean;
            /** @description What the provider supports. */
            capabilities: {
                /** @description Whether an apex can point at a name. */
                cname_flattening: boolean;
                /** @description Whether wildcard records are possible. */
                wildcard: boolean;
                /** @description Whether CAA records are possible. */
                caa: boolean;
                /** @description Whether a name can have several TXT records. */
                multi_txt: boolean;
                /** @description Whether a subdomain can be delegated. */
                ns_delegation: boolean;
            };
            /** @description Published records that are in the way. */
            record_conflicts: components["schemas"]["Record"][];
            /** @description Domain Connect at the provider. */
            domain_connect: {
                /** @description Whether the provider offers Domain Connect. */
                supported: boolean;
                /** @description Whether the provider knows our template. */
                template_supported: boolean;
                /** @description The provider's id in Domain Connect. */
                provider_id: string | null;
                /** @description Whether the customer must consent at the DNS provider, because no credential covers the domain. */
                consent_needed: boolean;
            };
            /** @description The www of an apex, which can be connected too. Null if there is none or the token is bound. */
            companion: {
                /** @description Hostname of the companion. */
                hostname: string;
                /** @description The application's default for `companion`. */
                selected: boolean;
            } | null;
            /** @description Result of DNSSEC validation. One of secure, insecure, bogus, unknown. New values may be added. */
            dnssec: string;
            /** @description Mail records of the domain. */
            existing_mail: {
                /** @description MX records, each with its priority. */
                mx: string[];
                /** @description SPF record, or null. */
                spf: string | null;
                /** @description DMARC record, or null. */
                dmarc: string | null;
            };
            /** @description Problems that would delay the connection. */
            findings: components["schemas"]["Finding"][];
            /** @description Our instructions for the provider, or null. */
            instructions_url: string | null;
            /** @description Page where the customer edits DNS, or null. */
            control_panel_url: string | null;
        };
        EdgeSecret: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /**
             * Format: date-time
             * @description Time from which edges sign with the secret.
             */
            active_from: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
        };
        EdgeSecretCreated: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /**
             * Format: date-time
             * @description Time from which edges sign with the secret.
             */
            active_from: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Returned only once, not in a replay. */
            secret?: string;
        };
        EmailApplied: {
            /** @description Whether this call has written at least one record. */
            applied: boolean;
            /** @description Domain that gets mailboxes. */
            domain: string;
            /** @description Mailbox provider. */
            provider: string;
            /** @description Records that this call has written. */
            written_records: components["schemas"]["Record"][];
            /** @description Records to add manually, always with the SPF record. Without a credential, every record. */
            manual_records: components["schemas"]["Record"][];
            /** @description Records of this setup that were already published. */
            existing_records: components["schemas"]["Record"][];
            /** @description Steps and advice for people, in English. */
            notes: string[];
            /** @description DNS lookups that a receiver needs for the SPF record. `unread` policies are not counted. */
            spf_lookups: {
                /** @description Number of lookups. */
                count: number;
                /**
                 * @description Largest number that receivers accept (RFC 7208).
                 * @constant
                 */
                limit: 10;
                /** @description Policies that could not be read. */
                unread: string[];
                /** @description Whether we counted through every include. */
                followed: boolean;
            };
        };
        EmailRecords: {
            /** @description Mailbox provider. */
            provider: string;
            /** @description Domain that gets mailboxes. */
            domain: string;
            /** @description Records that the provider needs. */
            records: components["schemas"]["Record"][];
            /** @description Steps and advice for people, in English. */
            notes: string[];
            /** @description DNS lookups that a receiver needs for the SPF record. `unread` policies are not counted. */
            spf_lookups: {
                /** @description Number of lookups. */
                count: number;
                /**
                 * @description Largest number that receivers accept (RFC 7208).
                 * @constant
                 */
                limit: 10;
                /** @description Policies that could not be read. */
                unread: string[];
                /** @description Whether we counted through every include. */
                followed: boolean;
            };
        };
        EmailSetup: {
            /** @description Mailbox provider. */
            provider: string;
            /** @description Display name of the mailbox provider. */
            provider_name: string;
            /** @description Domain whose mail the records configure. */
            domain: string;
            /** @description Records that are not published yet. */
            records: {
                /** @description Fully qualified name without a trailing dot. */
                host: string;
                /** @description Name relative to the zone, or `@` at its apex. */
                relative_host: string;
                /** @description Record type. ALIAS acts like a CNAME at an apex. One of A, AAAA, CNAME, ALIAS, TXT, MX, CAA, NS, SRV. New values may be added. */
                type: string;
                /** @description Record value, without quotes. */
                value: string;
                /** @description Time to live in seconds. */
                ttl: number;
                /** @description Null unless the type is MX or SRV. */
                priority: number | null;
                /** @description Whether the record replaces published ones. One of add, replace. New values may be added. */
                action: string;
                /** @description Published records that must be removed or changed. */
                replaces: {
                    /** @description Fully qualified name without a trailing dot. */
                    host: string;
                    /** @description Name relative to the zone, or `@` at its apex. */
                    relative_host: string;
                    /** @description Record type. ALIAS acts like a CNAME at an apex. One of A, AAAA, CNAME, ALIAS, TXT, MX, CAA, NS, SRV. New values may be added. */
                    type: string;
                    /** @description Record value, without quotes. */
                    value: string;
                    /** @description Null unless the type is MX or SRV. */
                    priority: number | null;
                }[];
            }[];
            /** @description Records of this setup that are already published. */
            existing: components["schemas"]["Record"][];
            /** @description Advice for the owner of the domain. */
            notes: {
                /** @description Identifies the sentence, for translations. */
                code: string;
                /** @description Values in the sentence. */
                params: {
                    [key: string]: string;
                };
                /** @description The sentence in English. */
                message: string;
            }[];
            /** @description Time of the observation. Null if there is none yet. */
            observed_at: string | null;
        };
        Error: {
            /** @description What went wrong. */
            error: {
                /** @description Stable code for programs. New codes may be added. */
                code: string;
                /** @description Explanation for people: what happened and what to do. */
                message: string;
                /** @description More data, depending on the code, or null. */
                details: unknown;
            };
            /**
             * Format: uri
             * @description Page to upgrade the plan. Only with QuotaExceeded.
             */
            upgrade_url?: string;
        };
        Event: {
            /**
             * Format: uuid
             * @description Id of the event, the same on every attempt and replay.
             */
            id: string;
            /** @description Event type. New types may be added. */
            type: string;
            /**
             * Format: date-time
             * @description Time when the event happened.
             */
            timestamp: string;
            /**
             * @description Version of the API that shaped the event.
             * @constant
             */
            api_version: "v1";
            /** @description Environment of the object. One of test, live. New values may be added. */
            environment: string;
            /**
             * Format: uuid
             * @description Id of the application.
             */
            application_id: string;
            /** @description Increases by one with each event of a connection. Null if the event concerns no connection. */
            sequence: number | null;
            /** @description Data that depends on the type. */
            data: {
                [key: string]: unknown;
            };
        };
        EventDetail: {
            /**
             * Format: uuid
             * @description Id of the event, the same on every attempt and replay.
             */
            id: string;
            /** @description Event type. New types may be added. */
            type: string;
            /**
             * Format: date-time
             * @description Time when the event happened.
             */
            timestamp: string;
            /**
             * @description Version of the API that shaped the event.
             * @constant
             */
            api_version: "v1";
            /** @description Environment of the object. One of test, live. New values may be added. */
            environment: string;
            /**
             * Format: uuid
             * @description Id of the application.
             */
            application_id: string;
            /** @description Increases by one with each event of a connection. Null if the event concerns no connection. */
            sequence: number | null;
            /** @description Data that depends on the type. */
            data: {
                [key: string]: unknown;
            };
            /** @description Deliveries of the event. */
            deliveries: components["schemas"]["Delivery"][];
        };
        Finding: {
            /** @description Kind of problem. One of wrong_value, missing, extra_values, doubled_host, challenge_at_bare_host, challenge_is_cname, quoted_value, proxied, flattened_ok, stale_aaaa, cname_conflict, caa_blocked, dnssec_bogus, ns_inconsistent, cached_until, nameserver_changed, nameserver_unreachable, hostname_conflict, wildcard_covers_hostname, credential_invalid, credential_missing_zone, credential_expiring, record_conflict, dns_write_failed, cert_failed, ca_rate_limited, edge_unreachable, domain_connect_refused, mail_record_changed, provider_paused, drifted_long, acme_challenge_taken, wildcard_needs_dns, cutover_reverted, dangling, domain_expiring, registered_anew, domain_gone. New values may be added. */
            code: string;
            /** @description An error keeps the connection from being live. One of info, warning, error. New values may be added. */
            severity: string;
            /** @description What is wrong, in English. */
            message: string;
            /** @description What to do, in English. Null if nothing is to be done. */
            fix: string | null;
            /** @description Record that the finding is about. */
            record?: components["schemas"]["Record"];
            /** @description With `wildcard_covers_hostname`, records to add before all others, in this order. With `dangling`, records to delete. */
            records?: components["schemas"]["Record"][];
            /** @description Values in the message, so that you can translate it by its code. Null if there are none. */
            params: {
                [key: string]: string;
            } | null;
        };
        ListedBatch: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            batch_id: string;
            /**
             * Format: uuid
             * @description Id of the application.
             */
            application_id: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Time when every connection of the batch had become live, failed or archived. */
            completed_at: string | null;
            /** @description Number of rows. */
            total: number;
            /** @description Environment of the object. One of test, live. New values may be added. */
            environment: string;
            /** @description Rows whose connection is still on its way. */
            unsettled: number;
        };
        ListedSandboxRecord: {
            /** @description Fully qualified name below .test. */
            host: string;
            /** @description Record type. One of A, AAAA, CNAME, ALIAS, TXT, MX, CAA, NS, SRV. New values may be added. */
            type: string;
            /** @description Record value, without quotes. */
            value: string;
            /** @description Time to live in seconds. */
            ttl: number;
            /** @description Null unless the type is MX or SRV. */
            priority: number | null;
            /**
             * Format: date-time
             * @description Time from which DNS answers with the record.
             */
            visible_at: string;
        };
        Plan: {
            /** @description Plan, as in GET /plans. */
            id: string;
            /** @description Name of the plan. */
            name: string;
            /** @description Price in the currency's smallest unit. Null if the plan has no public price. */
            price: {
                /** @description Amount in the currency's smallest unit. */
                amount: number;
                /** @description Currency code of three small letters. */
                currency: string;
                /** @description `month` or `year`. */
                interval: string;
            } | null;
            /** @description Limits of the plan. */
            limits: {
                /** @description New connections in a month. Null: no limit. */
                connects_per_period: number | null;
            };
            /** @description Features for your price page. */
            features: string[];
        };
        Provider: {
            /** @description DNS provider, as in GET /providers. */
            slug: string;
            /** @description Name of the provider. */
            name: string;
            /** @description Kind of provider: `token` and `cloud` for the first nineteen, `additional` for the others. One of token, cloud, additional. New values may be added. */
            category: string;
            /** @description How hostnames at the provider can be connected. */
            readonly setup_types: string[];
            /** @description What a credential needs. */
            auth: {
                /** @description Fields of the credential. */
                readonly fields: {
                    /** @description Name of the field in `credentials`. */
                    name: string;
                    /** @description Label for a form. */
                    label: string;
                    /** @description Whether the value is secret. */
                    secret: boolean;
                    /** @description Whether the field is required. */
                    required: boolean;
                    /** @description Where to find the value. */
                    help: string;
                }[];
            };
            /** @description What the provider supports. */
            capabilities: {
                /** @description Whether an apex can point at a name. */
                cname_flattening: boolean;
                /** @description Whether wildcard records are possible. */
                wildcard: boolean;
                /** @description Whether CAA records are possible. */
                caa: boolean;
                /** @description Whether a name can have several TXT records. */
                multi_txt: boolean;
                /** @description Whether a subdomain can be delegated. */
                ns_delegation: boolean;
            } & {
                [key: string]: unknown;
            };
            /** @description Name servers by which we recognize the provider. */
            readonly nameserver_patterns: string[];
            /** @description Whether the provider offers Domain Connect. */
            domain_connect: boolean;
            /** @description Page where customers edit DNS, or null. */
            control_panel_url: string | null;
            /** @description Known limitations, in English. */
            readonly limitations: string[];
        };
        Record: {
            /** @description Fully qualified name without a trailing dot. */
            host: string;
            /** @description Name relative to the zone, or `@` at its apex. */
            relative_host: string;
            /** @description Record type. ALIAS acts like a CNAME at an apex. One of A, AAAA, CNAME, ALIAS, TXT, MX, CAA, NS, SRV. New values may be added. */
            type: string;
            /** @description Record value, without quotes. */
            value: string;
            /** @description Time to live in seconds. */
            ttl: number;
            /** @description Null unless the type is MX or SRV. */
            priority: number | null;
        };
        RecordToAdd: {
            /** @description Fully qualified name without a trailing dot. */
            host: string;
            /** @description Name relative to the zone, or `@` at its apex. */
            relative_host: string;
            /** @description Record type. ALIAS acts like a CNAME at an apex. One of A, AAAA, CNAME, ALIAS, TXT, MX, CAA, NS, SRV. New values may be added. */
            type: string;
            /** @description Record value, without quotes. */
            value: string;
            /** @description Time to live in seconds. */
            ttl: number;
            /** @description Null unless the type is MX or SRV. */
            priority: number | null;
            /** @description Host for the provider's form. It can be empty. */
            panel_host: string;
            /** @description Record type as the provider's form names it. */
            panel_type: string;
            /** @description Value for the provider's form. */
            panel_value: string;
            /** @description Result of the last check of the record. `later`: add it when the certificate is there. `ready`: it is there, so the record may replace the old one. `optional`: another address of the edge is published, so this one is not required. One of later, ready, unchecked, pending, missing, wrong, conflict, spreading, optional, found. New values may be added. */
            status: string;
            /** @description Whether the connection waits for the record. One that is not required is shown and watched. */
            required: boolean;
        };
        SandboxRecord: {
            /** @description Fully qualified name below .test. */
            host: string;
            /** @description Record type. One of A, AAAA, CNAME, ALIAS, TXT, MX, CAA, NS, SRV. New values may be added. */
            type: string;
            /** @description Record value, without quotes. */
            value: string;
            /** @description Time to live in seconds. */
            ttl: number;
            /** @description Null unless the type is MX or SRV. */
            priority: number | null;
        };
        SecretRotated: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the application.
             */
            application_id: string;
            /** @description Environment of the object. One of test, live. New values may be added. */
            environment: string;
            /** @description URL of your receiver. */
            url: string;
            /** @description Event types that we send. */
            events: string[];
            /** @description Whether we send events. */
            active: boolean;
            /** @description Why the service disabled the endpoint: it answered 410 (`gone`), or failed for five days (`failing`). PATCH active: true to resume. */
            disabled_reason: string | null;
            /** @description Time at which the service disabled the endpoint, or null. */
            disabled_at: string | null;
            /** @description Time since which every attempt has failed. */
            failing_since: string | null;
            /** @description Time until which attempts are paused after repeated failures. */
            paused_until: string | null;
            /** @description During a rotation, time from which the new secret signs. */
            next_secret_activates_at: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description The new secret. Returned only once. */
            signing_secret: string;
            /**
             * Format: date-time
             * @description Time from which it signs. Accept both secrets until then.
             */
            activates_at: string;
        };
        Subscription: {
            /** @description Id of the subscription at the billing provider. Null without a subscription. */
            id: string | null;
            /** @description Plan, as in GET /plans. */
            plan: string;
            /** @description Status at the billing provider, or `active`. */
            status: string;
            /** @description Start of the paid period, or null. */
            current_period_start: string | null;
            /** @description End of the paid period, or null. */
            current_period_end: string | null;
            /** @description Whether the subscription ends with the period. */
            cancel_at_period_end: boolean;
        };
        SubscriptionChosen: {
            /** @description Id of the subscription at the billing provider. Null without a subscription. */
            id: string | null;
            /** @description Plan, as in GET /plans. */
            plan: string;
            /** @description Status at the billing provider, or `active`. */
            status: string;
            /** @description Start of the paid period, or null. */
            current_period_start: string | null;
            /** @description End of the paid period, or null. */
            current_period_end: string | null;
            /** @description Whether the subscription ends with the period. */
            cancel_at_period_end: boolean;
            /** @description Checkout page for the first payment. Null if an existing subscription was changed. */
            checkout_url: string | null;
        };
        TemplateRecord: {
            /** @description Name relative to the hostname, or `@`. */
            host: string;
            /**
             * @description Record type.
             * @enum {string}
             */
            type: "A" | "AAAA" | "CNAME" | "ALIAS" | "TXT" | "MX" | "CAA" | "NS" | "SRV";
            /** @description Record value. It can contain variables such as {hostname}, {cname_target} and {var.name}, which each connection gives. */
            value: string;
            /** @description Time to live in seconds. */
            ttl?: number;
            /** @description For MX and SRV only. */
            priority?: number | null;
            /**
             * @description Kind of hostname to which the record applies. Defaults to both.
             * @enum {string}
             */
            when?: "apex" | "subdomain";
            /** @description False: the record is shown and watched, but a connection is live without it. Defaults to false for a TXT that begins with `v=spf1`, else to true. */
            required?: boolean;
            /** @description Ignored, so that you can send a record of an answer back. */
            relative_host?: string;
        };
        Usage: {
            /**
             * Format: date-time
             * @description Start of the period.
             */
            period_start: string;
            /**
             * Format: date-time
             * @description End of the period (exclusive).
             */
            period_end: string;
            /** @description Plan, as in GET /plans. */
            plan: string;
            /** @description One entry for each kind. */
            data: {
                /** @description What is counted. One of connect, active_domain, cert, api_call. New values may be added. */
                kind: string;
                /** @description Quantity that is billed. */
                quantity: number;
                /** @description For `connect`, the number that counts against the limit of the plan. It includes real hostnames in the test environment, which are not billed. Null for other kinds. */
                counted: number | null;
                /** @description Limit of the whole tenant, or null. */
                limit: number | null;
            }[];
        };
        WebhookEndpoint: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the application.
             */
            application_id: string;
            /** @description Environment of the object. One of test, live. New values may be added. */
            environment: string;
            /** @description URL of your receiver. */
            url: string;
            /** @description Event types that we send. */
            events: string[];
            /** @description Whether we send events. */
            active: boolean;
            /** @description Why the service disabled the endpoint: it answered 410 (`gone`), or failed for five days (`failing`). PATCH active: true to resume. */
            disabled_reason: string | null;
            /** @description Time at which the service disabled the endpoint, or null. */
            disabled_at: string | null;
            /** @description Time since which every attempt has failed. */
            failing_since: string | null;
            /** @description Time until which attempts are paused after repeated failures. */
            paused_until: string | null;
            /** @description During a rotation, time from which the new secret signs. */
            next_secret_activates_at: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
        };
        WebhookEndpointWithSecret: {
            /**
             * Format: uuid
             * @description Unique id.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the application.
             */
            application_id: string;
            /** @description Environment of the object. One of test, live. New values may be added. */
            environment: string;
            /** @description URL of your receiver. */
            url: string;
            /** @description Event types that we send. */
            events: string[];
            /** @description Whether we send events. */
            active: boolean;
            /** @description Why the service disabled the endpoint: it answered 410 (`gone`), or failed for five days (`failing`). PATCH active: true to resume. */
            disabled_reason: string | null;
            /** @description Time at which the service disabled the endpoint, or null. */
            disabled_at: string | null;
            /** @description Time since which every attempt has failed. */
            failing_since: string | null;
            /** @description Time until which attempts are paused after repeated failures. */
            paused_until: string | null;
            /** @description During a rotation, time from which the new secret signs. */
            next_secret_activates_at: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            created_at: string;
            /** @description Returned only once, not in a replay. */
            signing_secret?: string;
        };
        WidgetToken: {
            /** @description Token for the browser. */
            auth_token: string;
            /**
             * Format: date-time
             * @description Time at which the token expires.
             */
            expires_at: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Id of this request. Quote it when you contact support. */
        "X-Request-Id": string;
        /** @description Rate limit that applies: its name, and the number of requests (q) in a window of seconds (w). */
        "RateLimit-Policy": string;
        /** @description Requests left in that limit (r), and seconds until it is fully restored (t). */
        RateLimit: string;
        /** @description Seconds to wait before you retry. */
        "Retry-After": number;
        /** @description `true` if this repeats the answer to the first request with the same key. */
        "Idempotent-Replayed": string;
        /** @description Version of the answer. Send it back in If-None-Match. */
        ETag: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_connections: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size, from 1 to 100. Usually 20 by default. */
                limit?: number;
                /** @description Only connections in this state. */
                state?: "created" | "pending_ownership" | "verifying" | "verified" | "dns_writing" | "propagating" | "stalled" | "issuing_cert" | "live" | "drifted" | "failed" | "archived";
                /** @description Defaults to the key's own environment, or to that of the given `application_id` or `batch_id`. A test key sees `test` only. */
                environment?: "test" | "live" | "all";
                /** @description Exact hostname, in any spelling. */
                hostname?: string;
                /** @description Only connections whose hostname begins with this text. */
                hostname_prefix?: string;
                /** @description Only connections at this DNS provider, as in GET /providers. */
                provider?: string;
                /** @description Only connections for which the last check has saved a finding with this code. */
                finding?: "wrong_value" | "missing" | "extra_values" | "doubled_host" | "challenge_at_bare_host" | "challenge_is_cname" | "quoted_value" | "proxied" | "flattened_ok" | "stale_aaaa" | "cname_conflict" | "caa_blocked" | "dnssec_bogus" | "ns_inconsistent" | "cached_until" | "nameserver_changed" | "nameserver_unreachable" | "hostname_conflict" | "wildcard_covers_hostname" | "credential_invalid" | "credential_missing_zone" | "record_conflict" | "dns_write_failed" | "cert_failed" | "ca_rate_limited" | "edge_unreachable" | "mail_record_changed" | "acme_challenge_taken" | "wildcard_needs_dns" | "cutover_reverted" | "dangling";
                /** @description Only connections that need attention for this reason, as counted by GET /connections:counts. */
                attention?: "stalled" | "drifted" | "failing_certificates" | "dangling";
                /** @description Only connections of this application. */
                application_id?: string;
                /** @description Only connections with this external id. */
                external_id?: string;
                /** @description Only connections that this batch created. */
                batch_id?: string;
                /** @description Only archived connections whose hostname still pointed here at the last check. */
                dangling?: "true";
            };
            header?: {
                /** @description ETag of the answer that you have. You get a 304 if the answer has not changed. */
                "If-None-Match"?: string;
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List connections, newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *           "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *           "environment": "test",
                     *           "hostname": "shop.brand.test",
                     *           "kind": "subdomain",
                     *           "setup_type": "manual",
                     *           "state": "propagating",
                     *           "provider": "cloudflare",
                     *           "provider_name": "Cloudflare",
                     *           "batch_id": null,
                     *           "external_id": "customer-1234",
                     *           "serve": true,
                     *           "proof": "txt",
                     *           "error_code": null,
                     *           "created_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description Objects of this page. */
                        data: components["schemas"]["Connection"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description The answer has not changed since that ETag. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_connections: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. For 24 hours, the same key and body return the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                 *       "hostname": "shop.brand.test",
                 *       "external_id": "customer-1234",
                 *       "companion": false,
                 *       "before_dns": false,
                 *       "point": "auto",
                 *       "serve": true,
                 *       "variables": {},
                 *       "origin_url": "https://shop-7.example.com",
                 *       "host_header": "origin",
                 *       "metadata": {
                 *         "plan": "gold"
                 *       },
                 *       "redirect": null,
                 *       "security_headers": null,
                 *       "maintenance": null
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description Id of the application.
                     */
                    application_id: string;
                    /** @description Hostname of the customer, in any spelling. It can be a wildcard, such as `*.brand.test`. */
                    hostname: string;
                    /** @description Your id for the customer. Only API keys can set it. A widget token carries its own. */
                    external_id?: string | null;
                    /** @description Whether to connect www with an apex, or the apex with www. Defaults to the application's setting. */
                    companion?: boolean;
                    /** @description Whether to order the certificate before the DNS records point here. It needs a credential for the zone, or the operator's delegation zone. Defaults to the application's setting. */
                    before_dns?: boolean;
                    /**
                     * @description When the records that point here are written: as soon as the certificate is there (`auto`), or by a cutover (`hold`). With `before_dns` and a credential only.
                     * @enum {string}
                     */
                    point?: "auto" | "hold";
                    /** @description False: the connection wants records only. It has no origin and no certificate, and holds no claim to its hostname. It cannot be changed later. */
                    serve?: boolean;
                    /** @description Values for `{var.name}` in the application's record_template, such as `{"selector": "s1"}`. Each one that the template uses, and no other. */
                    variables?: {
                        [key: string]: string;
                    };
                    /** @description Server to which the edge forwards requests, in place of the application's. */
                    origin_url?: string | null;
                    /** @description Host header at the origin: the origin's own name, or the hostname that the visitor requested. */
                    host_header?: ("origin" | "visitor") | null;
                    /** @description Values that the origin gets as `X-Svc-Metadata`. At most 4 kB as JSON. */
                    metadata?: {
                        [key: string]: string;
                    } | null;
                    /** @description Redirects every visitor. It needs no origin, and excludes `origin_url`. */
                    redirect?: {
                        /** @description Absolute https URL without query and fragment. */
                        to: string;
                        /**
                         * @description Defaults to 308.
                         * @enum {integer}
                         */
                        status?: 301 | 302 | 307 | 308;
                        /** @description Whether path and query are appended. */
                        keep_path?: boolean;
                    } | null;
                    /** @description Headers of responses, unless the origin sends its own. */
                    security_headers?: {
                        /** @description Seconds for which browsers use https only, sent once the connection was live for a day. */
                        hsts_max_age: number;
                    } | null;
                    /** @description Shows a page with status 503 in place of the site. */
                    maintenance?: {
                        /** @description Your text on the page. */
                        message: string;
                    } | null;
                };
            };
        };
        responses: {
            /** @description Connect a domain, or resume a connection that waits for its ownership proof */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "environment": "test",
                     *       "hostname": "shop.brand.test",
                     *       "kind": "subdomain",
                     *       "setup_type": "manual",
                     *       "state": "pending_ownership",
                     *       "provider": null,
                     *       "provider_name": "Cloudflare",
                     *       "batch_id": null,
                     *       "external_id": "customer-1234",
                     *       "serve": true,
                     *       "proof": "txt",
                     *       "error_code": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "ownership_challenge": {
                     *         "name": "_service-challenge.shop.brand.test",
                     *         "type": "TXT",
                     *         "value": "zX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectionCreated"];
                };
            };
            /** @description Connect a domain, or resume a connection that waits for its ownership proof */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "environment": "test",
                     *       "hostname": "shop.brand.test",
                     *       "kind": "subdomain",
                     *       "setup_type": "manual",
                     *       "state": "pending_ownership",
                     *       "provider": null,
                     *       "provider_name": "Cloudflare",
                     *       "batch_id": null,
                     *       "external_id": "customer-1234",
                     *       "serve": true,
                     *       "proof": "txt",
                     *       "error_code": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "ownership_challenge": {
                     *         "name": "_service-challenge.shop.brand.test",
                     *         "type": "TXT",
                     *         "value": "zX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectionCreated"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description QuotaExceeded */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description HostnameConflict, idempotency_in_progress */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description idempotency_key_reused */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_connections_by_id: {
        parameters: {
            query?: {
                /** @description Adds `email_setup`: the mail records that each mailbox provider needs, from the last observation. */
                include?: "email_setup";
            };
            header?: {
                /** @description ETag of the answer that you have. You get a 304 if the answer has not changed. */
                "If-None-Match"?: string;
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a connection with its records, certificate, findings and timeline */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "environment": "test",
                     *       "hostname": "shop.brand.test",
                     *       "kind": "subdomain",
                     *       "setup_type": "manual",
                     *       "state": "propagating",
                     *       "provider": "cloudflare",
                     *       "provider_name": "Cloudflare",
                     *       "batch_id": null,
                     *       "external_id": "customer-1234",
                     *       "serve": true,
                     *       "proof": "txt",
                     *       "error_code": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "ownership_challenge": {
                     *         "name": "_service-challenge.shop.brand.test",
                     *         "type": "TXT",
                     *         "value": "zX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0"
                     *       },
                     *       "desired_records": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "required": true
                     *         }
                     *       ],
                     *       "variables": {
                     *         "selector": "s1"
                     *       },
                     *       "observed_records": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "propagated": false,
                     *           "observed_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "records_to_add": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "panel_host": "shop",
                     *           "panel_type": "CNAME",
                     *           "panel_value": "edge.example.net",
                     *           "status": "wrong",
                     *           "required": true
                     *         }
                     *       ],
                     *       "provider_panel": {
                     *         "name": "Cloudflare",
                     *         "url": "https://dash.cloudflare.com",
                     *         "steps": [
                     *           {
                     *             "code": "open",
                     *             "params": {
                     *               "path": "DNS › Records › Add record"
                     *             }
                     *           }
                     *         ]
                     *       },
                     *       "plan": {
                     *         "provider": "cloudflare",
                     *         "creates": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "keeps": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "untouched": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "conflicts": [
                     *           {
                     *             "wanted": {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null
                     *             },
                     *             "found": [
                     *               {
                     *                 "host": "shop.brand.test",
                     *                 "relative_host": "shop",
                     *                 "type": "CNAME",
                     *                 "value": "edge.example.net",
                     *                 "ttl": 300,
                     *                 "priority": null
                     *               }
                     *             ],
                     *             "reason": "Another CNAME record already exists at this name."
                     *           }
                     *         ]
                     *       },
                     *       "certificate": {
                     *         "status": "pending",
                     *         "not_after": "2026-06-30T12:00:00.000Z",
                     *         "ca": "Let's Encrypt",
                     *         "source": "edge",
                     *         "serial": "03F1A2",
                     *         "names": [
                     *           "shop.brand.test"
                     *         ],
                     *         "imported": false,
                     *         "renew_at": "2026-05-30T12:00:00.000Z"
                     *       },
                     *       "before_dns": true,
                     *       "point": "auto",
                     *       "ready_to_point": null,
                     *       "origin_url": null,
                     *       "host_header": "origin",
                     *       "metadata": null,
                     *       "redirect": null,
                     *       "security_headers": null,
                     *       "maintenance": null,
                     *       "companion": {
                     *         "connection_id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *         "hostname": "www.brand.test",
                     *         "state": "propagating",
                     *         "role": "companion"
                     *       },
                     *       "domain_connect": {
                     *         "provider_id": "cloudflare.com",
                     *         "provider_name": "Cloudflare",
                     *         "apply_url": "https://dash.cloudflare.com/domainconnect/v2/domainTemplates/providers/…"
                     *       },
                     *       "cleanup": "none",
                     *       "last_checked_at": "2026-04-01T12:00:00.000Z",
                     *       "next_check_at": "2026-04-01T12:00:00.000Z",
                     *       "findings": [
                     *         {
                     *           "code": "wrong_value",
                     *           "severity": "error",
                     *           "message": "CNAME shop.brand.test points to old-host.example.net.",
                     *           "fix": "Change its value to edge.example.net.",
                     *           "record": {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           },
                     *           "records": [
                     *             {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null
                     *             }
                     *           ],
                     *           "params": {
                     *             "host": "shop.brand.test",
                     *             "found": "old-host.example.net",
                     *             "value": "edge.example.net"
                     *           }
                     *         }
                     *       ],
                     *       "email_setup": [
                     *         {
                     *           "provider": "google_workspace",
                     *           "provider_name": "Google Workspace",
                     *           "domain": "example.com",
                     *           "records": [
                     *             {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null,
                     *               "action": "add",
                     *               "replaces": [
                     *                 {
                     *                   "host": "shop.brand.test",
                     *                   "relative_host": "shop",
                     *                   "type": "CNAME",
                     *                   "value": "edge.example.net",
                     *                   "priority": null
                     *                 }
                     *               ]
                     *             }
                     *           ],
                     *           "existing": [
                     *             {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null
                     *             }
                     *           ],
                     *           "notes": [
                     *             {
                     *               "code": "spf_merge",
                     *               "params": {
                     *                 "domain": "example.com",
                     *                 "provider": "Google Workspace"
                     *               },
                     *               "message": "example.com already has an SPF record. Replace its value with the one in the list."
                     *             }
                     *           ],
                     *           "observed_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "timeline": [
                     *         {
                     *           "at": "2026-04-01T12:00:00.000Z",
                     *           "kind": "move",
                     *           "from": "verified",
                     *           "to": "propagating",
                     *           "reason": "The records are not published yet."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectionDetail"];
                };
            };
            /** @description The answer has not changed since that ETag. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_connections_by_id: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Archive a connection. Releases its hostname and removes the records that we wrote. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "environment": "test",
                     *       "hostname": "shop.brand.test",
                     *       "kind": "subdomain",
                     *       "setup_type": "manual",
                     *       "state": "propagating",
                     *       "provider": "cloudflare",
                     *       "provider_name": "Cloudflare",
                     *       "batch_id": null,
                     *       "external_id": "customer-1234",
                     *       "serve": true,
                     *       "proof": "txt",
                     *       "error_code": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Connection"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patch_connections_by_id: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "origin_url": "https://shop-7.example.com",
                 *       "host_header": "origin",
                 *       "metadata": {
                 *         "plan": "gold"
                 *       },
                 *       "redirect": null,
                 *       "security_headers": null,
                 *       "maintenance": null,
                 *       "before_dns": false,
                 *       "point": "auto",
                 *       "variables": {}
                 *     }
                 */
                "application/json": {
                    /** @description Server to which the edge forwards requests, in place of the application's. */
                    origin_url?: string | null;
                    /** @description Host header at the origin: the origin's own name, or the hostname that the visitor requested. */
                    host_header?: ("origin" | "visitor") | null;
                    /** @description Values that the origin gets as `X-Svc-Metadata`. At most 4 kB as JSON. */
                    metadata?: {
                        [key: string]: string;
                    } | null;
                    /** @description Redirects every visitor. It needs no origin, and excludes `origin_url`. */
                    redirect?: {
                        /** @description Absolute https URL without query and fragment. */
                        to: string;
                        /**
                         * @description Defaults to 308.
                         * @enum {integer}
                         */
                        status?: 301 | 302 | 307 | 308;
                        /** @description Whether path and query are appended. */
                        keep_path?: boolean;
                    } | null;
                    /** @description Headers of responses, unless the origin sends its own. */
                    security_headers?: {
                        /** @description Seconds for which browsers use https only, sent once the connection was live for a day. */
                        hsts_max_age: number;
                    } | null;
                    /** @description Shows a page with status 503 in place of the site. */
                    maintenance?: {
                        /** @description Your text on the page. */
                        message: string;
                    } | null;
                    /** @description As in POST. Null returns to the application's setting. */
                    before_dns?: boolean | null;
                    /** @description As in POST. Null means `auto`. */
                    point?: ("auto" | "hold") | null;
                    /** @description All variables of the connection. The new records are written or shown, and ours of before are removed once the new ones are seen. */
                    variables?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Update a connection. Fields that you omit stay as they are, and null returns to the default. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "environment": "test",
                     *       "hostname": "shop.brand.test",
                     *       "kind": "subdomain",
                     *       "setup_type": "manual",
                     *       "state": "propagating",
                     *       "provider": "cloudflare",
                     *       "provider_name": "Cloudflare",
                     *       "batch_id": null,
                     *       "external_id": "customer-1234",
                     *       "serve": true,
                     *       "proof": "txt",
                     *       "error_code": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "ownership_challenge": {
                     *         "name": "_service-challenge.shop.brand.test",
                     *         "type": "TXT",
                     *         "value": "zX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0"
                     *       },
                     *       "desired_records": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "required": true
                     *         }
                     *       ],
                     *       "variables": {
                     *         "selector": "s1"
                     *       },
                     *       "observed_records": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "propagated": false,
                     *           "observed_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "records_to_add": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "panel_host": "shop",
                     *           "panel_type": "CNAME",
                     *           "panel_value": "edge.example.net",
                     *           "status": "wrong",
                     *           "required": true
                     *         }
                     *       ],
                     *       "provider_panel": {
                     *         "name": "Cloudflare",
                     *         "url": "https://dash.cloudflare.com",
                     *         "steps": [
                     *           {
                     *             "code": "open",
                     *             "params": {
                     *               "path": "DNS › Records › Add record"
                     *             }
                     *           }
                     *         ]
                     *       },
                     *       "plan": {
                     *         "provider": "cloudflare",
                     *         "creates": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "keeps": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "untouched": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "conflicts": [
                     *           {
                     *             "wanted": {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null
                     *             },
                     *             "found": [
                     *               {
                     *                 "host": "shop.brand.test",
                     *                 "relative_host": "shop",
                     *                 "type": "CNAME",
                     *                 "value": "edge.example.net",
                     *                 "ttl": 300,
                     *                 "priority": null
                     *               }
                     *             ],
                     *             "reason": "Another CNAME record already exists at this name."
                     *           }
                     *         ]
                     *       },
                     *       "certificate": {
                     *         "status": "pending",
                     *         "not_after": "2026-06-30T12:00:00.000Z",
                     *         "ca": "Let's Encrypt",
                     *         "source": "edge",
                     *         "serial": "03F1A2",
                     *         "names": [
                     *           "shop.brand.test"
                     *         ],
                     *         "imported": false,
                     *         "renew_at": "2026-05-30T12:00:00.000Z"
                     *       },
                     *       "before_dns": true,
                     *       "point": "auto",
                     *       "ready_to_point": null,
                     *       "origin_url": null,
                     *       "host_header": "origin",
                     *       "metadata": null,
                     *       "redirect": null,
                     *       "security_headers": null,
                     *       "maintenance": null,
                     *       "companion": {
                     *         "connection_id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *         "hostname": "www.brand.test",
                     *         "state": "propagating",
                     *         "role": "companion"
                     *       },
                     *       "domain_connect": {
                     *         "provider_id": "cloudflare.com",
                     *         "provider_name": "Cloudflare",
                     *         "apply_url": "https://dash.cloudflare.com/domainconnect/v2/domainTemplates/providers/…"
                     *       },
                     *       "cleanup": "none",
                     *       "last_checked_at": "2026-04-01T12:00:00.000Z",
                     *       "next_check_at": "2026-04-01T12:00:00.000Z",
                     *       "findings": [
                     *         {
                     *           "code": "wrong_value",
                     *           "severity": "error",
                     *           "message": "CNAME shop.brand.test points to old-host.example.net.",
                     *           "fix": "Change its value to edge.example.net.",
                     *           "record": {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           },
                     *           "records": [
                     *             {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null
                     *             }
                     *           ],
                     *           "params": {
                     *             "host": "shop.brand.test",
                     *             "found": "old-host.example.net",
                     *             "value": "edge.example.net"
                     *           }
                     *         }
                     *       ],
                     *       "email_setup": [
                     *         {
                     *           "provider": "google_workspace",
                     *           "provider_name": "Google Workspace",
                     *           "domain": "example.com",
                     *           "records": [
                     *             {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null,
                     *               "action": "add",
                     *               "replaces": [
                     *                 {
                     *                   "host": "shop.brand.test",
                     *                   "relative_host": "shop",
                     *                   "type": "CNAME",
                     *                   "value": "edge.example.net",
                     *                   "priority": null
                     *                 }
                     *               ]
                     *             }
                     *           ],
                     *           "existing": [
                     *             {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null
                     *             }
                     *           ],
                     *           "notes": [
                     *             {
                     *               "code": "spf_merge",
                     *               "params": {
                     *                 "domain": "example.com",
                     *                 "provider": "Google Workspace"
                     *               },
                     *               "message": "example.com already has an SPF record. Replace its value with the one in the list."
                     *             }
                     *           ],
                     *           "observed_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "timeline": [
                     *         {
                     *           "at": "2026-04-01T12:00:00.000Z",
                     *           "kind": "move",
                     *           "from": "verified",
                     *           "to": "propagating",
                     *           "reason": "The records are not published yet."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectionDetail"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_connections_counts: {
        parameters: {
            query?: {
                /** @description Only connections of this application. */
                application_id?: string;
                /** @description Defaults to the key's own environment, or to that of the given `application_id` or `batch_id`. A test key sees `test` only. */
                environment?: "test" | "live" | "all";
            };
            header?: {
                /** @description ETag of the answer that you have. You get a 304 if the answer has not changed. */
                "If-None-Match"?: string;
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Count connections by state and by what needs attention */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total": 1200,
                     *       "by_state": {
                     *         "created": 3,
                     *         "pending_ownership": 3,
                     *         "verifying": 3,
                     *         "verified": 3,
                     *         "dns_writing": 3,
                     *         "propagating": 3,
                     *         "stalled": 3,
                     *         "issuing_cert": 3,
                     *         "live": 3,
                     *         "drifted": 3,
                     *         "failed": 3,
                     *         "archived": 3
                     *       },
                     *       "attention": {
                     *         "stalled": 3,
                     *         "drifted": 3,
                     *         "failing_certificates": 3,
                     *         "dangling": 3,
                     *         "refused_credentials": 3,
                     *         "disabled_endpoints": 3
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectionCounts"];
                };
            };
            /** @description The answer has not changed since that ETag. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_connections_series: {
        parameters: {
            query?: {
                /** @description Only connections of this application. */
                application_id?: string;
                /** @description Defaults to the key's own environment, or to that of the given `application_id` or `batch_id`. A test key sees `test` only. */
                environment?: "test" | "live" | "all";
                /** @description Number of days, from 1 to 90. The last one is today. */
                days?: number;
            };
            header?: {
                /** @description ETag of the answer that you have. You get a 304 if the answer has not changed. */
                "If-None-Match"?: string;
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Count connections by day, and by their time from create to live */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "days": [
                     *         {
                     *           "day": "2026-01-31",
                     *           "created": 3,
                     *           "live": 3,
                     *           "archived": 3
                     *         }
                     *       ],
                     *       "seconds_to_live": [
                     *         {
                     *           "up_to": 60,
                     *           "count": 3
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectionSeries"];
                };
            };
            /** @description The answer has not changed since that ETag. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_connections_by_id_certificate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "certificate_chain": "-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n",
                 *       "private_key": "-----BEGIN PRIVATE KEY-----\nMIGH…\n-----END PRIVATE KEY-----\n"
                 *     }
                 */
                "application/json": {
                    /** @description The certificate and its intermediate certificates as PEM, the certificate first. */
                    certificate_chain: string;
                    /** @description Private key as PEM, without a passphrase. Leave it out if the certificate belongs to a signing request of ours. It is never returned or logged. */
                    private_key?: string;
                };
            };
        };
        responses: {
            /** @description Serve the tenant's own certificate for a hostname */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "pending",
                     *       "not_after": "2026-06-30T12:00:00.000Z",
                     *       "ca": "Let's Encrypt",
                     *       "source": "edge",
                     *       "serial": "03F1A2",
                     *       "names": [
                     *         "shop.brand.test"
                     *       ],
                     *       "imported": false,
                     *       "renew_at": "2026-05-30T12:00:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /** @description Status of the certificate. One of none, pending, issued, failed, expired. New values may be added. */
                        status: string;
                        /** @description Time at which the certificate expires. */
                        not_after: string | null;
                        /** @description Certificate authority that issued it. */
                        ca: string | null;
                        /** @description `edge`: the edge obtained it at the first visit. `ordered`: this service ordered it before (DNS-01). `uploaded`: the tenant uploaded it. Null if there is none. */
                        source: string | null;
                        /** @description Serial number, hexadecimal. */
                        serial: string | null;
                        /** @description Hostnames in the certificate. */
                        names: string[];
                        /** @description Whether another server obtained it, from which the operator imported it. Its successor is obtained at `renew_at`. */
                        imported: boolean;
                        /** @description Time from which it is renewed. Null for an uploaded one, which the tenant renews. */
                        renew_at: string | null;
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_connections_by_id_certificate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Stop serving the tenant's own certificate. 202: it serves until its successor, which is being ordered, is there. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "pending",
                     *       "not_after": "2026-06-30T12:00:00.000Z",
                     *       "ca": "Let's Encrypt",
                     *       "source": "edge",
                     *       "serial": "03F1A2",
                     *       "names": [
                     *         "shop.brand.test"
                     *       ],
                     *       "imported": false,
                     *       "renew_at": "2026-05-30T12:00:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /** @description Status of the certificate. One of none, pending, issued, failed, expired. New values may be added. */
                        status: string;
                        /** @description Time at which the certificate expires. */
                        not_after: string | null;
                        /** @description Certificate authority that issued it. */
                        ca: string | null;
                        /** @description `edge`: the edge obtained it at the first visit. `ordered`: this service ordered it before (DNS-01). `uploaded`: the tenant uploaded it. Null if there is none. */
                        source: string | null;
                        /** @description Serial number, hexadecimal. */
                        serial: string | null;
                        /** @description Hostnames in the certificate. */
                        names: string[];
                        /** @description Whether another server obtained it, from which the operator imported it. Its successor is obtained at `renew_at`. */
                        imported: boolean;
                        /** @description Time from which it is renewed. Null for an uploaded one, which the tenant renews. */
                        renew_at: string | null;
                    };
                };
            };
            /** @description Stop serving the tenant's own certificate. 202: it serves until its successor, which is being ordered, is there. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_connections_by_id_certificate_csr: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Create a private key that stays with us, and get a signing request for your certificate authority */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "csr": "-----BEGIN CERTIFICATE REQUEST-----\nMIIB…\n-----END CERTIFICATE REQUEST-----\n"
                     *     }
                     */
                    "application/json": {
                        /** @description Certificate signing request (PKCS #10) as PEM. Its private key stays with us for 30 days. */
                        csr: string;
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_connections_by_id_verify: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Check the ownership record now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "environment": "test",
                     *       "hostname": "shop.brand.test",
                     *       "kind": "subdomain",
                     *       "setup_type": "manual",
                     *       "state": "propagating",
                     *       "provider": "cloudflare",
                     *       "provider_name": "Cloudflare",
                     *       "batch_id": null,
                     *       "external_id": "customer-1234",
                     *       "serve": true,
                     *       "proof": "txt",
                     *       "error_code": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "ownership_challenge": {
                     *         "name": "_service-challenge.shop.brand.test",
                     *         "type": "TXT",
                     *         "value": "zX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0"
                     *       },
                     *       "desired_records": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "required": true
                     *         }
                     *       ],
                     *       "variables": {
                     *         "selector": "s1"
                     *       },
                     *       "observed_records": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "propagated": false,
                     *           "observed_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "records_to_add": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "panel_host": "shop",
                     *           "panel_type": "CNAME",
                     *           "panel_value": "edge.example.net",
                     *           "status": "wrong",
                     *           "required": true
                     *         }
                     *       ],
                     *       "provider_panel": {
                     *         "name": "Cloudflare",
                     *         "url": "https://dash.cloudflare.com",
                     *         "steps": [
                     *           {
                     *             "code": "open",
                     *             "params": {
                     *               "path": "DNS › Records › Add record"
                     *             }
                     *           }
                     *         ]
                     *       },
                     *       "plan": {
                     *         "provider": "cloudflare",
                     *         "creates": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "keeps": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "untouched": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "conflicts": [
                     *           {
                     *             "wanted": {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null
                     *             },
                     *             "found": [
                     *               {
                     *                 "host": "shop.brand.test",
                     *                 "relative_host": "shop",
                     *                 "type": "CNAME",
                     *                 "value": "edge.example.net",
                     *                 "ttl": 300,
                     *                 "priority": null
                     *               }
                     *             ],
                     *             "reason": "Another CNAME record already exists at this name."
                     *           }
                     *         ]
                     *       },
                     *       "certificate": {
                     *         "status": "pending",
                     *         "not_after": "2026-06-30T12:00:00.000Z",
                     *         "ca": "Let's Encrypt",
                     *         "source": "edge",
                     *         "serial": "03F1A2",
                     *         "names": [
                     *           "shop.brand.test"
                     *         ],
                     *         "imported": false,
                     *         "renew_at": "2026-05-30T12:00:00.000Z"
                     *       },
                     *       "before_dns": true,
                     *       "point": "auto",
                     *       "ready_to_point": null,
                     *       "origin_url": null,
                     *       "host_header": "origin",
                     *       "metadata": null,
                     *       "redirect": null,
                     *       "security_headers": null,
                     *       "maintenance": null,
                     *       "companion": {
                     *         "connection_id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *         "hostname": "www.brand.test",
                     *         "state": "propagating",
                     *         "role": "companion"
                     *       },
                     *       "domain_connect": {
                     *         "provider_id": "cloudflare.com",
                     *         "provider_name": "Cloudflare",
                     *         "apply_url": "https://dash.cloudflare.com/domainconnect/v2/domainTemplates/providers/…"
                     *       },
                     *       "cleanup": "none",
                     *       "last_checked_at": "2026-04-01T12:00:00.000Z",
                     *       "next_check_at": "2026-04-01T12:00:00.000Z",
                     *       "findings": [
                     *         {
                     *           "code": "wrong_value",
                     *           "severity": "error",
                     *           "message": "CNAME shop.brand.test points to old-host.example.net.",
                     *           "fix": "Change its value to edge.example.net.",
                     *           "record": {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           },
                     *           "records": [
                     *             {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null
                     *             }
                     *           ],
                     *           "params": {
                     *             "host": "shop.brand.test",
                     *             "found": "old-host.example.net",
                     *             "value": "edge.example.net"
                     *           }
                     *         }
                     *       ],
                     *       "email_setup": [
                     *         {
                     *           "provider": "google_workspace",
                     *           "provider_name": "Google Workspace",
                     *           "domain": "example.com",
                     *           "records": [
                     *             {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null,
                     *               "action": "add",
                     *               "replaces": [
                     *                 {
                     *                   "host": "shop.brand.test",
                     *                   "relative_host": "shop",
                     *                   "type": "CNAME",
                     *                   "value": "edge.example.net",
                     *                   "priority": null
                     *                 }
                     *               ]
                     *             }
                     *           ],
                     *           "existing": [
                     *             {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null
                     *             }
                     *           ],
                     *           "notes": [
                     *             {
                     *               "code": "spf_merge",
                     *               "params": {
                     *                 "domain": "example.com",
                     *                 "provider": "Google Workspace"
                     *               },
                     *               "message": "example.com already has an SPF record. Replace its value with the one in the list."
                     *             }
                     *           ],
                     *           "observed_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "timeline": [
                     *         {
                     *           "at": "2026-04-01T12:00:00.000Z",
                     *           "kind": "move",
                     *           "from": "verified",
                     *           "to": "propagating",
                     *           "reason": "The records are not published yet."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectionDetail"];
                };
            };
            /** @description Check the ownership record now */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "environment": "test",
                     *       "hostname": "shop.brand.test",
                     *       "kind": "subdomain",
                     *       "setup_type": "manual",
                     *       "state": "propagating",
                     *       "provider": "cloudflare",
                     *       "provider_name": "Cloudflare",
                     *       "batch_id": null,
                     *       "external_id": "customer-1234",
                     *       "serve": true,
                     *       "proof": "txt",
                     *       "error_code": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "ownership_challenge": {
                     *         "name": "_service-challenge.shop.brand.test",
                     *         "type": "TXT",
                     *         "value": "zX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0"
                     *       },
                     *       "desired_records": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "required": true
                     *         }
                     *       ],
                     *       "variables": {
                     *         "selector": "s1"
                     *       },
                     *       "observed_records": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "propagated": false,
                     *           "observed_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "records_to_add": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "panel_host": "shop",
                     *           "panel_type": "CNAME",
                     *           "panel_value": "edge.example.net",
                     *           "status": "wrong",
                     *           "required": true
                     *         }
                     *       ],
                     *       "provider_panel": {
                     *         "name": "Cloudflare",
                     *         "url": "https://dash.cloudflare.com",
                     *         "steps": [
                     *           {
                     *             "code": "open",
                     *             "params": {
                     *               "path": "DNS › Records › Add record"
                     *             }
                     *           }
                     *         ]
                     *       },
                     *       "plan": {
                     *         "provider": "cloudflare",
                     *         "creates": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "keeps": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "untouched": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "conflicts": [
                     *           {
                     *             "wanted": {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null
                     *             },
                     *             "found": [
                     *               {
                     *                 "host": "shop.brand.test",
                     *                 "relative_host": "shop",
                     *                 "type": "CNAME",
                     *                 "value": "edge.example.net",
                     *                 "ttl": 300,
                     *                 "priority": null
                     *               }
                     *             ],
                     *             "reason": "Another CNAME record already exists at this name."
                     *           }
                     *         ]
                     *       },
                     *       "certificate": {
                     *         "status": "pending",
                     *         "not_after": "2026-06-30T12:00:00.000Z",
                     *         "ca": "Let's Encrypt",
                     *         "source": "edge",
                     *         "serial": "03F1A2",
                     *         "names": [
                     *           "shop.brand.test"
                     *         ],
                     *         "imported": false,
                     *         "renew_at": "2026-05-30T12:00:00.000Z"
                     *       },
                     *       "before_dns": true,
                     *       "point": "auto",
                     *       "ready_to_point": null,
                     *       "origin_url": null,
                     *       "host_header": "origin",
                     *       "metadata": null,
                     *       "redirect": null,
                     *       "security_headers": null,
                     *       "maintenance": null,
                     *       "companion": {
                     *         "connection_id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *         "hostname": "www.brand.test",
                     *         "state": "propagating",
                     *         "role": "companion"
                     *       },
                     *       "domain_connect": {
                     *         "provider_id": "cloudflare.com",
                     *         "provider_name": "Cloudflare",
                     *         "apply_url": "https://dash.cloudflare.com/domainconnect/v2/domainTemplates/providers/…"
                     *       },
                     *       "cleanup": "none",
                     *       "last_checked_at": "2026-04-01T12:00:00.000Z",
                     *       "next_check_at": "2026-04-01T12:00:00.000Z",
                     *       "findings": [
                     *         {
                     *           "code": "wrong_value",
                     *           "severity": "error",
                     *           "message": "CNAME shop.brand.test points to old-host.example.net.",
                     *           "fix": "Change its value to edge.example.net.",
                     *           "record": {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           },
                     *           "records": [
                     *             {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null
                     *             }
                     *           ],
                     *           "params": {
                     *             "host": "shop.brand.test",
                     *             "found": "old-host.example.net",
                     *             "value": "edge.example.net"
                     *           }
                     *         }
                     *       ],
                     *       "email_setup": [
                     *         {
                     *           "provider": "google_workspace",
                     *           "provider_name": "Google Workspace",
                     *           "domain": "example.com",
                     *           "records": [
                     *             {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null,
                     *               "action": "add",
                     *               "replaces": [
                     *                 {
                     *                   "host": "shop.brand.test",
                     *                   "relative_host": "shop",
                     *                   "type": "CNAME",
                     *                   "value": "edge.example.net",
                     *                   "priority": null
                     *                 }
                     *               ]
                     *             }
                     *           ],
                     *           "existing": [
                     *             {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null
                     *             }
                     *           ],
                     *           "notes": [
                     *             {
                     *               "code": "spf_merge",
                     *               "params": {
                     *                 "domain": "example.com",
                     *                 "provider": "Google Workspace"
                     *               },
                     *               "message": "example.com already has an SPF record. Replace its value with the one in the list."
                     *             }
                     *           ],
                     *           "observed_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "timeline": [
                     *         {
                     *           "at": "2026-04-01T12:00:00.000Z",
                     *           "kind": "move",
                     *           "from": "verified",
                     *           "to": "propagating",
                     *           "reason": "The records are not published yet."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectionDetail"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description ownership_not_found, HostnameConflict, invalid_state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable, unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_connections_by_id_records_check: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Check all records of a connection now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "propagated": false,
                     *           "observed_value": "old-host.example.net",
                     *           "servers": [
                     *             {
                     *               "server": "ada.ns.cloudflare.com",
                     *               "kind": "authoritative",
                     *               "values": [
                     *                 "old-host.example.net"
                     *               ],
                     *               "cause": null
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Every desired record. */
                        records: {
                            /** @description Fully qualified name without a trailing dot. */
                            host: string;
                            /** @description Name relative to the zone, or `@` at its apex. */
                            relative_host: string;
                            /** @description Record type. ALIAS acts like a CNAME at an apex. One of A, AAAA, CNAME, ALIAS, TXT, MX, CAA, NS, SRV. New values may be added. */
                            type: string;
                            /** @description Record value, without quotes. */
                            value: string;
                            /** @description Time to live in seconds. */
                            ttl: number;
                            /** @description Null unless the type is MX or SRV. */
                            priority: number | null;
                            /** @description Whether name servers and resolvers return this value. An address of the edge that is not published is false, even where another address is enough. */
                            propagated: boolean;
                            /** @description Value that is published now, or null. */
                            observed_value: string | null;
                            /** @description Answers of every server that was asked. Public resolvers are asked last. */
                            servers: {
                                /** @description Name of an authoritative name server, or address of a public resolver. */
                                server: string;
                                /** @description Kind of server. One of authoritative, resolver. New values may be added. */
                                kind: string;
                                /** @description Values that the server returns, with their type where it is another one. Null without an answer. */
                                values: string[] | null;
                                /** @description Why the server gave no answer, or null. */
                                cause: string | null;
                            }[];
                        }[];
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_connections_by_id_dns_plan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Preview the changes that writing the records would make. Read-only. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "provider": "cloudflare",
                     *       "zone": "brand.test",
                     *       "creates": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null
                     *         }
                     *       ],
                     *       "keeps": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null
                     *         }
                     *       ],
                     *       "conflicts": [
                     *         {
                     *           "wanted": {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           },
                     *           "found": [
                     *             {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null
                     *             }
                     *           ],
                     *           "reason": "Another CNAME record already exists at this name."
                     *         }
                     *       ],
                     *       "removals": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null
                     *         }
                     *       ],
                     *       "restores": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DnsPlan"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description provider_error */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_connections_by_id_dns_revert: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "purpose": "connection"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Which of our records to remove: those of the connection (default) or those for email.
                     * @enum {string}
                     */
                    purpose?: "connection" | "email";
                };
            };
        };
        responses: {
            /** @description Remove all records that we wrote for a purpose, and restore the records that they replaced */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "reverted": true,
                     *       "values": 1
                     *     }
                     */
                    "application/json": {
                        /** @description Whether our records are removed. */
                        reverted: boolean;
                        /** @description Number of record values that were removed. */
                        values: number;
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description provider_error */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_connections_by_id_cutover: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the newest cutover of a connection */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "connection_id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "state": "observing",
                     *       "plan": {
                     *         "provider": "cloudflare",
                     *         "zone": "brand.test",
                     *         "removes": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "adds": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ]
                     *       },
                     *       "probe": {
                     *         "path": "/health",
                     *         "expect_status": 200,
                     *         "expect_text": "Welcome"
                     *       },
                     *       "observe_for": 600,
                     *       "lower_ttl": null,
                     *       "probes": [
                     *         {
                     *           "at": "2026-04-01T12:00:00.000Z",
                     *           "via": "dns",
                     *           "address": "203.0.113.7",
                     *           "status": 200,
                     *           "verdict": "ok",
                     *           "message": null
                     *         }
                     *       ],
                     *       "reason": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "moved_at": null,
                     *       "ended_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Cutover"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_connections_by_id_cutover: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "probe": {
                 *         "path": "/health",
                 *         "expect_status": 200,
                 *         "expect_text": "Welcome"
                 *       },
                 *       "observe_for": 600,
                 *       "lower_ttl": 60,
                 *       "dry_run": false
                 *     }
                 */
                "application/json": {
                    /** @description Request that shows whether the site works. */
                    probe?: {
                        /**
                         * @description Path and query to request, printable ASCII.
                         * @default /
                         */
                        path?: string;
                        /**
                         * @description Status that the site must answer with. Null: any from 200 to 399.
                         * @default null
                         */
                        expect_status?: number | null;
                        /**
                         * @description Text that the response must contain, within its first megabyte. Null: any response.
                         * @default null
                         */
                        expect_text?: string | null;
                    };
                    /**
                     * @description Seconds for which the site is probed after the move.
                     * @default 600
                     */
                    observe_for?: number;
                    /**
                     * @description Before the move, give the records that will be replaced this TTL in seconds, and wait until resolvers know it.
                     * @default null
                     */
                    lower_ttl?: number | null;
                    /**
                     * @description Only show the plan. Nothing is changed.
                     * @default false
                     */
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description Move a running site here: probe it, replace its records, observe it, and restore the records if it fails */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "connection_id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "state": "observing",
                     *       "plan": {
                     *         "provider": "cloudflare",
                     *         "zone": "brand.test",
                     *         "removes": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "adds": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ]
                     *       },
                     *       "probe": {
                     *         "path": "/health",
                     *         "expect_status": 200,
                     *         "expect_text": "Welcome"
                     *       },
                     *       "observe_for": 600,
                     *       "lower_ttl": null,
                     *       "probes": [
                     *         {
                     *           "at": "2026-04-01T12:00:00.000Z",
                     *           "via": "dns",
                     *           "address": "203.0.113.7",
                     *           "status": 200,
                     *           "verdict": "ok",
                     *           "message": null
                     *         }
                     *       ],
                     *       "reason": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "moved_at": null,
                     *       "ended_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Cutover"];
                };
            };
            /** @description Move a running site here: probe it, replace its records, observe it, and restore the records if it fails */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "connection_id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "state": "observing",
                     *       "plan": {
                     *         "provider": "cloudflare",
                     *         "zone": "brand.test",
                     *         "removes": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "adds": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ]
                     *       },
                     *       "probe": {
                     *         "path": "/health",
                     *         "expect_status": 200,
                     *         "expect_text": "Welcome"
                     *       },
                     *       "observe_for": 600,
                     *       "lower_ttl": null,
                     *       "probes": [
                     *         {
                     *           "at": "2026-04-01T12:00:00.000Z",
                     *           "via": "dns",
                     *           "address": "203.0.113.7",
                     *           "status": 200,
                     *           "verdict": "ok",
                     *           "message": null
                     *         }
                     *       ],
                     *       "reason": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "moved_at": null,
                     *       "ended_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Cutover"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description provider_error */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_connections_by_id_cutover: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancel a cutover in progress, and restore the records that it has replaced */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "connection_id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "state": "observing",
                     *       "plan": {
                     *         "provider": "cloudflare",
                     *         "zone": "brand.test",
                     *         "removes": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "adds": [
                     *           {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ]
                     *       },
                     *       "probe": {
                     *         "path": "/health",
                     *         "expect_status": 200,
                     *         "expect_text": "Welcome"
                     *       },
                     *       "observe_for": 600,
                     *       "lower_ttl": null,
                     *       "probes": [
                     *         {
                     *           "at": "2026-04-01T12:00:00.000Z",
                     *           "via": "dns",
                     *           "address": "203.0.113.7",
                     *           "status": 200,
                     *           "verdict": "ok",
                     *           "message": null
                     *         }
                     *       ],
                     *       "reason": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "moved_at": null,
                     *       "ended_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Cutover"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_email_records: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "domain": "brand.test",
                 *       "provider": "microsoft_365",
                 *       "dkim": [
                 *         "selector1-brand-test._domainkey.brand.onmicrosoft.com",
                 *         "selector2-brand-test._domainkey.brand.onmicrosoft.com"
                 *       ],
                 *       "spf": "v=spf1 include:_spf.example.com -all",
                 *       "live": true
                 *     }
                 */
                "application/json": {
                    /** @description Domain that gets mailboxes. */
                    domain: string;
                    /** @description Mailbox provider: google_workspace, microsoft_365, zoho, fastmail, proton. */
                    provider: string;
                    /** @description DKIM values in the order of the provider's console: targets, or one key. */
                    dkim?: string[];
                    /** @description Existing SPF record to merge with. */
                    spf?: string;
                    /** @description Whether to merge with the published records and count DNS lookups through every include. */
                    live?: boolean;
                };
            };
        };
        responses: {
            /** @description List the DNS records that a mailbox provider needs at a domain. Read-only. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "provider": "microsoft_365",
                     *       "domain": "brand.test",
                     *       "records": [
                     *         {
                     *           "host": "brand.test",
                     *           "relative_host": "@",
                     *           "type": "MX",
                     *           "value": "brand-test.mail.protection.outlook.com",
                     *           "ttl": 300,
                     *           "priority": 0
                     *         }
                     *       ],
                     *       "notes": [
                     *         "Add the SPF record manually if no other service sends email for your domain."
                     *       ],
                     *       "spf_lookups": {
                     *         "count": 1,
                     *         "limit": 10,
                     *         "unread": [],
                     *         "followed": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EmailRecords"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_connections_by_id_email_apply: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "provider": "microsoft_365",
                 *       "dkim": [
                 *         "selector1-brand-test._domainkey.brand.onmicrosoft.com",
                 *         "selector2-brand-test._domainkey.brand.onmicrosoft.com"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Mailbox provider: google_workspace, microsoft_365, zoho, fastmail, proton. */
                    provider: string;
                    /** @description DKIM values in the order of the provider's console: targets, or one key. */
                    dkim?: string[];
                };
            };
        };
        responses: {
            /** @description Add a mailbox provider's DNS records without touching existing ones. Returns the steps left to do manually. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "applied": true,
                     *       "domain": "brand.test",
                     *       "provider": "microsoft_365",
                     *       "written_records": [
                     *         {
                     *           "host": "brand.test",
                     *           "relative_host": "@",
                     *           "type": "MX",
                     *           "value": "brand-test.mail.protection.outlook.com",
                     *           "ttl": 300,
                     *           "priority": 0
                     *         }
                     *       ],
                     *       "manual_records": [
                     *         {
                     *           "host": "brand.test",
                     *           "relative_host": "@",
                     *           "type": "TXT",
                     *           "value": "v=spf1 include:spf.protection.outlook.com -all",
                     *           "ttl": 300,
                     *           "priority": null
                     *         }
                     *       ],
                     *       "existing_records": [],
                     *       "notes": [
                     *         "Add the SPF record manually if no other service sends email for your domain."
                     *       ],
                     *       "spf_lookups": {
                     *         "count": 1,
                     *         "limit": 10,
                     *         "unread": [],
                     *         "followed": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EmailApplied"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description provider_error */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_batches: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size, from 1 to 100. Usually 20 by default. */
                limit?: number;
                /** @description Only batches of this application. */
                application_id?: string;
                /** @description Defaults to the key's own environment, or to that of the given `application_id` or `batch_id`. A test key sees `test` only. */
                environment?: "test" | "live" | "all";
            };
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List batches, newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "batch_id": "0192f0c3-3333-7abc-8def-0123456789ab",
                     *           "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *           "created_at": "2026-04-01T12:00:00.000Z",
                     *           "completed_at": "2026-04-01T12:00:00.000Z",
                     *           "total": 1000,
                     *           "environment": "test",
                     *           "unsettled": 12
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description Objects of this page. */
                        data: components["schemas"]["ListedBatch"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_batches: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. For 24 hours, the same key and body return the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                 *       "hostnames": [
                 *         "shop.brand.test"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description Id of the application.
                     */
                    application_id: string;
                    /** @description Up to 1000 hostnames, or objects with a hostname, your id for the customer and the fields of a route as in POST /connections. */
                    hostnames: (string | {
                        /** @description Hostname of the customer, in any spelling. It can be a wildcard, such as `*.brand.test`. */
                        hostname: string;
                        /** @description Your id for the customer. */
                        external_id?: string | null;
                        /** @description False: the connection wants records only. It has no origin and no certificate, and holds no claim to its hostname. It cannot be changed later. */
                        serve?: boolean;
                        /** @description Values for `{var.name}` in the application's record_template, such as `{"selector": "s1"}`. Each one that the template uses, and no other. */
                        variables?: {
                            [key: string]: string;
                        };
                        /** @description Server to which the edge forwards requests, in place of the application's. */
                        origin_url?: string | null;
                        /** @description Host header at the origin: the origin's own name, or the hostname that the visitor requested. */
                        host_header?: ("origin" | "visitor") | null;
                        /** @description Values that the origin gets as `X-Svc-Metadata`. At most 4 kB as JSON. */
                        metadata?: {
                            [key: string]: string;
                        } | null;
                        /** @description Redirects every visitor. It needs no origin, and excludes `origin_url`. */
                        redirect?: {
                            /** @description Absolute https URL without query and fragment. */
                            to: string;
                            /**
                             * @description Defaults to 308.
                             * @enum {integer}
                             */
                            status?: 301 | 302 | 307 | 308;
                            /** @description Whether path and query are appended. */
                            keep_path?: boolean;
                        } | null;
                        /** @description Headers of responses, unless the origin sends its own. */
                        security_headers?: {
                            /** @description Seconds for which browsers use https only, sent once the connection was live for a day. */
                            hsts_max_age: number;
                        } | null;
                        /** @description Shows a page with status 503 in place of the site. */
                        maintenance?: {
                            /** @description Your text on the page. */
                            message: string;
                        } | null;
                    })[];
                };
            };
        };
        responses: {
            /** @description Connect up to a thousand domains. Returns a result for each. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "batch_id": "0192f0c3-3333-7abc-8def-0123456789ab",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "completed_at": "2026-04-01T12:00:00.000Z",
                     *       "total": 1000,
                     *       "results": {
                     *         "created": 1000,
                     *         "existing": 0,
                     *         "conflict": 0,
                     *         "invalid": 0,
                     *         "quota_exceeded": 0
                     *       },
                     *       "states": {
                     *         "propagating": 10,
                     *         "live": 988,
                     *         "failed": 2
                     *       },
                     *       "rows": [
                     *         {
                     *           "row": 1,
                     *           "hostname": "shop.brand.test",
                     *           "external_id": "customer-1234",
                     *           "result": "created",
                     *           "connection_id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *           "problem": null,
                     *           "ownership_challenge": {
                     *             "name": "_service-challenge.shop.brand.test",
                     *             "type": "TXT",
                     *             "value": "zX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BatchCreated"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description idempotency_in_progress */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description idempotency_key_reused */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_batches_by_id: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size, from 1 to 100. Usually 20 by default. */
                limit?: number;
            };
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve the progress of a batch, and its failed rows */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "batch_id": "0192f0c3-3333-7abc-8def-0123456789ab",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "completed_at": "2026-04-01T12:00:00.000Z",
                     *       "total": 1000,
                     *       "results": {
                     *         "created": 1000,
                     *         "existing": 0,
                     *         "conflict": 0,
                     *         "invalid": 0,
                     *         "quota_exceeded": 0
                     *       },
                     *       "states": {
                     *         "propagating": 10,
                     *         "live": 988,
                     *         "failed": 2
                     *       },
                     *       "failures": {
                     *         "data": [
                     *           {
                     *             "row": 1,
                     *             "hostname": "shop.brand.test",
                     *             "external_id": "customer-1234",
                     *             "result": "created",
                     *             "connection_id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *             "problem": null,
                     *             "state": "failed",
                     *             "error_code": "ownership_not_found"
                     *           }
                     *         ],
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Batch"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_connections_by_id_share: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. For 24 hours, the same key and body return the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "expires_in": 604800
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Lifetime of the link in seconds, from one hour to 30 days. Defaults to 7 days.
                     * @default 604800
                     */
                    expires_in?: number;
                };
            };
        };
        responses: {
            /** @description Create a link that shows the records to a colleague who manages the DNS */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "url": "https://api.example.net/share/kX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0",
                     *       "expires_at": "2026-04-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /**
                         * Format: uri
                         * @description Returned only once. Anyone who has the link sees the records of this connection, and nothing else.
                         */
                        url: string;
                        /**
                         * Format: date-time
                         * @description Time at which the link expires.
                         */
                        expires_at: string;
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_state, idempotency_in_progress */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description idempotency_key_reused */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_connections_by_id_share: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoke all shared links of a connection */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_domains_check: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "domain": "shop.brand.test",
                 *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab"
                 *     }
                 */
                "application/json": {
                    /** @description Hostname of the customer, in any spelling. It can be a wildcard, such as `*.brand.test`. */
                    domain: string;
                    /**
                     * Format: uuid
                     * @description Application whose credentials and record template apply. Defaults to all your applications.
                     */
                    application_id?: string;
                };
            };
        };
        responses: {
            /** @description Detect a domain's DNS provider and how it can be connected. Read-only. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domain": "shop.brand.test",
                     *       "registered": true,
                     *       "provider": "cloudflare",
                     *       "provider_slug": "cloudflare",
                     *       "provider_name": "Cloudflare",
                     *       "setup_type": "automatic",
                     *       "apex_flattening": true,
                     *       "nameserver": "ada.ns.cloudflare.com",
                     *       "apex": false,
                     *       "auto_configurable": true,
                     *       "www_redirect_recommended": false,
                     *       "capabilities": {
                     *         "cname_flattening": true,
                     *         "wildcard": true,
                     *         "caa": true,
                     *         "multi_txt": true,
                     *         "ns_delegation": true
                     *       },
                     *       "record_conflicts": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null
                     *         }
                     *       ],
                     *       "domain_connect": {
                     *         "supported": true,
                     *         "template_supported": true,
                     *         "provider_id": "cloudflare.com",
                     *         "consent_needed": true
                     *       },
                     *       "companion": null,
                     *       "dnssec": "insecure",
                     *       "existing_mail": {
                     *         "mx": [
                     *           "10 mail.example.com"
                     *         ],
                     *         "spf": "v=spf1 include:_spf.example.com -all",
                     *         "dmarc": "v=DMARC1; p=none"
                     *       },
                     *       "findings": [
                     *         {
                     *           "code": "wrong_value",
                     *           "severity": "error",
                     *           "message": "CNAME shop.brand.test points to old-host.example.net.",
                     *           "fix": "Change its value to edge.example.net.",
                     *           "record": {
                     *             "host": "shop.brand.test",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           },
                     *           "records": [
                     *             {
                     *               "host": "shop.brand.test",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null
                     *             }
                     *           ],
                     *           "params": {
                     *             "host": "shop.brand.test",
                     *             "found": "old-host.example.net",
                     *             "value": "edge.example.net"
                     *           }
                     *         }
                     *       ],
                     *       "instructions_url": "https://api.example.net/docs/providers/cloudflare",
                     *       "control_panel_url": "https://dash.cloudflare.com"
                     *     }
                     */
                    "application/json": components["schemas"]["DomainCheck"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_tokens: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                 *       "domain": "shop.brand.test",
                 *       "external_id": "customer-1234",
                 *       "metadata": {
                 *         "plan": "gold"
                 *       },
                 *       "before_dns": false,
                 *       "serve": true,
                 *       "variables": {
                 *         "selector": "s1"
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description Id of the application.
                     */
                    application_id: string;
                    /** @description Hostname to which the token is bound. */
                    domain?: string;
                    /** @description Your id for the customer. The token sees only connections with this id, and creates connections with it. Without it, the token sees only connections that have no external id. */
                    external_id?: string | null;
                    /** @description `metadata` of the connections that the token creates. The browser can read it in the token. */
                    metadata?: {
                        [key: string]: string;
                    } | null;
                    /** @description `before_dns` of the connections that the token creates. */
                    before_dns?: boolean;
                    /** @description `serve` of the connections that the token creates. */
                    serve?: boolean;
                    /** @description `variables` of the connections that the token creates. The browser can read them in the token. */
                    variables?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Create a widget token for one connect flow */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "auth_token": "eyJhbGciOiJIUzI1NiIs…",
                     *       "expires_at": "2026-04-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WidgetToken"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_applications: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size, from 1 to 100. Usually 20 by default. */
                limit?: number;
            };
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List applications */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *           "name": "Shop",
                     *           "environment": "test",
                     *           "allowed_origins": [
                     *             "https://app.example.com"
                     *           ],
                     *           "record_template": [
                     *             {
                     *               "host": "@",
                     *               "type": "CNAME",
                     *               "value": "{cname_target}",
                     *               "ttl": 300,
                     *               "priority": null,
                     *               "when": "subdomain",
                     *               "required": true
                     *             }
                     *           ],
                     *           "origin_url": "https://example.com",
                     *           "display_name": "Acme Shops",
                     *           "logo_url": "https://cdn.example.com/logo.svg",
                     *           "support_url": "https://example.com/help",
                     *           "conflict_policy": "refuse",
                     *           "drift_policy": "notify",
                     *           "offboarding": "remove_records",
                     *           "offboarding_email": "keep",
                     *           "sandbox_speed": 60,
                     *           "companion": true,
                     *           "before_dns": true,
                     *           "created_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description Objects of this page. */
                        data: components["schemas"]["Application"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_applications: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. For 24 hours, the same key and body return the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Shop",
                 *       "environment": "test",
                 *       "allowed_origins": [
                 *         "https://app.example.com"
                 *       ],
                 *       "record_template": [
                 *         {
                 *           "host": "@",
                 *           "type": "CNAME",
                 *           "value": "{cname_target}",
                 *           "ttl": 300,
                 *           "priority": null,
                 *           "when": "subdomain",
                 *           "required": true,
                 *           "relative_host": "shop"
                 *         }
                 *       ],
                 *       "origin_url": "https://example.com",
                 *       "display_name": "Acme Shops",
                 *       "logo_url": "https://cdn.example.com/logo.svg",
                 *       "support_url": "https://example.com/help",
                 *       "conflict_policy": "refuse",
                 *       "drift_policy": "notify",
                 *       "offboarding": "remove_records",
                 *       "offboarding_email": "keep",
                 *       "sandbox_speed": 60,
                 *       "companion": true,
                 *       "before_dns": true
                 *     }
                 */
                "application/json": {
                    /** @description Name of the application. */
                    name: string;
                    /**
                     * @description Defaults to the key's environment. It cannot be changed later.
                     * @enum {string}
                     */
                    environment?: "test" | "live";
                    /** @description Origins of your pages that may use the widget. */
                    allowed_origins?: string[];
                    /** @description Records that each hostname needs. Empty: records that point at the edge. */
                    record_template?: components["schemas"]["TemplateRecord"][];
                    /** @description Server to which the edge forwards requests, or null. */
                    origin_url?: string | null;
                    /** @description Name on the edge's pages. */
                    display_name?: string | null;
                    /** @description https URL of a logo on the edge's pages, or null. */
                    logo_url?: string | null;
                    /** @description https or mailto URL of the support link on the edge's pages, or null. */
                    support_url?: string | null;
                    /**
                     * @description What automatic setup does if other records are in the way.
                     * @enum {string}
                     */
                    conflict_policy?: "refuse" | "replace";
                    /**
                     * @description Whether we only report drift, or write the records again.
                     * @enum {string}
                     */
                    drift_policy?: "notify" | "repair";
                    /**
                     * @description What happens at an archive to the records that we wrote.
                     * @enum {string}
                     */
                    offboarding?: "remove_records" | "keep_records";
                    /**
                     * @description Whether to keep or remove the mail records that we wrote when their connection is archived.
                     * @enum {string}
                     */
                    offboarding_email?: "keep" | "remove";
                    /** @description Factor by which deadlines and waits of sandbox hostnames pass faster. Only for test applications. Null means 1. */
                    sandbox_speed?: number | null;
                    /** @description Whether to connect www with an apex, and the apex with www. */
                    companion?: boolean;
                    /** @description Whether to order the certificate before the DNS records point here, where a credential or a delegated name makes it possible. */
                    before_dns?: boolean;
                };
            };
        };
        responses: {
            /** @description Create an application */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "name": "Shop",
                     *       "environment": "test",
                     *       "allowed_origins": [
                     *         "https://app.example.com"
                     *       ],
                     *       "record_template": [
                     *         {
                     *           "host": "@",
                     *           "type": "CNAME",
                     *           "value": "{cname_target}",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "when": "subdomain",
                     *           "required": true
                     *         }
                     *       ],
                     *       "origin_url": "https://example.com",
                     *       "display_name": "Acme Shops",
                     *       "logo_url": "https://cdn.example.com/logo.svg",
                     *       "support_url": "https://example.com/help",
                     *       "conflict_policy": "refuse",
                     *       "drift_policy": "notify",
                     *       "offboarding": "remove_records",
                     *       "offboarding_email": "keep",
                     *       "sandbox_speed": 60,
                     *       "companion": true,
                     *       "before_dns": true,
                     *       "created_at": "2026-04-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Application"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description idempotency_in_progress */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description idempotency_key_reused */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_applications_by_id: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve an application */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "name": "Shop",
                     *       "environment": "test",
                     *       "allowed_origins": [
                     *         "https://app.example.com"
                     *       ],
                     *       "record_template": [
                     *         {
                     *           "host": "@",
                     *           "type": "CNAME",
                     *           "value": "{cname_target}",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "when": "subdomain",
                     *           "required": true
                     *         }
                     *       ],
                     *       "origin_url": "https://example.com",
                     *       "display_name": "Acme Shops",
                     *       "logo_url": "https://cdn.example.com/logo.svg",
                     *       "support_url": "https://example.com/help",
                     *       "conflict_policy": "refuse",
                     *       "drift_policy": "notify",
                     *       "offboarding": "remove_records",
                     *       "offboarding_email": "keep",
                     *       "sandbox_speed": 60,
                     *       "companion": true,
                     *       "before_dns": true,
                     *       "created_at": "2026-04-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Application"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patch_applications_by_id: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Shop",
                 *       "allowed_origins": [
                 *         "https://app.example.com"
                 *       ],
                 *       "record_template": [
                 *         {
                 *           "host": "@",
                 *           "type": "CNAME",
                 *           "value": "{cname_target}",
                 *           "ttl": 300,
                 *           "priority": null,
                 *           "when": "subdomain",
                 *           "required": true,
                 *           "relative_host": "shop"
                 *         }
                 *       ],
                 *       "origin_url": "https://example.com",
                 *       "display_name": "Acme Shops",
                 *       "logo_url": "https://cdn.example.com/logo.svg",
                 *       "support_url": "https://example.com/help",
                 *       "conflict_policy": "refuse",
                 *       "drift_policy": "notify",
                 *       "offboarding": "remove_records",
                 *       "offboarding_email": "keep",
                 *       "sandbox_speed": 60,
                 *       "companion": true,
                 *       "before_dns": true
                 *     }
                 */
                "application/json": {
                    /** @description Name of the application. */
                    name?: string;
                    /** @description Origins of your pages that may use the widget. */
                    allowed_origins?: string[];
                    /** @description Records that each hostname needs. Empty: records that point at the edge. */
                    record_template?: components["schemas"]["TemplateRecord"][];
                    /** @description Server to which the edge forwards requests, or null. */
                    origin_url?: string | null;
                    /** @description Name on the edge's pages. */
                    display_name?: string | null;
                    /** @description https URL of a logo on the edge's pages, or null. */
                    logo_url?: string | null;
                    /** @description https or mailto URL of the support link on the edge's pages, or null. */
                    support_url?: string | null;
                    /**
                     * @description What automatic setup does if other records are in the way.
                     * @enum {string}
                     */
                    conflict_policy?: "refuse" | "replace";
                    /**
                     * @description Whether we only report drift, or write the records again.
                     * @enum {string}
                     */
                    drift_policy?: "notify" | "repair";
                    /**
                     * @description What happens at an archive to the records that we wrote.
                     * @enum {string}
                     */
                    offboarding?: "remove_records" | "keep_records";
                    /**
                     * @description Whether to keep or remove the mail records that we wrote when their connection is archived.
                     * @enum {string}
                     */
                    offboarding_email?: "keep" | "remove";
                    /** @description Factor by which deadlines and waits of sandbox hostnames pass faster. Only for test applications. Null means 1. */
                    sandbox_speed?: number | null;
                    /** @description Whether to connect www with an apex, and the apex with www. */
                    companion?: boolean;
                    /** @description Whether to order the certificate before the DNS records point here, where a credential or a delegated name makes it possible. */
                    before_dns?: boolean;
                };
            };
        };
        responses: {
            /** @description Update an application. Fields that you omit stay as they are. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "name": "Shop",
                     *       "environment": "test",
                     *       "allowed_origins": [
                     *         "https://app.example.com"
                     *       ],
                     *       "record_template": [
                     *         {
                     *           "host": "@",
                     *           "type": "CNAME",
                     *           "value": "{cname_target}",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "when": "subdomain",
                     *           "required": true
                     *         }
                     *       ],
                     *       "origin_url": "https://example.com",
                     *       "display_name": "Acme Shops",
                     *       "logo_url": "https://cdn.example.com/logo.svg",
                     *       "support_url": "https://example.com/help",
                     *       "conflict_policy": "refuse",
                     *       "drift_policy": "notify",
                     *       "offboarding": "remove_records",
                     *       "offboarding_email": "keep",
                     *       "sandbox_speed": 60,
                     *       "companion": true,
                     *       "before_dns": true,
                     *       "created_at": "2026-04-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Application"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_applications_by_id_keys: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size, from 1 to 100. Usually 20 by default. */
                limit?: number;
            };
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List an application's API keys, without secrets */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *           "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *           "name": "Backend",
                     *           "last4": "7Qx2",
                     *           "environment": "test",
                     *           "scopes": [
                     *             "connections:read",
                     *             "connections:write"
                     *           ],
                     *           "created_at": "2026-04-01T12:00:00.000Z",
                     *           "last_used_at": "2026-04-01T12:00:00.000Z",
                     *           "revoked_at": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description Objects of this page. */
                        data: components["schemas"]["ApiKey"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_applications_by_id_keys: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. For 24 hours, the same key and body return the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Backend",
                 *       "scopes": [
                 *         "connections:read",
                 *         "connections:write"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Name of the key in lists. */
                    name: string;
                    /** @description Scopes of the new key. Defaults to the scopes of the calling key. */
                    scopes?: ("connections:read" | "connections:write" | "apps:admin" | "webhooks:write" | "usage:read")[];
                };
            };
        };
        responses: {
            /** @description Create an API key. The secret is returned only once. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "name": "Backend",
                     *       "last4": "7Qx2",
                     *       "environment": "test",
                     *       "scopes": [
                     *         "connections:read",
                     *         "connections:write"
                     *       ],
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "last_used_at": "2026-04-01T12:00:00.000Z",
                     *       "revoked_at": null,
                     *       "secret": "sk_live_4fV0…"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKeyCreated"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description idempotency_in_progress */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description idempotency_key_reused */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_applications_by_id_keys_by_keyId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the application. */
                id: string;
                /** @description Id of the key. */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoke an API key. Its next request is refused. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "name": "Backend",
                     *       "last4": "7Qx2",
                     *       "environment": "test",
                     *       "scopes": [
                     *         "connections:read",
                     *         "connections:write"
                     *       ],
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "last_used_at": "2026-04-01T12:00:00.000Z",
                     *       "revoked_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get_applications_by_id_edge-secrets": {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size, from 1 to 100. Usually 20 by default. */
                limit?: number;
            };
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List an application's edge secrets, without their values */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *           "active_from": "2026-04-01T12:00:00.000Z",
                     *           "created_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description Objects of this page. */
                        data: components["schemas"]["EdgeSecret"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post_applications_by_id_edge-secrets": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. For 24 hours, the same key and body return the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "now": true
                 *     }
                 */
                "application/json": {
                    /** @description Edges sign with the secret when the call returns. It replaces a secret that is not active yet. */
                    now?: boolean;
                };
            };
        };
        responses: {
            /** @description Create a secret with which edges sign requests to your origins, from a day later on. It is returned only once. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "active_from": "2026-04-01T12:00:00.000Z",
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "secret": "edgesec_MfKQ…"
                     *     }
                     */
                    "application/json": components["schemas"]["EdgeSecretCreated"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_state, idempotency_in_progress */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description idempotency_key_reused */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "delete_applications_by_id_edge-secrets_by_secret_id": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the application. */
                id: string;
                /** @description Id of the secret. */
                secret_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete an edge secret. When the call returns, no edge signs with it. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get_console-sessions": {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size, from 1 to 100. Usually 20 by default. */
                limit?: number;
            };
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List console sessions, and links that were not used yet, newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *           "made_by": {
                     *             "kind": "key",
                     *             "key_id": "0192f0c2-2222-7abc-8def-0123456789ab"
                     *           },
                     *           "scopes": [
                     *             "connections:read",
                     *             "connections:write"
                     *           ],
                     *           "environment": "test",
                     *           "created_at": "2026-04-01T12:00:00.000Z",
                     *           "signed_in_at": "2026-04-01T12:00:00.000Z",
                     *           "last_seen_at": "2026-04-01T12:00:00.000Z",
                     *           "expires_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description Objects of this page. */
                        data: components["schemas"]["ConsoleSession"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post_console-sessions": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "scopes": [
                 *         "connections:read",
                 *         "connections:write"
                 *       ],
                 *       "expires_in": 28800
                 *     }
                 */
                "application/json": {
                    /** @description What the person may do. Defaults to `connections:read`. */
                    scopes?: ("connections:read" | "connections:write" | "apps:admin" | "webhooks:write" | "usage:read")[];
                    /** @description Seconds until the session ends, from 60 to 86,400. Defaults to 8 hours. */
                    expires_in?: number;
                };
            };
        };
        responses: {
            /** @description Create a link that signs a person in to the console, once and within 2 minutes */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "url": "https://domains.example.com/console#link=4fV0…",
                     *       "link_expires_at": "2026-04-01T12:00:00.000Z",
                     *       "expires_at": "2026-04-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ConsoleSessionCreated"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "delete_console-sessions_by_id": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description End a console session or a link. The next request of the browser is refused. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_applications_by_id_credentials: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size, from 1 to 100. Usually 20 by default. */
                limit?: number;
            };
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List an application's DNS provider credentials, without secrets */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *           "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *           "environment": "test",
                     *           "provider": "cloudflare",
                     *           "label": "DNS of brand.test",
                     *           "hint": "…a1b2",
                     *           "zones": [
                     *             "brand.test"
                     *           ],
                     *           "status": "ok",
                     *           "reason": null,
                     *           "last_verified_at": "2026-04-01T12:00:00.000Z",
                     *           "expires_at": "2026-04-01T12:00:00.000Z",
                     *           "created_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description Objects of this page. */
                        data: components["schemas"]["Credential"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_applications_by_id_credentials: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. For 24 hours, the same key and body return the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "provider": "cloudflare",
                 *       "credentials": {
                 *         "api_token": "your-api-token"
                 *       },
                 *       "label": "DNS of brand.test",
                 *       "expires_at": "2030-01-01T00:00:00.000Z"
                 *     }
                 */
                "application/json": {
                    /** @description DNS provider, as in GET /providers. */
                    provider: string;
                    /** @description Fields that the provider requires (see GET /providers). They are never returned or logged. */
                    credentials: {
                        [key: string]: string;
                    };
                    /** @description Name of the credential in lists. */
                    label?: string;
                    /**
                     * Format: date-time
                     * @description Expiry of the secret, if the provider does not report it. We warn you three weeks before.
                     */
                    expires_at?: string;
                };
            };
        };
        responses: {
            /** @description Add a DNS provider credential. We test it against the provider before saving. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "environment": "test",
                     *       "provider": "cloudflare",
                     *       "label": "DNS of brand.test",
                     *       "hint": "…a1b2",
                     *       "zones": [
                     *         "brand.test"
                     *       ],
                     *       "status": "ok",
                     *       "reason": null,
                     *       "last_verified_at": "2026-04-01T12:00:00.000Z",
                     *       "expires_at": "2026-04-01T12:00:00.000Z",
                     *       "created_at": "2026-04-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Credential"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description idempotency_in_progress */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description idempotency_key_reused */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_applications_by_id_credentials_by_cid_test: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the application. */
                id: string;
                /** @description Id of the credential. */
                cid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Test a credential against its provider again */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "environment": "test",
                     *       "provider": "cloudflare",
                     *       "label": "DNS of brand.test",
                     *       "hint": "…a1b2",
                     *       "zones": [
                     *         "brand.test"
                     *       ],
                     *       "status": "ok",
                     *       "reason": null,
                     *       "last_verified_at": "2026-04-01T12:00:00.000Z",
                     *       "expires_at": "2026-04-01T12:00:00.000Z",
                     *       "created_at": "2026-04-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Credential"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_applications_by_id_credentials_by_cid: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the application. */
                id: string;
                /** @description Id of the credential. */
                cid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a credential. Records that it wrote stay in place. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patch_applications_by_id_credentials_by_cid: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the application. */
                id: string;
                /** @description Id of the credential. */
                cid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "credentials": {
                 *         "api_token": "your-api-token"
                 *       },
                 *       "label": "DNS of brand.test",
                 *       "expires_at": "2030-01-01T00:00:00.000Z"
                 *     }
                 */
                "application/json": {
                    /** @description Fields that the provider requires (see GET /providers). They are never returned or logged. */
                    credentials?: {
                        [key: string]: string;
                    };
                    /** @description Name of the credential in lists, or null. */
                    label?: string | null;
                    /** @description Expiry of the secret, or null if it has none. */
                    expires_at?: string | null;
                };
            };
        };
        responses: {
            /** @description Update the secret, label or expiry of a credential. Connections continue with the new secret. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "environment": "test",
                     *       "provider": "cloudflare",
                     *       "label": "DNS of brand.test",
                     *       "hint": "…a1b2",
                     *       "zones": [
                     *         "brand.test"
                     *       ],
                     *       "status": "ok",
                     *       "reason": null,
                     *       "last_verified_at": "2026-04-01T12:00:00.000Z",
                     *       "expires_at": "2026-04-01T12:00:00.000Z",
                     *       "created_at": "2026-04-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Credential"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get_webhook-endpoints": {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size, from 1 to 100. Usually 20 by default. */
                limit?: number;
                /** @description Only endpoints of this application. */
                application_id?: string;
            };
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List webhook endpoints, without secrets */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *           "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *           "environment": "test",
                     *           "url": "https://example.com/webhooks",
                     *           "events": [
                     *             "domain.verified",
                     *             "domain.drift"
                     *           ],
                     *           "active": true,
                     *           "disabled_reason": null,
                     *           "disabled_at": null,
                     *           "failing_since": null,
                     *           "paused_until": null,
                     *           "next_secret_activates_at": null,
                     *           "created_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description Objects of this page. */
                        data: components["schemas"]["WebhookEndpoint"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post_webhook-endpoints": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. For 24 hours, the same key and body return the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                 *       "url": "https://example.com/webhooks",
                 *       "events": [
                 *         "domain.verified",
                 *         "domain.drift"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description Id of the application.
                     */
                    application_id: string;
                    /** @description An https URL. The test environment accepts http too. */
                    url: string;
                    /** @description Event types to send; `*` means every type, also of later releases. Defaults to domain.added, domain.verified, ssl.issued, domain.flow.completed, domain.drift, domain.restored. */
                    events?: ("domain.added" | "domain.verified" | "ssl.issued" | "domain.flow.completed" | "domain.drift" | "domain.restored" | "domain.stalled" | "domain.failed" | "domain.claim_lost" | "domain.cutover_reverted" | "domain.dangling" | "domain.expiring" | "ssl.failing" | "ssl.expiring" | "batch.completed" | "*")[];
                };
            };
        };
        responses: {
            /** @description Create a webhook endpoint. The signing secret is returned only once. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "environment": "test",
                     *       "url": "https://example.com/webhooks",
                     *       "events": [
                     *         "domain.verified",
                     *         "domain.drift"
                     *       ],
                     *       "active": true,
                     *       "disabled_reason": null,
                     *       "disabled_at": null,
                     *       "failing_since": null,
                     *       "paused_until": null,
                     *       "next_secret_activates_at": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "signing_secret": "whsec_MfKQ…"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_state, idempotency_in_progress */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description idempotency_key_reused */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post_webhook-endpoints_by_id_rotate-secret": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "now": true
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Time from which the new secret signs, within the next 30 days. Defaults to 24 hours from now.
                     */
                    activates_at?: string;
                    /** @description Replaces the old secret immediately, after a leak. */
                    now?: boolean;
                };
            };
        };
        responses: {
            /** @description Create a new signing secret, which takes effect later, or immediately after a leak */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "environment": "test",
                     *       "url": "https://example.com/webhooks",
                     *       "events": [
                     *         "domain.verified",
                     *         "domain.drift"
                     *       ],
                     *       "active": true,
                     *       "disabled_reason": null,
                     *       "disabled_at": null,
                     *       "failing_since": null,
                     *       "paused_until": null,
                     *       "next_secret_activates_at": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "signing_secret": "whsec_MfKQ…",
                     *       "activates_at": "2026-04-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SecretRotated"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post_webhook-endpoints_by_id_test": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "domain.verified"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Event type. Defaults to webhook.test. Only endpoints in the test environment accept other types.
                     * @enum {string}
                     */
                    type?: "webhook.test" | "domain.added" | "domain.verified" | "ssl.issued" | "domain.flow.completed" | "domain.drift" | "domain.restored" | "domain.stalled" | "domain.failed" | "domain.claim_lost" | "domain.cutover_reverted" | "domain.dangling" | "domain.expiring" | "ssl.failing" | "ssl.expiring" | "batch.completed";
                };
            };
        };
        responses: {
            /** @description Send a test event to this endpoint only */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "endpoint_id": "0192f0c4-4444-7abc-8def-0123456789ab",
                     *       "event_id": "0192f0c5-5555-7abc-8def-0123456789ab",
                     *       "event_type": "domain.verified",
                     *       "status": "pending",
                     *       "reason": null,
                     *       "attempt_count": 1,
                     *       "next_attempt_at": "2026-04-01T12:00:00.000Z",
                     *       "last_attempt_at": "2026-04-01T12:00:00.000Z",
                     *       "delivered_at": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post_webhook-endpoints_by_id_recover": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-04-01T12:00:00.000Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Time of the earliest event to resend. Events are kept for 30 days.
                     */
                    since: string;
                };
            };
        };
        responses: {
            /** @description Resend all events since a given time that were not delivered to this endpoint */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recovered": 1,
                     *       "more": false
                     *     }
                     */
                    "application/json": {
                        /** @description Number of events that are being sent again. */
                        recovered: number;
                        /** @description Whether more events are left. If so, repeat the call. */
                        more: boolean;
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get_webhook-endpoints_by_id_deliveries": {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size, from 1 to 100. Usually 20 by default. */
                limit?: number;
                /** @description Only deliveries with this status. */
                status?: "pending" | "delivered" | "failed";
                /** @description Event type. */
                event?: "webhook.test" | "domain.added" | "domain.verified" | "ssl.issued" | "domain.flow.completed" | "domain.drift" | "domain.restored" | "domain.stalled" | "domain.failed" | "domain.claim_lost" | "domain.cutover_reverted" | "domain.dangling" | "domain.expiring" | "ssl.failing" | "ssl.expiring" | "batch.completed";
                /** @description Only deliveries that were created at this time or later. */
                since?: string;
                /** @description Only deliveries that were created before this time. */
                until?: string;
            };
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List an endpoint's deliveries of the last 30 days */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *           "endpoint_id": "0192f0c4-4444-7abc-8def-0123456789ab",
                     *           "event_id": "0192f0c5-5555-7abc-8def-0123456789ab",
                     *           "event_type": "domain.verified",
                     *           "status": "pending",
                     *           "reason": null,
                     *           "attempt_count": 1,
                     *           "next_attempt_at": "2026-04-01T12:00:00.000Z",
                     *           "last_attempt_at": "2026-04-01T12:00:00.000Z",
                     *           "delivered_at": null,
                     *           "created_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description Objects of this page. */
                        data: components["schemas"]["Delivery"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get_webhook-endpoints_by_id": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a webhook endpoint, without its secret */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "environment": "test",
                     *       "url": "https://example.com/webhooks",
                     *       "events": [
                     *         "domain.verified",
                     *         "domain.drift"
                     *       ],
                     *       "active": true,
                     *       "disabled_reason": null,
                     *       "disabled_at": null,
                     *       "failing_since": null,
                     *       "paused_until": null,
                     *       "next_secret_activates_at": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "delete_webhook-endpoints_by_id": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a webhook endpoint. Pending deliveries are not sent. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "patch_webhook-endpoints_by_id": {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/webhooks",
                 *       "events": [
                 *         "domain.verified",
                 *         "domain.drift"
                 *       ],
                 *       "active": true
                 *     }
                 */
                "application/json": {
                    /** @description An https URL. The test environment accepts http too. */
                    url?: string;
                    /** @description Event types to send. */
                    events?: ("domain.added" | "domain.verified" | "ssl.issued" | "domain.flow.completed" | "domain.drift" | "domain.restored" | "domain.stalled" | "domain.failed" | "domain.claim_lost" | "domain.cutover_reverted" | "domain.dangling" | "domain.expiring" | "ssl.failing" | "ssl.expiring" | "batch.completed" | "*")[];
                    /** @description Whether to send events. Set it to resume a disabled endpoint. */
                    active?: boolean;
                };
            };
        };
        responses: {
            /** @description Update a webhook endpoint. Fields that you omit stay as they are. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "environment": "test",
                     *       "url": "https://example.com/webhooks",
                     *       "events": [
                     *         "domain.verified",
                     *         "domain.drift"
                     *       ],
                     *       "active": true,
                     *       "disabled_reason": null,
                     *       "disabled_at": null,
                     *       "failing_since": null,
                     *       "paused_until": null,
                     *       "next_secret_activates_at": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_deliveries: {
        parameters: {
            query: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size, from 1 to 100. Usually 20 by default. */
                limit?: number;
                /** @description Only deliveries with this status. */
                status?: "pending" | "delivered" | "failed";
                /** @description Event type. */
                event?: "webhook.test" | "domain.added" | "domain.verified" | "ssl.issued" | "domain.flow.completed" | "domain.drift" | "domain.restored" | "domain.stalled" | "domain.failed" | "domain.claim_lost" | "domain.cutover_reverted" | "domain.dangling" | "domain.expiring" | "ssl.failing" | "ssl.expiring" | "batch.completed";
                /** @description Only deliveries that were created at this time or later. */
                since?: string;
                /** @description Only deliveries that were created before this time. */
                until?: string;
                /** @description Connection whose events were delivered. */
                connection_id: string;
            };
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the deliveries of a connection's events in the last 30 days */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *           "endpoint_id": "0192f0c4-4444-7abc-8def-0123456789ab",
                     *           "event_id": "0192f0c5-5555-7abc-8def-0123456789ab",
                     *           "event_type": "domain.verified",
                     *           "status": "pending",
                     *           "reason": null,
                     *           "attempt_count": 1,
                     *           "next_attempt_at": "2026-04-01T12:00:00.000Z",
                     *           "last_attempt_at": "2026-04-01T12:00:00.000Z",
                     *           "delivered_at": null,
                     *           "created_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description Objects of this page. */
                        data: components["schemas"]["Delivery"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_deliveries_by_id_replay: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send an event to its endpoint again now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "endpoint_id": "0192f0c4-4444-7abc-8def-0123456789ab",
                     *       "event_id": "0192f0c5-5555-7abc-8def-0123456789ab",
                     *       "event_type": "domain.verified",
                     *       "status": "pending",
                     *       "reason": null,
                     *       "attempt_count": 1,
                     *       "next_attempt_at": "2026-04-01T12:00:00.000Z",
                     *       "last_attempt_at": "2026-04-01T12:00:00.000Z",
                     *       "delivered_at": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description invalid_state */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_deliveries_by_id: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve a delivery and its attempts */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "endpoint_id": "0192f0c4-4444-7abc-8def-0123456789ab",
                     *       "event_id": "0192f0c5-5555-7abc-8def-0123456789ab",
                     *       "event_type": "domain.verified",
                     *       "status": "pending",
                     *       "reason": null,
                     *       "attempt_count": 1,
                     *       "next_attempt_at": "2026-04-01T12:00:00.000Z",
                     *       "last_attempt_at": "2026-04-01T12:00:00.000Z",
                     *       "delivered_at": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "attempts": [
                     *         {
                     *           "number": 1,
                     *           "at": "2026-04-01T12:00:00.000Z",
                     *           "url": "https://example.com/webhooks",
                     *           "outcome": "delivered",
                     *           "status_code": 200,
                     *           "error": null,
                     *           "response": "ok",
                     *           "duration_ms": 48
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_events: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size, from 1 to 100. Usually 20 by default. */
                limit?: number;
                /** @description Only events of this type. */
                type?: "webhook.test" | "domain.added" | "domain.verified" | "ssl.issued" | "domain.flow.completed" | "domain.drift" | "domain.restored" | "domain.stalled" | "domain.failed" | "domain.claim_lost" | "domain.cutover_reverted" | "domain.dangling" | "domain.expiring" | "ssl.failing" | "ssl.expiring" | "batch.completed";
                /** @description Only events of this application. */
                application_id?: string;
                /** @description Only events of this connection. */
                connection_id?: string;
            };
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the events of the last 30 days, whether or not they were delivered */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *           "type": "domain.verified",
                     *           "timestamp": "2026-04-01T12:00:00.000Z",
                     *           "api_version": "v1",
                     *           "environment": "test",
                     *           "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *           "sequence": 1,
                     *           "data": {}
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description Objects of this page. */
                        data: components["schemas"]["Event"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_events_by_id: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path: {
                /** @description Id of the object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve an event and its deliveries */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *       "type": "domain.verified",
                     *       "timestamp": "2026-04-01T12:00:00.000Z",
                     *       "api_version": "v1",
                     *       "environment": "test",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "sequence": 1,
                     *       "data": {},
                     *       "deliveries": [
                     *         {
                     *           "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *           "endpoint_id": "0192f0c4-4444-7abc-8def-0123456789ab",
                     *           "event_id": "0192f0c5-5555-7abc-8def-0123456789ab",
                     *           "event_type": "domain.verified",
                     *           "status": "pending",
                     *           "reason": null,
                     *           "attempt_count": 1,
                     *           "next_attempt_at": "2026-04-01T12:00:00.000Z",
                     *           "last_attempt_at": "2026-04-01T12:00:00.000Z",
                     *           "delivered_at": null,
                     *           "created_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EventDetail"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_providers: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the DNS providers at which we can write records */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "slug": "cloudflare",
                     *           "name": "Cloudflare",
                     *           "category": "token",
                     *           "setup_types": [
                     *             "automatic",
                     *             "manual"
                     *           ],
                     *           "auth": {
                     *             "fields": [
                     *               {
                     *                 "name": "api_token",
                     *                 "label": "API token",
                     *                 "secret": true,
                     *                 "required": true,
                     *                 "help": "Create a token with the permission Zone.DNS: Edit."
                     *               }
                     *             ]
                     *           },
                     *           "capabilities": {
                     *             "cname_flattening": true,
                     *             "wildcard": true,
                     *             "caa": true,
                     *             "multi_txt": true,
                     *             "ns_delegation": true
                     *           },
                     *           "nameserver_patterns": [
                     *             "*.ns.cloudflare.com"
                     *           ],
                     *           "domain_connect": true,
                     *           "control_panel_url": "https://dash.cloudflare.com",
                     *           "limitations": []
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Every provider. */
                        data: components["schemas"]["Provider"][];
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_usage: {
        parameters: {
            query?: {
                /** @description Month in UTC, as YYYY-MM. Defaults to the current month. */
                period?: string;
                /** @description Defaults to all applications of the tenant. */
                application_id?: string;
            };
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve the usage of a month, and the limits of the plan */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "period_start": "2026-04-01T00:00:00.000Z",
                     *       "period_end": "2026-05-01T00:00:00.000Z",
                     *       "plan": "growth",
                     *       "data": [
                     *         {
                     *           "kind": "connect",
                     *           "quantity": 1,
                     *           "counted": 1,
                     *           "limit": 100
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Usage"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_plans: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List plans */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "growth",
                     *           "name": "Growth",
                     *           "price": {
                     *             "amount": 2900,
                     *             "currency": "eur",
                     *             "interval": "month"
                     *           },
                     *           "limits": {
                     *             "connects_per_period": 100
                     *           },
                     *           "features": []
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Every plan, smallest first. */
                        data: components["schemas"]["Plan"][];
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_subscriptions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Retrieve the tenant's plan and subscription */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "sub_1QXa2b3c4d5e6f",
                     *       "plan": "growth",
                     *       "status": "active",
                     *       "current_period_start": "2026-04-01T12:00:00.000Z",
                     *       "current_period_end": "2026-04-01T12:00:00.000Z",
                     *       "cancel_at_period_end": true
                     *     }
                     */
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_subscriptions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. For 24 hours, the same key and body return the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "plan": "growth",
                 *       "success_url": "https://app.example.com/billing/done",
                 *       "cancel_url": "https://app.example.com/billing"
                 *     }
                 */
                "application/json": {
                    /** @description Plan to subscribe to, as in GET /plans. */
                    plan: string;
                    /**
                     * Format: uri
                     * @description Page for the customer after the payment.
                     */
                    success_url?: string;
                    /**
                     * Format: uri
                     * @description Page for the customer who cancels.
                     */
                    cancel_url?: string;
                };
            };
        };
        responses: {
            /** @description Choose a plan. Changes the existing subscription, or opens a checkout for the first one. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "sub_1QXa2b3c4d5e6f",
                     *       "plan": "growth",
                     *       "status": "active",
                     *       "current_period_start": "2026-04-01T12:00:00.000Z",
                     *       "current_period_end": "2026-04-01T12:00:00.000Z",
                     *       "cancel_at_period_end": true,
                     *       "checkout_url": "https://checkout.stripe.com/c/pay/cs_live_a1b2"
                     *     }
                     */
                    "application/json": components["schemas"]["SubscriptionChosen"];
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description idempotency_in_progress */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description idempotency_key_reused */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description billing_unavailable, provider_error */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable, unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_audit: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size, from 1 to 100. Usually 20 by default. */
                limit?: number;
            };
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the audit log: who changed which object */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *           "created_at": "2026-04-01T12:00:00.000Z",
                     *           "environment": "test",
                     *           "actor": {
                     *             "kind": "key",
                     *             "key_id": "0192f0c2-2222-7abc-8def-0123456789ab",
                     *             "session_id": null
                     *           },
                     *           "action": "key.created",
                     *           "target_id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *           "fields": [
                     *             "name",
                     *             "scopes"
                     *           ],
                     *           "request_id": "b7c6f9d2-3c1e-4a55-9f0e-2f7f5a1f0b11"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description Objects of this page. */
                        data: components["schemas"]["AuditEntry"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_sandbox_records: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Page size, from 1 to 100. Usually 20 by default. */
                limit?: number;
            };
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the records in the sandbox's DNS, newest first */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "visible_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description Objects of this page. */
                        data: components["schemas"]["ListedSandboxRecord"][];
                        /** @description Null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_sandbox_records: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "records": [
                 *         {
                 *           "host": "shop.brand.test",
                 *           "type": "CNAME",
                 *           "value": "edge.example.net",
                 *           "ttl": 300,
                 *           "priority": null
                 *         }
                 *       ],
                 *       "remove": [
                 *         {
                 *           "host": "shop.brand.test",
                 *           "type": "CNAME"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Records to publish. They replace all records with the same host and type. */
                    records: {
                        /** @description Fully qualified name below .test. */
                        host: string;
                        /**
                         * @description Record type.
                         * @enum {string}
                         */
                        type: "A" | "AAAA" | "CNAME" | "ALIAS" | "TXT" | "MX" | "CAA" | "NS" | "SRV";
                        /** @description Record value, without quotes. */
                        value: string;
                        /**
                         * @description Time to live in seconds.
                         * @default 300
                         */
                        ttl?: number;
                        /**
                         * @description For MX and SRV only.
                         * @default null
                         */
                        priority?: number | null;
                    }[];
                    /**
                     * @description Hosts, or record types at a host, from which to remove all records.
                     * @default []
                     */
                    remove?: {
                        /** @description Fully qualified name below .test. */
                        host: string;
                        /**
                         * @description Record type.
                         * @enum {string}
                         */
                        type?: "A" | "AAAA" | "CNAME" | "ALIAS" | "TXT" | "MX" | "CAA" | "NS" | "SRV";
                    }[];
                };
            };
        };
        responses: {
            /** @description Set records in the sandbox's DNS, as a customer would at a DNS provider */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "host": "shop.brand.test",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description All records of the given hosts. */
                        data: components["schemas"]["SandboxRecord"][];
                    };
                };
            };
            /** @description invalid */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unauthorized */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description forbidden */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description payload_too_large */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unsupported_media_type */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description rate_limited */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description headers_too_large */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description internal */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description unavailable */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
