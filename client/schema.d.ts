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
         * @description Needs the scope connections:read.
         */
        get: operations["get_connections"];
        put?: never;
        /**
         * Start connecting a domain, or go on with one that waits for its proof
         * @description Needs the scope connections:write. Accepts a widget token.
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
         * Read a connection with its records, certificate, findings and timeline
         * @description Needs the scope connections:read. Accepts a widget token.
         */
        get: operations["get_connections_by_id"];
        put?: never;
        post?: never;
        /**
         * Offboard a domain: free its hostname and remove what we wrote
         * @description Needs the scope connections:write.
         */
        delete: operations["delete_connections_by_id"];
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
         * Check the ownership record at once
         * @description Needs the scope connections:write.
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
         * Check every wanted record at once
         * @description Needs the scope connections:write. Accepts a widget token.
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
         * Show what writing the records would do; changes nothing
         * @description Needs the scope connections:write.
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
         * Take back every record we wrote for a purpose, and put back what it displaced
         * @description Needs the scope connections:write.
         */
        post: operations["post_connections_by_id_dns_revert"];
        delete?: never;
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
         * Tell which records a mailbox provider needs at a domain; changes nothing
         * @description Needs the scope connections:read.
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
         * Write a mailbox provider's records beside everything that stands, and tell what is left to do by hand
         * @description Needs the scope connections:write. Accepts a widget token.
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
        get?: never;
        put?: never;
        /**
         * Start connecting up to a thousand domains, with one result for each
         * @description Needs the scope connections:write.
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
         * Read how far a batch is, and which of its rows have failed
         * @description Needs the scope connections:read.
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
         * Make a link that shows the records to the colleague who owns the DNS
         * @description Needs the scope connections:write.
         */
        post: operations["post_connections_by_id_share"];
        /**
         * Withdraw every shared link of a connection
         * @description Needs the scope connections:write.
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
         * Tell who serves a domain and how it can be connected; changes nothing
         * @description Needs the scope connections:read. Accepts a widget token.
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
         * Mint a widget token for one connect flow
         * @description Needs the scope connections:write.
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
         * @description Needs the scope apps:admin.
         */
        get: operations["get_applications"];
        put?: never;
        /**
         * Create an application
         * @description Needs the scope apps:admin.
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
         * Read an application
         * @description Needs the scope apps:admin.
         */
        get: operations["get_applications_by_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an application; what is left out stays as it is
         * @description Needs the scope apps:admin.
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
         * List an application's keys, without secrets
         * @description Needs the scope apps:admin.
         */
        get: operations["get_applications_by_id_keys"];
        put?: never;
        /**
         * Create an API key; its secret is told once
         * @description Needs the scope apps:admin.
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
         * Revoke a key; its next request is refused
         * @description Needs the scope apps:admin.
         */
        delete: operations["delete_applications_by_id_keys_by_keyId"];
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
         * List an application's credentials, without secrets
         * @description Needs the scope apps:admin.
         */
        get: operations["get_applications_by_id_credentials"];
        put?: never;
        /**
         * Give an application a credential of a DNS provider; it is shown to the provider at once
         * @description Needs the scope apps:admin.
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
         * Show a credential to its provider again
         * @description Needs the scope apps:admin.
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
         * Forget a credential; what it wrote stays where it is
         * @description Needs the scope apps:admin.
         */
        delete: operations["delete_applications_by_id_credentials_by_cid"];
        options?: never;
        head?: never;
        /**
         * Replace the secret in place, or the label: connections go on with the new one
         * @description Needs the scope apps:admin.
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
         * @description Needs the scope apps:admin or webhooks:write.
         */
        get: operations["get_webhook-endpoints"];
        put?: never;
        /**
         * Register a receiver of webhooks; its signing secret is told once
         * @description Needs the scope apps:admin or webhooks:write.
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
         * Make a new signing secret, which begins to sign later, or at once after a leak
         * @description Needs the scope apps:admin or webhooks:write.
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
         * Send a test event to this endpoint alone
         * @description Needs the scope apps:admin or webhooks:write.
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
         * Send again every event since a time that was not delivered to this endpoint
         * @description Needs the scope apps:admin or webhooks:write.
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
         * @description Needs the scope apps:admin or webhooks:write.
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
         * Read a webhook endpoint, without its secret
         * @description Needs the scope apps:admin or webhooks:write.
         */
        get: operations["get_webhook-endpoints_by_id"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint; what is under way is not sent
         * @description Needs the scope apps:admin or webhooks:write.
         */
        delete: operations["delete_webhook-endpoints_by_id"];
        options?: never;
        head?: never;
        /**
         * Change where webhooks go, which, and whether; what is left out stays as it is
         * @description Needs the scope apps:admin or webhooks:write.
         */
        patch: operations["patch_webhook-endpoints_by_id"];
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
         * Send an event to its endpoint again, now
         * @description Needs the scope apps:admin or webhooks:write.
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
         * Read a delivery with every attempt at it
         * @description Needs the scope apps:admin or webhooks:write.
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
         * List the events of the last 30 days, whether or not an endpoint got them
         * @description Needs the scope apps:admin or webhooks:write.
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
         * Read an event, and to which endpoints it was delivered
         * @description Needs the scope apps:admin or webhooks:write.
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
         * List the DNS providers that records can be written at
         * @description Any valid key.
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
         * Read what was used in a month, beside what the plan allows
         * @description Needs the scope usage:read or connections:read.
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
         * List the plans there are
         * @description Any valid key.
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
         * Read which plan the tenant has, and what pays for it
         * @description Needs the scope apps:admin.
         */
        get: operations["get_subscriptions"];
        put?: never;
        /**
         * Choose a plan: changes the subscription there is, or opens a checkout for a first one
         * @description Needs the scope apps:admin.
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
         * Who changed what: applications and keys
         * @description Needs the scope apps:admin.
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
        get?: never;
        /**
         * Set records in the sandbox's DNS, as a customer would at a provider
         * @description Needs the scope connections:write. Test keys only.
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
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            application_id: string;
            name: string;
            last4: string;
            /** @description One of test, live; new values may be added. */
            environment: string;
            scopes: string[];
            /** Format: date-time */
            created_at: string;
            last_used_at: string | null;
            revoked_at: string | null;
        };
        ApiKeyCreated: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            application_id: string;
            name: string;
            last4: string;
            /** @description One of test, live; new values may be added. */
            environment: string;
            scopes: string[];
            /** Format: date-time */
            created_at: string;
            last_used_at: string | null;
            revoked_at: string | null;
            /** @description Told once; absent when the answer is repeated. */
            secret?: string;
        };
        Application: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description One of test, live; new values may be added. */
            environment: string;
            allowed_origins: string[];
            record_template: components["schemas"]["ApplicationRecord"][];
            origin_url: string | null;
            /** @description What visitors are shown on the edge's own pages, such as the product's name. */
            display_name: string | null;
            /** @description One of refuse, replace; new values may be added. */
            conflict_policy: string;
            /** @description One of notify, repair; new values may be added. */
            drift_policy: string;
            /** @description One of remove_records, keep_records; new values may be added. */
            offboarding: string;
            /** @description What becomes of mail records that we wrote, when their connection is archived. One of keep, remove; new values may be added. */
            offboarding_email: string;
            widget_email: boolean;
            /** @description Whether www is connected beside an apex, and the apex beside www. */
            companion: boolean;
            /** Format: date-time */
            created_at: string;
        };
        ApplicationRecord: {
            /** @description Relative to the hostname; @ is the hostname itself. */
            host: string;
            /** @description One of A, AAAA, CNAME, ALIAS, TXT, MX, CAA, NS, SRV; new values may be added. */
            type: string;
            /** @description May use {hostname}, {cname_target} and other variables. */
            value: string;
            ttl?: number;
            priority?: number | null;
            /** @description One of apex, subdomain; new values may be added. */
            when?: string;
        };
        AuditEntry: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** @description One of test, live; new values may be added. */
            environment: string;
            actor: {
                /** @description One of key, operator; new values may be added. */
                kind: string;
                key_id: string | null;
            };
            /** @description What was done, such as key.created; new ones may be added. */
            action: string;
            /** Format: uuid */
            target_id: string;
            /** @description Names of the fields that were given; never their values. */
            fields: string[];
            request_id: string | null;
        };
        Batch: {
            /** Format: uuid */
            batch_id: string;
            /** Format: uuid */
            application_id: string;
            /** Format: date-time */
            created_at: string;
            /** @description When the last of its connections was live, failed or archived. */
            completed_at: string | null;
            total: number;
            results: {
                created: number;
                existing: number;
                conflict: number;
                invalid: number;
                quota_exceeded: number;
            };
            /** @description How many of its connections are in which state. */
            states: Record<string, never>;
            /** @description Rows that were refused, and those whose connection has failed, in their order. */
            failures: {
                data: {
                    /** @description The place in the list that was sent, from 1. */
                    row: number;
                    hostname: string;
                    external_id: string | null;
                    /** @description One of created, existing, conflict, invalid, quota_exceeded; new values may be added. */
                    result: string;
                    /** @description Of a conflict: the connection of yours that holds the name. */
                    connection_id: string | null;
                    /** @description Why the row was refused. */
                    problem: {
                        code: string;
                        message: string;
                        /** @description The name that was probably meant. */
                        suggestion?: string;
                    } | null;
                    state: string | null;
                    error_code: string | null;
                }[];
                /** @description Null on the last page. */
                next_cursor: string | null;
            };
        };
        BatchCreated: {
            /** Format: uuid */
            batch_id: string;
            /** Format: uuid */
            application_id: string;
            /** Format: date-time */
            created_at: string;
            /** @description When the last of its connections was live, failed or archived. */
            completed_at: string | null;
            total: number;
            results: {
                created: number;
                existing: number;
                conflict: number;
                invalid: number;
                quota_exceeded: number;
            };
            /** @description How many of its connections are in which state. */
            states: Record<string, never>;
            rows: {
                /** @description The place in the list that was sent, from 1. */
                row: number;
                hostname: string;
                external_id: string | null;
                /** @description One of created, existing, conflict, invalid, quota_exceeded; new values may be added. */
                result: string;
                /** @description Of a conflict: the connection of yours that holds the name. */
                connection_id: string | null;
                /** @description Why the row was refused. */
                problem: {
                    code: string;
                    message: string;
                    /** @description The name that was probably meant. */
                    suggestion?: string;
                } | null;
                ownership_challenge: {
                    name: string;
                    /** @constant */
                    type: "TXT";
                    value: string;
                } | null;
            }[];
        };
        Connection: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            application_id: string;
            hostname: string;
            /** @description One of apex, subdomain; new values may be added. */
            kind: string;
            /** @description One of automatic, manual, semiautomatic, shared_login, async, api; new values may be added. */
            setup_type: string;
            /** @description One of created, pending_ownership, verifying, verified, dns_writing, propagating, stalled, issuing_cert, live, drifted, failed, archived; new values may be added. */
            state: string;
            provider: string | null;
            batch_id: string | null;
            external_id: string | null;
            error_code: string | null;
            /** Format: date-time */
            created_at: string;
        };
        ConnectionCreated: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            application_id: string;
            hostname: string;
            /** @description One of apex, subdomain; new values may be added. */
            kind: string;
            /** @description One of automatic, manual, semiautomatic, shared_login, async, api; new values may be added. */
            setup_type: string;
            /** @description One of created, pending_ownership, verifying, verified, dns_writing, propagating, stalled, issuing_cert, live, drifted, failed, archived; new values may be added. */
            state: string;
            provider: string | null;
            batch_id: string | null;
            external_id: string | null;
            error_code: string | null;
            /** Format: date-time */
            created_at: string;
            ownership_challenge: {
                name: string;
                /** @constant */
                type: "TXT";
                value: string;
            };
        };
        ConnectionDetail: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            application_id: string;
            hostname: string;
            /** @description One of apex, subdomain; new values may be added. */
            kind: string;
            /** @description One of automatic, manual, semiautomatic, shared_login, async, api; new values may be added. */
            setup_type: string;
            /** @description One of created, pending_ownership, verifying, verified, dns_writing, propagating, stalled, issuing_cert, live, drifted, failed, archived; new values may be added. */
            state: string;
            provider: string | null;
            batch_id: string | null;
            external_id: string | null;
            error_code: string | null;
            /** Format: date-time */
            created_at: string;
            ownership_challenge: {
                name: string;
                /** @constant */
                type: "TXT";
                value: string;
            };
            desired_records: components["schemas"]["Record"][];
            observed_records: {
                /** @description The full name, without a trailing dot. */
                host: string;
                /** @description The name as typed at a provider: relative to the zone, @ at its apex. */
                relative_host: string;
                /** @description One of A, AAAA, CNAME, ALIAS, TXT, MX, CAA, NS, SRV; new values may be added. */
                type: string;
                value: string;
                ttl: number;
                /** @description MX and SRV only, else null. */
                priority: number | null;
                propagated: boolean;
                /** Format: date-time */
                observed_at: string;
            }[];
            records_to_add: components["schemas"]["RecordToAdd"][];
            /** @description Null while the provider is not known. */
            provider_panel: {
                name: string;
                url: string | null;
                steps: {
                    /** @description One of sign_in, open, add, blank_host, proxy_off, save; new values may be added. */
                    code: string;
                    params: Record<string, never>;
                }[];
            } | null;
            /** @description What automatic setup would do, by the last check; null where no credential covers the name. */
            plan: {
                provider: string;
                creates: components["schemas"]["Record"][];
                keeps: components["schemas"]["Record"][];
                /** @description Standing at the same names, and left as they are. */
                untouched: {
                    /** @description The full name, without a trailing dot. */
                    host: string;
                    /** @description The name as typed at a provider: relative to the zone, @ at its apex. */
                    relative_host: string;
                    type: string;
                    value: string;
                    ttl: number;
                    /** @description MX and SRV only, else null. */
                    priority: number | null;
                }[];
                conflicts: {
                    wanted: components["schemas"]["Record"];
                    found: {
                        /** @description The full name, without a trailing dot. */
                        host: string;
                        /** @description The name as typed at a provider: relative to the zone, @ at its apex. */
                        relative_host: string;
                        type: string;
                        value: string;
                        ttl: number;
                        /** @description MX and SRV only, else null. */
                        priority: number | null;
                    }[];
                    reason: string;
                }[];
            } | null;
            certificate: {
                /** @description One of none, pending, issued, failed, expired; new values may be added. */
                status: string;
                not_after: string | null;
                ca: string | null;
            };
            /** @description The connection beside it: a companion leads its visitors to the main one. */
            companion: {
                /** Format: uuid */
                connection_id: string;
                hostname: string;
                /** @description One of created, pending_ownership, verifying, verified, dns_writing, propagating, stalled, issuing_cert, live, drifted, failed, archived; new values may be added. */
                state: string;
                /** @description What that other connection is to this one. One of companion, main; new values may be added. */
                role: string;
            } | null;
            /** @description Null where the DNS provider cannot write the records by Domain Connect, or need not. */
            domain_connect: {
                provider_id: string;
                provider_name: string;
                /** @description Where the customer consents; signed for this reader, for an hour. */
                apply_url: string;
            } | null;
            /** @description Whether the application lets the widget set up mail. */
            widget_email: boolean;
            /** @description One of none, pending, done, failed; new values may be added. */
            cleanup: string;
            last_checked_at: string | null;
            next_check_at: string | null;
            findings: components["schemas"]["Finding"][];
            timeline: {
                /** Format: date-time */
                at: string;
                /** @description move, reason, share_opened, edge_cut_off, or a kind that is yet to come. */
                kind: string;
                /** @description Null where nothing moved. */
                from: string | null;
                to: string | null;
                reason: string | null;
            }[];
        };
        Credential: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            application_id: string;
            /** @description One of test, live; new values may be added. */
            environment: string;
            provider: string;
            label: string | null;
            hint: string;
            zones: string[];
            /** @description One of ok, invalid, unverified; new values may be added. */
            status: string;
            reason: string | null;
            last_verified_at: string | null;
            expires_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        Delivery: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            endpoint_id: string;
            /** Format: uuid */
            event_id: string;
            event_type: string;
            /** @description One of pending, delivered, failed; new values may be added. */
            status: string;
            /** @description Why it failed for good. */
            reason: string | null;
            attempt_count: number;
            next_attempt_at: string | null;
            last_attempt_at: string | null;
            delivered_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        DeliveryAttempt: {
            number: number;
            /** Format: date-time */
            at: string;
            url: string;
            /** @description One of delivered, http_3xx, http_4xx, http_5xx, timeout, dns_error, blocked_address, connection_refused, connection_failed, tls_error; new values may be added. */
            outcome: string;
            status_code: number | null;
            error: string | null;
            /** @description The first 8 kB of the answer. */
            response: string | null;
            duration_ms: number;
        };
        DeliveryDetail: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            endpoint_id: string;
            /** Format: uuid */
            event_id: string;
            event_type: string;
            /** @description One of pending, delivered, failed; new values may be added. */
            status: string;
            /** @description Why it failed for good. */
            reason: string | null;
            attempt_count: number;
            next_attempt_at: string | null;
            last_attempt_at: string | null;
            delivered_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description Newest first, the last hundred. */
            attempts: components["schemas"]["DeliveryAttempt"][];
        };
        DnsPlan: {
            provider: string;
            zone: string;
            creates: components["schemas"]["Record"][];
            keeps: components["schemas"]["Record"][];
            conflicts: {
                wanted: components["schemas"]["Record"];
                found: {
                    /** @description The full name, without a trailing dot. */
                    host: string;
                    /** @description The name as typed at a provider: relative to the zone, @ at its apex. */
                    relative_host: string;
                    type: string;
                    value: string;
                    ttl: number;
                    /** @description MX and SRV only, else null. */
                    priority: number | null;
                }[];
                reason: string;
            }[];
            removals: {
                /** @description The full name, without a trailing dot. */
                host: string;
                /** @description The name as typed at a provider: relative to the zone, @ at its apex. */
                relative_host: string;
                type: string;
                value: string;
                ttl: number;
                /** @description MX and SRV only, else null. */
                priority: number | null;
            }[];
            restores: components["schemas"]["Record"][];
        };
        DomainCheck: {
            domain: string;
            /** @description False only when the registry says so. */
            registered: boolean;
            provider: string;
            provider_slug: string;
            /** @description One of automatic, manual, semiautomatic, shared_login, async, api; new values may be added. */
            setup_type: string;
            apex_flattening: boolean;
            nameserver: string | null;
            apex: boolean;
            auto_configurable: boolean;
            www_redirect_recommended: boolean;
            capabilities: {
                cname_flattening: boolean;
                wildcard: boolean;
                caa: boolean;
                multi_txt: boolean;
                ns_delegation: boolean;
            };
            record_conflicts: components["schemas"]["Record"][];
            domain_connect: {
                supported: boolean;
                template_supported: boolean;
                provider_id: string | null;
            };
            /** @description One of secure, insecure, bogus, unknown; new values may be added. */
            dnssec: string;
            existing_mail: {
                mx: string[];
                spf: string | null;
                dmarc: string | null;
            };
            findings: components["schemas"]["Finding"][];
            instructions_url: string | null;
            control_panel_url: string | null;
        };
        EmailApplied: {
            /** @description Whether at least one record stands through us. */
            applied: boolean;
            domain: string;
            provider: string;
            /** @description Records that stand through us now. */
            written_records: components["schemas"]["Record"][];
            /** @description Records to set by hand; the SPF record is always one of them. */
            manual_records: components["schemas"]["Record"][];
            /** @description What to do and what to know, in sentences for people. */
            notes: string[];
            /** @description DNS look-ups that the SPF record costs a receiver; `unread` policies are not in the count. */
            spf_lookups: {
                count: number;
                /** @constant */
                limit: 10;
                unread: string[];
                followed: boolean;
            };
        };
        EmailRecords: {
            provider: string;
            domain: string;
            records: components["schemas"]["Record"][];
            /** @description What to do and what to know, in sentences for people. */
            notes: string[];
            /** @description DNS look-ups that the SPF record costs a receiver; `unread` policies are not in the count. */
            spf_lookups: {
                count: number;
                /** @constant */
                limit: 10;
                unread: string[];
                followed: boolean;
            };
        };
        Error: {
            error: {
                /** @description Stable and made for programs; new ones may be added. */
                code: string;
                /** @description What happened and what to do, for people. */
                message: string;
                /** @description More by code, or null. */
                details: unknown;
            };
            /**
             * Format: uri
             * @description With QuotaExceeded only.
             */
            upgrade_url?: string;
        };
        Event: {
            /** Format: uuid */
            id: string;
            type: string;
            /** Format: date-time */
            timestamp: string;
            /** @constant */
            api_version: "v1";
            /** @description One of test, live; new values may be added. */
            environment: string;
            /** Format: uuid */
            application_id: string;
            /** @description Grows by one with each event of a connection; null without one. */
            sequence: number | null;
            data: Record<string, never>;
        };
        EventDetail: {
            /** Format: uuid */
            id: string;
            type: string;
            /** Format: date-time */
            timestamp: string;
            /** @constant */
            api_version: "v1";
            /** @description One of test, live; new values may be added. */
            environment: string;
            /** Format: uuid */
            application_id: string;
            /** @description Grows by one with each event of a connection; null without one. */
            sequence: number | null;
            data: Record<string, never>;
            deliveries: components["schemas"]["Delivery"][];
        };
        Finding: {
            /** @description One of wrong_value, missing, extra_values, doubled_host, challenge_at_bare_host, challenge_is_cname, quoted_value, proxied, flattened_ok, stale_aaaa, cname_conflict, caa_blocked, dnssec_bogus, ns_inconsistent, cached_until, nameserver_changed, nameserver_unreachable, hostname_conflict, credential_invalid, credential_missing_zone, credential_expiring, record_conflict, dns_write_failed, cert_failed, ca_rate_limited, edge_unreachable, domain_connect_refused, mail_record_changed, provider_paused, drifted_long; new values may be added. */
            code: string;
            /** @description One of info, warning, error; new values may be added. */
            severity: string;
            message: string;
            fix: string | null;
            record?: components["schemas"]["Record"];
            /** @description The values in the sentence, for those who say it in another language by its code; null where there are none. */
            params: Record<string, never> | null;
        };
        Plan: {
            id: string;
            name: string;
            /** @description In the currency's smallest unit; null where none is told. */
            price: {
                amount: number;
                currency: string;
                interval: string;
            } | null;
            limits: {
                connects_per_period: number | null;
            };
            features: string[];
        };
        Provider: {
            slug: string;
            name: string;
            /** @description One of token, cloud, self_hosted; new values may be added. */
            category: string;
            readonly setup_types: string[];
            auth: {
                readonly fields: {
                    name: string;
                    label: string;
                    secret: boolean;
                    required: boolean;
                    help: string;
                }[];
            };
            capabilities: {
                cname_flattening: boolean;
                wildcard: boolean;
                caa: boolean;
                multi_txt: boolean;
                ns_delegation: boolean;
            };
            readonly nameserver_patterns: string[];
            domain_connect: boolean;
            control_panel_url: string | null;
            readonly limitations: string[];
        };
        Record: {
            /** @description The full name, without a trailing dot. */
            host: string;
            /** @description The name as typed at a provider: relative to the zone, @ at its apex. */
            relative_host: string;
            /** @description One of A, AAAA, CNAME, ALIAS, TXT, MX, CAA, NS, SRV; new values may be added. */
            type: string;
            value: string;
            ttl: number;
            /** @description MX and SRV only, else null. */
            priority: number | null;
        };
        RecordToAdd: {
            /** @description The full name, without a trailing dot. */
            host: string;
            /** @description The name as typed at a provider: relative to the zone, @ at its apex. */
            relative_host: string;
            /** @description One of A, AAAA, CNAME, ALIAS, TXT, MX, CAA, NS, SRV; new values may be added. */
            type: string;
            value: string;
            ttl: number;
            /** @description MX and SRV only, else null. */
            priority: number | null;
            /** @description The host as this provider's own form wants it; it may be empty. */
            panel_host: string;
            /** @description The type as this provider calls it. */
            panel_type: string;
            /** @description The value as it is typed there, with a dot or quotes where wanted. */
            panel_value: string;
            /** @description How far the record has come, by the last check. One of unchecked, missing, wrong, conflict, spreading, found; new values may be added. */
            status: string;
        };
        SandboxRecord: {
            host: string;
            /** @description One of A, AAAA, CNAME, ALIAS, TXT, MX, CAA, NS, SRV; new values may be added. */
            type: string;
            value: string;
            ttl: number;
            priority: number | null;
        };
        SecretRotated: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            application_id: string;
            /** @description One of test, live; new values may be added. */
            environment: string;
            url: string;
            events: string[];
            active: boolean;
            /** @description Why the service made it inactive: it answered 410, or failed for five days. PATCH active to go on. */
            disabled_reason: string | null;
            disabled_at: string | null;
            /** @description Since when every attempt has failed. */
            failing_since: string | null;
            /** @description After failures in a row attempts wait until then. */
            paused_until: string | null;
            /** @description While a secret is rotated: from when on the new one signs. */
            next_secret_activates_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description The new secret, told once. */
            signing_secret: string;
            /**
             * Format: date-time
             * @description From when on it signs. Accept both until then.
             */
            activates_at: string;
        };
        Subscription: {
            /** @description The billing provider's id; null without a subscription. */
            id: string | null;
            plan: string;
            /** @description As the billing provider says it; active without a subscription. */
            status: string;
            current_period_start: string | null;
            current_period_end: string | null;
            cancel_at_period_end: boolean;
        };
        SubscriptionChosen: {
            /** @description The billing provider's id; null without a subscription. */
            id: string | null;
            plan: string;
            /** @description As the billing provider says it; active without a subscription. */
            status: string;
            current_period_start: string | null;
            current_period_end: string | null;
            cancel_at_period_end: boolean;
            /** @description Where the tenant pays; null where its subscription was changed instead. */
            checkout_url: string | null;
        };
        TemplateRecord: {
            /** @description Relative to the hostname; @ is the hostname itself. */
            host: string;
            /** @enum {string} */
            type: "A" | "AAAA" | "CNAME" | "ALIAS" | "TXT" | "MX" | "CAA" | "NS" | "SRV";
            /** @description May use {hostname}, {cname_target} and other variables. */
            value: string;
            ttl?: number;
            priority?: number | null;
            /** @enum {string} */
            when?: "apex" | "subdomain";
        };
        Usage: {
            /** Format: date-time */
            period_start: string;
            /**
             * Format: date-time
             * @description The first moment that is no longer in the period.
             */
            period_end: string;
            plan: string;
            data: {
                /** @description One of connect, active_domain, cert, api_call; new values may be added. */
                kind: string;
                quantity: number;
                /** @description Of connect: the number that the plan's limit sees. It includes real hostnames in the test environment, which are not billed. Null for other kinds. */
                counted: number | null;
                /** @description Of the whole tenant; null where there is none. */
                limit: number | null;
            }[];
        };
        WebhookEndpoint: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            application_id: string;
            /** @description One of test, live; new values may be added. */
            environment: string;
            url: string;
            events: string[];
            active: boolean;
            /** @description Why the service made it inactive: it answered 410, or failed for five days. PATCH active to go on. */
            disabled_reason: string | null;
            disabled_at: string | null;
            /** @description Since when every attempt has failed. */
            failing_since: string | null;
            /** @description After failures in a row attempts wait until then. */
            paused_until: string | null;
            /** @description While a secret is rotated: from when on the new one signs. */
            next_secret_activates_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        WebhookEndpointWithSecret: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            application_id: string;
            /** @description One of test, live; new values may be added. */
            environment: string;
            url: string;
            events: string[];
            active: boolean;
            /** @description Why the service made it inactive: it answered 410, or failed for five days. PATCH active to go on. */
            disabled_reason: string | null;
            disabled_at: string | null;
            /** @description Since when every attempt has failed. */
            failing_since: string | null;
            /** @description After failures in a row attempts wait until then. */
            paused_until: string | null;
            /** @description While a secret is rotated: from when on the new one signs. */
            next_secret_activates_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description Told once; absent when the answer is repeated. */
            signing_secret?: string;
        };
        WidgetToken: {
            /** @description Told once; absent when the answer is repeated. */
            auth_token?: string;
            /** Format: date-time */
            expires_at: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The id of this request, yours or ours. Quote it when you ask us about the answer. */
        "X-Request-Id": string;
        /** @description The limit that was counted: its name, how many requests (q) within how many seconds (w). */
        "RateLimit-Policy": string;
        /** @description Where you stand in that limit: requests left (r), and seconds until all are back (t). */
        RateLimit: string;
        /** @description Seconds after which trying again makes sense. */
        "Retry-After": number;
        /** @description `true` where this is the answer that the first request with the key was given. */
        "Idempotent-Replayed": string;
        /** @description Names what the answer says; send it back in If-None-Match. */
        ETag: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_connections: {
        parameters: {
            query?: {
                /** @description The next_cursor of the page before. */
                cursor?: string;
                /** @description How many, 1 to 100. */
                limit?: number;
                state?: "created" | "pending_ownership" | "verifying" | "verified" | "dns_writing" | "propagating" | "stalled" | "issuing_cert" | "live" | "drifted" | "failed" | "archived";
                /** @description The exact name, in any spelling. */
                hostname?: string;
                application_id?: string;
                external_id?: string;
                /** @description Those that this batch made. */
                batch_id?: string;
            };
            header?: {
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
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
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *           "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *           "hostname": "shop.example.com",
                     *           "kind": "subdomain",
                     *           "setup_type": "manual",
                     *           "state": "propagating",
                     *           "provider": "cloudflare",
                     *           "batch_id": null,
                     *           "external_id": "customer-1234",
                     *           "error_code": null,
                     *           "created_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Connection"][];
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
    post_connections: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats of a request with the same key and body within 24 hours get the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
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
                 *       "hostname": "shop.example.com",
                 *       "external_id": "customer-1234",
                 *       "companion": true
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    application_id: string;
                    hostname: string;
                    /** @description Your name for the customer. From API keys only: a widget token carries its own. */
                    external_id?: string | null;
                    /** @description Connects www beside an apex, or the apex beside www, too; the application's setting if left out. */
                    companion?: boolean;
                };
            };
        };
        responses: {
            /** @description Start connecting a domain, or go on with one that waits for its proof */
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
                     *       "hostname": "shop.example.com",
                     *       "kind": "subdomain",
                     *       "setup_type": "manual",
                     *       "state": "propagating",
                     *       "provider": "cloudflare",
                     *       "batch_id": null,
                     *       "external_id": "customer-1234",
                     *       "error_code": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "ownership_challenge": {
                     *         "name": "_service-challenge.shop.example.com",
                     *         "type": "TXT",
                     *         "value": "zX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectionCreated"];
                };
            };
            /** @description Start connecting a domain, or go on with one that waits for its proof */
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
                     *       "hostname": "shop.example.com",
                     *       "kind": "subdomain",
                     *       "setup_type": "manual",
                     *       "state": "propagating",
                     *       "provider": "cloudflare",
                     *       "batch_id": null,
                     *       "external_id": "customer-1234",
                     *       "error_code": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "ownership_challenge": {
                     *         "name": "_service-challenge.shop.example.com",
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
            query?: never;
            header?: {
                /** @description The ETag of the answer that you have: as long as it is still the answer, 304 comes in its place. */
                "If-None-Match"?: string;
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a connection with its records, certificate, findings and timeline */
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
                     *       "hostname": "shop.example.com",
                     *       "kind": "subdomain",
                     *       "setup_type": "manual",
                     *       "state": "propagating",
                     *       "provider": "cloudflare",
                     *       "batch_id": null,
                     *       "external_id": "customer-1234",
                     *       "error_code": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "ownership_challenge": {
                     *         "name": "_service-challenge.shop.example.com",
                     *         "type": "TXT",
                     *         "value": "zX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0"
                     *       },
                     *       "desired_records": [
                     *         {
                     *           "host": "shop.example.com",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null
                     *         }
                     *       ],
                     *       "observed_records": [
                     *         {
                     *           "host": "shop.example.com",
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
                     *           "host": "shop.example.com",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "panel_host": "shop",
                     *           "panel_type": "CNAME",
                     *           "panel_value": "edge.example.net",
                     *           "status": "wrong"
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
                     *             "host": "shop.example.com",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "keeps": [
                     *           {
                     *             "host": "shop.example.com",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "untouched": [
                     *           {
                     *             "host": "shop.example.com",
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
                     *               "host": "shop.example.com",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null
                     *             },
                     *             "found": [
                     *               {
                     *                 "host": "shop.example.com",
                     *                 "relative_host": "shop",
                     *                 "type": "CNAME",
                     *                 "value": "edge.example.net",
                     *                 "ttl": 300,
                     *                 "priority": null
                     *               }
                     *             ],
                     *             "reason": "The records are not there yet."
                     *           }
                     *         ]
                     *       },
                     *       "certificate": {
                     *         "status": "pending",
                     *         "not_after": "2026-06-30T12:00:00.000Z",
                     *         "ca": "Let's Encrypt"
                     *       },
                     *       "companion": {
                     *         "connection_id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *         "hostname": "shop.example.com",
                     *         "state": "propagating",
                     *         "role": "companion"
                     *       },
                     *       "domain_connect": {
                     *         "provider_id": "text",
                     *         "provider_name": "text",
                     *         "apply_url": "text"
                     *       },
                     *       "widget_email": true,
                     *       "cleanup": "none",
                     *       "last_checked_at": "2026-04-01T12:00:00.000Z",
                     *       "next_check_at": "2026-04-01T12:00:00.000Z",
                     *       "findings": [
                     *         {
                     *           "code": "wrong_value",
                     *           "severity": "error",
                     *           "message": "CNAME shop.example.com leads to old-host.example.net.",
                     *           "fix": "Change its value to edge.example.net.",
                     *           "record": {
                     *             "host": "shop.example.com",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           },
                     *           "params": {
                     *             "host": "shop.example.com",
                     *             "found": "old-host.example.net",
                     *             "value": "edge.example.net"
                     *           }
                     *         }
                     *       ],
                     *       "timeline": [
                     *         {
                     *           "at": "2026-04-01T12:00:00.000Z",
                     *           "kind": "subdomain",
                     *           "from": "verified",
                     *           "to": "propagating",
                     *           "reason": "The records are not there yet."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectionDetail"];
                };
            };
            /** @description Nothing has changed since that ETag. */
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Offboard a domain: free its hostname and remove what we wrote */
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
                     *       "hostname": "shop.example.com",
                     *       "kind": "subdomain",
                     *       "setup_type": "manual",
                     *       "state": "propagating",
                     *       "provider": "cloudflare",
                     *       "batch_id": null,
                     *       "external_id": "customer-1234",
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
    post_connections_by_id_verify: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Check the ownership record at once */
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
                     *       "hostname": "shop.example.com",
                     *       "kind": "subdomain",
                     *       "setup_type": "manual",
                     *       "state": "propagating",
                     *       "provider": "cloudflare",
                     *       "batch_id": null,
                     *       "external_id": "customer-1234",
                     *       "error_code": null,
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "ownership_challenge": {
                     *         "name": "_service-challenge.shop.example.com",
                     *         "type": "TXT",
                     *         "value": "zX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0"
                     *       },
                     *       "desired_records": [
                     *         {
                     *           "host": "shop.example.com",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null
                     *         }
                     *       ],
                     *       "observed_records": [
                     *         {
                     *           "host": "shop.example.com",
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
                     *           "host": "shop.example.com",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "panel_host": "shop",
                     *           "panel_type": "CNAME",
                     *           "panel_value": "edge.example.net",
                     *           "status": "wrong"
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
                     *             "host": "shop.example.com",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "keeps": [
                     *           {
                     *             "host": "shop.example.com",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           }
                     *         ],
                     *         "untouched": [
                     *           {
                     *             "host": "shop.example.com",
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
                     *               "host": "shop.example.com",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null
                     *             },
                     *             "found": [
                     *               {
                     *                 "host": "shop.example.com",
                     *                 "relative_host": "shop",
                     *                 "type": "CNAME",
                     *                 "value": "edge.example.net",
                     *                 "ttl": 300,
                     *                 "priority": null
                     *               }
                     *             ],
                     *             "reason": "The records are not there yet."
                     *           }
                     *         ]
                     *       },
                     *       "certificate": {
                     *         "status": "pending",
                     *         "not_after": "2026-06-30T12:00:00.000Z",
                     *         "ca": "Let's Encrypt"
                     *       },
                     *       "companion": {
                     *         "connection_id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *         "hostname": "shop.example.com",
                     *         "state": "propagating",
                     *         "role": "companion"
                     *       },
                     *       "domain_connect": {
                     *         "provider_id": "text",
                     *         "provider_name": "text",
                     *         "apply_url": "text"
                     *       },
                     *       "widget_email": true,
                     *       "cleanup": "none",
                     *       "last_checked_at": "2026-04-01T12:00:00.000Z",
                     *       "next_check_at": "2026-04-01T12:00:00.000Z",
                     *       "findings": [
                     *         {
                     *           "code": "wrong_value",
                     *           "severity": "error",
                     *           "message": "CNAME shop.example.com leads to old-host.example.net.",
                     *           "fix": "Change its value to edge.example.net.",
                     *           "record": {
                     *             "host": "shop.example.com",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           },
                     *           "params": {
                     *             "host": "shop.example.com",
                     *             "found": "old-host.example.net",
                     *             "value": "edge.example.net"
                     *           }
                     *         }
                     *       ],
                     *       "timeline": [
                     *         {
                     *           "at": "2026-04-01T12:00:00.000Z",
                     *           "kind": "subdomain",
                     *           "from": "verified",
                     *           "to": "propagating",
                     *           "reason": "The records are not there yet."
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Check every wanted record at once */
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
                     *           "host": "shop.example.com",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null,
                     *           "propagated": false,
                     *           "observed_value": "old-host.example.net"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        records: {
                            /** @description The full name, without a trailing dot. */
                            host: string;
                            /** @description The name as typed at a provider: relative to the zone, @ at its apex. */
                            relative_host: string;
                            /** @description One of A, AAAA, CNAME, ALIAS, TXT, MX, CAA, NS, SRV; new values may be added. */
                            type: string;
                            value: string;
                            ttl: number;
                            /** @description MX and SRV only, else null. */
                            priority: number | null;
                            propagated: boolean;
                            observed_value: string | null;
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Show what writing the records would do; changes nothing */
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
                     *       "zone": "example.com",
                     *       "creates": [
                     *         {
                     *           "host": "shop.example.com",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null
                     *         }
                     *       ],
                     *       "keeps": [
                     *         {
                     *           "host": "shop.example.com",
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
                     *             "host": "shop.example.com",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           },
                     *           "found": [
                     *             {
                     *               "host": "shop.example.com",
                     *               "relative_host": "shop",
                     *               "type": "CNAME",
                     *               "value": "edge.example.net",
                     *               "ttl": 300,
                     *               "priority": null
                     *             }
                     *           ],
                     *           "reason": "The records are not there yet."
                     *         }
                     *       ],
                     *       "removals": [
                     *         {
                     *           "host": "shop.example.com",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null
                     *         }
                     *       ],
                     *       "restores": [
                     *         {
                     *           "host": "shop.example.com",
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
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
                     * @description Which of our records: those of the connection (default), or those for mail.
                     * @enum {string}
                     */
                    purpose?: "connection" | "email";
                };
            };
        };
        responses: {
            /** @description Take back every record we wrote for a purpose, and put back what it displaced */
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
                     *       "values": 2
                     *     }
                     */
                    "application/json": {
                        reverted: boolean;
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
    post_email_records: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "domain": "shop.example.com",
                 *       "provider": "cloudflare",
                 *       "dkim": [
                 *         "selector1-example-com._domainkey.example.onmicrosoft.com"
                 *       ],
                 *       "spf": "v=spf1 include:_spf.example.com -all",
                 *       "live": true
                 *     }
                 */
                "application/json": {
                    domain: string;
                    /** @description A mailbox provider: google_workspace, microsoft_365, zoho, fastmail, proton. */
                    provider: string;
                    /** @description What the provider's console shows for DKIM, in its order: targets, or one key. Without it, a note. */
                    dkim?: string[];
                    /** @description The SPF record that stands, to be merged. */
                    spf?: string;
                    /** @description Reads what stands at the domain, merges with it, and counts look-ups through every include. */
                    live?: boolean;
                };
            };
        };
        responses: {
            /** @description Tell which records a mailbox provider needs at a domain; changes nothing */
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
                     *       "domain": "shop.example.com",
                     *       "records": [
                     *         {
                     *           "host": "shop.example.com",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null
                     *         }
                     *       ],
                     *       "notes": [
                     *         "Add the SPF record by hand if you send from nowhere else."
                     *       ],
                     *       "spf_lookups": {
                     *         "count": -9007199254740991,
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "provider": "cloudflare",
                 *       "dkim": [
                 *         "selector1-example-com._domainkey.example.onmicrosoft.com"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description A mailbox provider: google_workspace, microsoft_365, zoho, fastmail, proton. */
                    provider: string;
                    /** @description What the provider's console shows for DKIM, in its order: targets, or one key. Without it, a note. */
                    dkim?: string[];
                };
            };
        };
        responses: {
            /** @description Write a mailbox provider's records beside everything that stands, and tell what is left to do by hand */
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
                     *       "domain": "shop.example.com",
                     *       "provider": "cloudflare",
                     *       "written_records": [
                     *         {
                     *           "host": "shop.example.com",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null
                     *         }
                     *       ],
                     *       "manual_records": [
                     *         {
                     *           "host": "shop.example.com",
                     *           "relative_host": "shop",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null
                     *         }
                     *       ],
                     *       "notes": [
                     *         "Add the SPF record by hand if you send from nowhere else."
                     *       ],
                     *       "spf_lookups": {
                     *         "count": -9007199254740991,
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
    post_batches: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats of a request with the same key and body within 24 hours get the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
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
                 *         "text"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    application_id: string;
                    /** @description Up to 1000 names, or objects of a name and your name for the customer. */
                    hostnames: (string | {
                        hostname: string;
                        external_id?: string | null;
                    })[];
                };
            };
        };
        responses: {
            /** @description Start connecting up to a thousand domains, with one result for each */
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
                     *       "total": -9007199254740991,
                     *       "results": {
                     *         "created": -9007199254740991,
                     *         "existing": -9007199254740991,
                     *         "conflict": -9007199254740991,
                     *         "invalid": -9007199254740991,
                     *         "quota_exceeded": -9007199254740991
                     *       },
                     *       "states": {
                     *         "propagating": 10,
                     *         "live": 988,
                     *         "failed": 2
                     *       },
                     *       "rows": [
                     *         {
                     *           "row": -9007199254740991,
                     *           "hostname": "shop.example.com",
                     *           "external_id": "customer-1234",
                     *           "result": "created",
                     *           "connection_id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *           "problem": null,
                     *           "ownership_challenge": {
                     *             "name": "_service-challenge.shop.example.com",
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
                /** @description The next_cursor of the page before. */
                cursor?: string;
                /** @description How many, 1 to 100. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read how far a batch is, and which of its rows have failed */
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
                     *       "total": -9007199254740991,
                     *       "results": {
                     *         "created": -9007199254740991,
                     *         "existing": -9007199254740991,
                     *         "conflict": -9007199254740991,
                     *         "invalid": -9007199254740991,
                     *         "quota_exceeded": -9007199254740991
                     *       },
                     *       "states": {
                     *         "propagating": 10,
                     *         "live": 988,
                     *         "failed": 2
                     *       },
                     *       "failures": {
                     *         "data": [
                     *           {
                     *             "row": -9007199254740991,
                     *             "hostname": "shop.example.com",
                     *             "external_id": "customer-1234",
                     *             "result": "created",
                     *             "connection_id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *             "problem": null,
                     *             "state": "propagating",
                     *             "error_code": null
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
                /** @description Repeats of a request with the same key and body within 24 hours get the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
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
                     * @description How long the link works, in seconds: an hour to 30 days, 7 days if left out.
                     * @default 604800
                     */
                    expires_in?: number;
                };
            };
        };
        responses: {
            /** @description Make a link that shows the records to the colleague who owns the DNS */
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
                     *       "url": "https://app.example.com/webhooks",
                     *       "expires_at": "2026-04-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /**
                         * Format: uri
                         * @description Answered once. Whoever has it sees the records of this connection, and no more.
                         */
                        url: string;
                        /** Format: date-time */
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Withdraw every shared link of a connection */
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "domain": "shop.example.com",
                 *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab"
                 *     }
                 */
                "application/json": {
                    domain: string;
                    /**
                     * Format: uuid
                     * @description Whose credentials and template count; any of yours if left out.
                     */
                    application_id?: string;
                };
            };
        };
        responses: {
            /** @description Tell who serves a domain and how it can be connected; changes nothing */
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
                     *       "domain": "shop.example.com",
                     *       "registered": true,
                     *       "provider": "cloudflare",
                     *       "provider_slug": "cloudflare",
                     *       "setup_type": "manual",
                     *       "apex_flattening": true,
                     *       "nameserver": "ada.ns.cloudflare.com",
                     *       "apex": true,
                     *       "auto_configurable": true,
                     *       "www_redirect_recommended": true,
                     *       "capabilities": {
                     *         "cname_flattening": true,
                     *         "wildcard": true,
                     *         "caa": true,
                     *         "multi_txt": true,
                     *         "ns_delegation": true
                     *       },
                     *       "record_conflicts": [
                     *         {
                     *           "host": "shop.example.com",
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
                     *         "provider_id": "text"
                     *       },
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
                     *           "message": "CNAME shop.example.com leads to old-host.example.net.",
                     *           "fix": "Change its value to edge.example.net.",
                     *           "record": {
                     *             "host": "shop.example.com",
                     *             "relative_host": "shop",
                     *             "type": "CNAME",
                     *             "value": "edge.example.net",
                     *             "ttl": 300,
                     *             "priority": null
                     *           },
                     *           "params": {
                     *             "host": "shop.example.com",
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
                /** @description Repeats of a request with the same key and body within 24 hours get the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
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
                 *       "domain": "shop.example.com",
                 *       "external_id": "customer-1234"
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    application_id: string;
                    /** @description Binds the token to this hostname. */
                    domain?: string;
                    /** @description Your name for the customer: connections that the token creates carry it, and the token sees no others. Without it the token sees only connections that have none. */
                    external_id?: string | null;
                };
            };
        };
        responses: {
            /** @description Mint a widget token for one connect flow */
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
    get_applications: {
        parameters: {
            query?: {
                /** @description The next_cursor of the page before. */
                cursor?: string;
                /** @description How many, 1 to 100. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
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
                     *           "environment": "live",
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
                     *               "when": "subdomain"
                     *             }
                     *           ],
                     *           "origin_url": "https://origin.example.com",
                     *           "display_name": "Acme Shops",
                     *           "conflict_policy": "refuse",
                     *           "drift_policy": "notify",
                     *           "offboarding": "remove_records",
                     *           "offboarding_email": "keep",
                     *           "widget_email": true,
                     *           "companion": true,
                     *           "created_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
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
                /** @description Repeats of a request with the same key and body within 24 hours get the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
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
                 *       "environment": "live",
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
                 *           "when": "subdomain"
                 *         }
                 *       ],
                 *       "origin_url": "https://origin.example.com",
                 *       "display_name": "Acme Shops",
                 *       "conflict_policy": "refuse",
                 *       "drift_policy": "notify",
                 *       "offboarding": "remove_records",
                 *       "offboarding_email": "keep",
                 *       "widget_email": true,
                 *       "companion": true
                 *     }
                 */
                "application/json": {
                    name: string;
                    /**
                     * @description test unless given; it never changes.
                     * @enum {string}
                     */
                    environment?: "test" | "live";
                    allowed_origins?: string[];
                    record_template?: components["schemas"]["TemplateRecord"][];
                    origin_url?: string | null;
                    /** @description What visitors are shown on the edge's own pages, such as the product's name. */
                    display_name?: string | null;
                    /** @enum {string} */
                    conflict_policy?: "refuse" | "replace";
                    /** @enum {string} */
                    drift_policy?: "notify" | "repair";
                    /** @enum {string} */
                    offboarding?: "remove_records" | "keep_records";
                    /**
                     * @description What becomes of mail records that we wrote, when their connection is archived.
                     * @enum {string}
                     */
                    offboarding_email?: "keep" | "remove";
                    widget_email?: boolean;
                    /** @description Whether www is connected beside an apex, and the apex beside www. */
                    companion?: boolean;
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
                     *       "environment": "live",
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
                     *           "when": "subdomain"
                     *         }
                     *       ],
                     *       "origin_url": "https://origin.example.com",
                     *       "display_name": "Acme Shops",
                     *       "conflict_policy": "refuse",
                     *       "drift_policy": "notify",
                     *       "offboarding": "remove_records",
                     *       "offboarding_email": "keep",
                     *       "widget_email": true,
                     *       "companion": true,
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read an application */
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
                     *       "environment": "live",
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
                     *           "when": "subdomain"
                     *         }
                     *       ],
                     *       "origin_url": "https://origin.example.com",
                     *       "display_name": "Acme Shops",
                     *       "conflict_policy": "refuse",
                     *       "drift_policy": "notify",
                     *       "offboarding": "remove_records",
                     *       "offboarding_email": "keep",
                     *       "widget_email": true,
                     *       "companion": true,
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
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
                 *           "when": "subdomain"
                 *         }
                 *       ],
                 *       "origin_url": "https://origin.example.com",
                 *       "display_name": "Acme Shops",
                 *       "conflict_policy": "refuse",
                 *       "drift_policy": "notify",
                 *       "offboarding": "remove_records",
                 *       "offboarding_email": "keep",
                 *       "widget_email": true,
                 *       "companion": true
                 *     }
                 */
                "application/json": {
                    name?: string;
                    allowed_origins?: string[];
                    record_template?: components["schemas"]["TemplateRecord"][];
                    origin_url?: string | null;
                    /** @description What visitors are shown on the edge's own pages, such as the product's name. */
                    display_name?: string | null;
                    /** @enum {string} */
                    conflict_policy?: "refuse" | "replace";
                    /** @enum {string} */
                    drift_policy?: "notify" | "repair";
                    /** @enum {string} */
                    offboarding?: "remove_records" | "keep_records";
                    /**
                     * @description What becomes of mail records that we wrote, when their connection is archived.
                     * @enum {string}
                     */
                    offboarding_email?: "keep" | "remove";
                    widget_email?: boolean;
                    /** @description Whether www is connected beside an apex, and the apex beside www. */
                    companion?: boolean;
                };
            };
        };
        responses: {
            /** @description Change an application; what is left out stays as it is */
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
                     *       "environment": "live",
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
                     *           "when": "subdomain"
                     *         }
                     *       ],
                     *       "origin_url": "https://origin.example.com",
                     *       "display_name": "Acme Shops",
                     *       "conflict_policy": "refuse",
                     *       "drift_policy": "notify",
                     *       "offboarding": "remove_records",
                     *       "offboarding_email": "keep",
                     *       "widget_email": true,
                     *       "companion": true,
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
                /** @description The next_cursor of the page before. */
                cursor?: string;
                /** @description How many, 1 to 100. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List an application's keys, without secrets */
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
                     *           "name": "Shop",
                     *           "last4": "7Qx2",
                     *           "environment": "live",
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
                /** @description Repeats of a request with the same key and body within 24 hours get the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Shop",
                 *       "scopes": [
                 *         "connections:read",
                 *         "connections:write"
                 *       ]
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @description The caller's unless given. */
                    scopes?: ("connections:read" | "connections:write" | "apps:admin" | "webhooks:write" | "usage:read")[];
                };
            };
        };
        responses: {
            /** @description Create an API key; its secret is told once */
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
                     *       "name": "Shop",
                     *       "last4": "7Qx2",
                     *       "environment": "live",
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoke a key; its next request is refused */
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
                     *       "name": "Shop",
                     *       "last4": "7Qx2",
                     *       "environment": "live",
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
    get_applications_by_id_credentials: {
        parameters: {
            query?: {
                /** @description The next_cursor of the page before. */
                cursor?: string;
                /** @description How many, 1 to 100. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List an application's credentials, without secrets */
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
                     *           "environment": "live",
                     *           "provider": "cloudflare",
                     *           "label": "DNS of example.com",
                     *           "hint": "…a1b2",
                     *           "zones": [
                     *             "example.com"
                     *           ],
                     *           "status": "ok",
                     *           "reason": "The records are not there yet.",
                     *           "last_verified_at": "2026-04-01T12:00:00.000Z",
                     *           "expires_at": "2026-04-01T12:00:00.000Z",
                     *           "created_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
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
                /** @description Repeats of a request with the same key and body within 24 hours get the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
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
                 *         "api_token": "the-token-that-the-provider-gave-you"
                 *       },
                 *       "label": "DNS of example.com",
                 *       "expires_at": "2026-04-01T12:00:00.000Z"
                 *     }
                 */
                "application/json": {
                    provider: string;
                    /** @description The provider's fields by name; see GET /providers. Never answered, never logged. */
                    credentials: {
                        [key: string]: string;
                    };
                    label?: string;
                    /**
                     * Format: date-time
                     * @description When the secret ends, where the provider does not tell us; you are warned three weeks before.
                     */
                    expires_at?: string;
                };
            };
        };
        responses: {
            /** @description Give an application a credential of a DNS provider; it is shown to the provider at once */
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
                     *       "environment": "live",
                     *       "provider": "cloudflare",
                     *       "label": "DNS of example.com",
                     *       "hint": "…a1b2",
                     *       "zones": [
                     *         "example.com"
                     *       ],
                     *       "status": "ok",
                     *       "reason": "The records are not there yet.",
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
                cid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Show a credential to its provider again */
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
                     *       "environment": "live",
                     *       "provider": "cloudflare",
                     *       "label": "DNS of example.com",
                     *       "hint": "…a1b2",
                     *       "zones": [
                     *         "example.com"
                     *       ],
                     *       "status": "ok",
                     *       "reason": "The records are not there yet.",
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
                cid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Forget a credential; what it wrote stays where it is */
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
                cid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "credentials": {
                 *         "api_token": "the-token-that-the-provider-gave-you"
                 *       },
                 *       "label": "DNS of example.com",
                 *       "expires_at": "2026-04-01T12:00:00.000Z"
                 *     }
                 */
                "application/json": {
                    /** @description The provider's fields by name; see GET /providers. Never answered, never logged. */
                    credentials?: {
                        [key: string]: string;
                    };
                    label?: string | null;
                    expires_at?: string | null;
                };
            };
        };
        responses: {
            /** @description Replace the secret in place, or the label: connections go on with the new one */
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
                     *       "environment": "live",
                     *       "provider": "cloudflare",
                     *       "label": "DNS of example.com",
                     *       "hint": "…a1b2",
                     *       "zones": [
                     *         "example.com"
                     *       ],
                     *       "status": "ok",
                     *       "reason": "The records are not there yet.",
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
                /** @description The next_cursor of the page before. */
                cursor?: string;
                /** @description How many, 1 to 100. */
                limit?: number;
                application_id?: string;
            };
            header?: {
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
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
                     *           "environment": "live",
                     *           "url": "https://app.example.com/webhooks",
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
                /** @description Repeats of a request with the same key and body within 24 hours get the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
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
                 *       "url": "https://app.example.com/webhooks",
                 *       "events": [
                 *         "domain.verified",
                 *         "domain.drift"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    application_id: string;
                    /** @description https; in the test environment http too. */
                    url: string;
                    /** @description domain.added, domain.verified, ssl.issued, domain.flow.completed and domain.drift unless given; the others only by name. */
                    events?: ("domain.added" | "domain.verified" | "ssl.issued" | "domain.flow.completed" | "domain.drift" | "domain.restored" | "domain.stalled" | "domain.failed" | "domain.claim_lost" | "ssl.failing" | "batch.completed")[];
                };
            };
        };
        responses: {
            /** @description Register a receiver of webhooks; its signing secret is told once */
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
                     *       "environment": "live",
                     *       "url": "https://app.example.com/webhooks",
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "activates_at": "2026-04-01T12:00:00.000Z",
                 *       "now": true
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description When the new secret begins to sign; 24 hours from now unless given, 30 days at most.
                     */
                    activates_at?: string;
                    /** @description After a leak: the old secret ends at once. */
                    now?: boolean;
                };
            };
        };
        responses: {
            /** @description Make a new signing secret, which begins to sign later, or at once after a leak */
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
                     *       "environment": "live",
                     *       "url": "https://app.example.com/webhooks",
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
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
                     * @description webhook.test unless given. Examples of other kinds go to endpoints in test only.
                     * @enum {string}
                     */
                    type?: "webhook.test" | "domain.added" | "domain.verified" | "ssl.issued" | "domain.flow.completed" | "domain.drift" | "domain.restored" | "domain.stalled" | "domain.failed" | "domain.claim_lost" | "ssl.failing" | "batch.completed";
                };
            };
        };
        responses: {
            /** @description Send a test event to this endpoint alone */
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
                     *       "attempt_count": -9007199254740991,
                     *       "next_attempt_at": "2026-04-01T12:00:00.000Z",
                     *       "last_attempt_at": "2026-04-01T12:00:00.000Z",
                     *       "delivered_at": "2026-04-01T12:00:00.000Z",
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
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
                     * @description Events from then on are sent that were not delivered; 30 days are kept.
                     */
                    since: string;
                };
            };
        };
        responses: {
            /** @description Send again every event since a time that was not delivered to this endpoint */
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
                     *       "recovered": -9007199254740991,
                     *       "more": true
                     *     }
                     */
                    "application/json": {
                        /** @description How many events are being sent now. */
                        recovered: number;
                        /** @description Whether there are others: ask again. */
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
                /** @description The next_cursor of the page before. */
                cursor?: string;
                /** @description How many, 1 to 100. */
                limit?: number;
                status?: "pending" | "delivered" | "failed";
                /** @description A kind of event. */
                event?: "webhook.test" | "domain.added" | "domain.verified" | "ssl.issued" | "domain.flow.completed" | "domain.drift" | "domain.restored" | "domain.stalled" | "domain.failed" | "domain.claim_lost" | "ssl.failing" | "batch.completed";
                since?: string;
                until?: string;
            };
            header?: {
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
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
                     *           "attempt_count": -9007199254740991,
                     *           "next_attempt_at": "2026-04-01T12:00:00.000Z",
                     *           "last_attempt_at": "2026-04-01T12:00:00.000Z",
                     *           "delivered_at": "2026-04-01T12:00:00.000Z",
                     *           "created_at": "2026-04-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a webhook endpoint, without its secret */
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
                     *       "environment": "live",
                     *       "url": "https://app.example.com/webhooks",
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a webhook endpoint; what is under way is not sent */
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://app.example.com/webhooks",
                 *       "events": [
                 *         "domain.verified",
                 *         "domain.drift"
                 *       ],
                 *       "active": true
                 *     }
                 */
                "application/json": {
                    url?: string;
                    events?: ("domain.added" | "domain.verified" | "ssl.issued" | "domain.flow.completed" | "domain.drift" | "domain.restored" | "domain.stalled" | "domain.failed" | "domain.claim_lost" | "ssl.failing" | "batch.completed")[];
                    active?: boolean;
                };
            };
        };
        responses: {
            /** @description Change where webhooks go, which, and whether; what is left out stays as it is */
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
                     *       "environment": "live",
                     *       "url": "https://app.example.com/webhooks",
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
    post_deliveries_by_id_replay: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send an event to its endpoint again, now */
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
                     *       "attempt_count": -9007199254740991,
                     *       "next_attempt_at": "2026-04-01T12:00:00.000Z",
                     *       "last_attempt_at": "2026-04-01T12:00:00.000Z",
                     *       "delivered_at": "2026-04-01T12:00:00.000Z",
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a delivery with every attempt at it */
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
                     *       "attempt_count": -9007199254740991,
                     *       "next_attempt_at": "2026-04-01T12:00:00.000Z",
                     *       "last_attempt_at": "2026-04-01T12:00:00.000Z",
                     *       "delivered_at": "2026-04-01T12:00:00.000Z",
                     *       "created_at": "2026-04-01T12:00:00.000Z",
                     *       "attempts": [
                     *         {
                     *           "number": -9007199254740991,
                     *           "at": "2026-04-01T12:00:00.000Z",
                     *           "url": "https://app.example.com/webhooks",
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
                /** @description The next_cursor of the page before. */
                cursor?: string;
                /** @description How many, 1 to 100. */
                limit?: number;
                type?: "webhook.test" | "domain.added" | "domain.verified" | "ssl.issued" | "domain.flow.completed" | "domain.drift" | "domain.restored" | "domain.stalled" | "domain.failed" | "domain.claim_lost" | "ssl.failing" | "batch.completed";
                application_id?: string;
                connection_id?: string;
            };
            header?: {
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the events of the last 30 days, whether or not an endpoint got them */
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
                     *           "type": "CNAME",
                     *           "timestamp": "2026-04-01T12:00:00.000Z",
                     *           "api_version": "v1",
                     *           "environment": "live",
                     *           "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *           "sequence": 2,
                     *           "data": {}
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read an event, and to which endpoints it was delivered */
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
                     *       "type": "CNAME",
                     *       "timestamp": "2026-04-01T12:00:00.000Z",
                     *       "api_version": "v1",
                     *       "environment": "live",
                     *       "application_id": "0192f0c0-1111-7abc-8def-0123456789ab",
                     *       "sequence": 2,
                     *       "data": {},
                     *       "deliveries": [
                     *         {
                     *           "id": "0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f",
                     *           "endpoint_id": "0192f0c4-4444-7abc-8def-0123456789ab",
                     *           "event_id": "0192f0c5-5555-7abc-8def-0123456789ab",
                     *           "event_type": "domain.verified",
                     *           "status": "pending",
                     *           "reason": null,
                     *           "attempt_count": -9007199254740991,
                     *           "next_attempt_at": "2026-04-01T12:00:00.000Z",
                     *           "last_attempt_at": "2026-04-01T12:00:00.000Z",
                     *           "delivered_at": "2026-04-01T12:00:00.000Z",
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the DNS providers that records can be written at */
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
                     *           "name": "Shop",
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
                     *                 "help": ""
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
                /** @description A month by UTC, as YYYY-MM; the present one unless given. */
                period?: string;
                /** @description One application; the whole tenant unless given. */
                application_id?: string;
            };
            header?: {
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read what was used in a month, beside what the plan allows */
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
                     *       "period_start": "2026-04-01T12:00:00.000Z",
                     *       "period_end": "2026-04-01T12:00:00.000Z",
                     *       "plan": "growth",
                     *       "data": [
                     *         {
                     *           "kind": "connect",
                     *           "quantity": -9007199254740991,
                     *           "counted": -9007199254740991,
                     *           "limit": -9007199254740991
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the plans there are */
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
                     *           "price": {
                     *             "amount": 2900,
                     *             "currency": "eur",
                     *             "interval": "month"
                     *           },
                     *           "limits": {
                     *             "connects_per_period": -9007199254740991
                     *           },
                     *           "features": []
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
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
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read which plan the tenant has, and what pays for it */
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
                     *       "plan": "growth",
                     *       "status": "pending",
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
                /** @description Repeats of a request with the same key and body within 24 hours get the first answer again. */
                "Idempotency-Key"?: string;
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
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
                    plan: string;
                    /** Format: uri */
                    success_url?: string;
                    /** Format: uri */
                    cancel_url?: string;
                };
            };
        };
        responses: {
            /** @description Choose a plan: changes the subscription there is, or opens a checkout for a first one */
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
                     *       "plan": "growth",
                     *       "status": "pending",
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
                /** @description The next_cursor of the page before. */
                cursor?: string;
                /** @description How many, 1 to 100. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
                "X-Request-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who changed what: applications and keys */
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
                     *           "environment": "live",
                     *           "actor": {
                     *             "kind": "key",
                     *             "key_id": "0192f0c2-2222-7abc-8def-0123456789ab"
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
    put_sandbox_records: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, for its answer and our log; one is made where it is missing or malformed. */
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
                 *           "host": "shop.example.test",
                 *           "type": "CNAME",
                 *           "value": "edge.example.net",
                 *           "ttl": 300,
                 *           "priority": null
                 *         }
                 *       ],
                 *       "remove": [
                 *         {
                 *           "host": "shop.example.test",
                 *           "type": "CNAME"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description At each host and type named here, exactly these values stand afterwards. */
                    records: {
                        host: string;
                        /** @enum {string} */
                        type: "A" | "AAAA" | "CNAME" | "ALIAS" | "TXT" | "MX" | "CAA" | "NS" | "SRV";
                        value: string;
                        /** @default 300 */
                        ttl?: number;
                        /** @default null */
                        priority?: number | null;
                    }[];
                    /**
                     * @description Hosts, or types at a host, at which nothing stands afterwards.
                     * @default []
                     */
                    remove?: {
                        host: string;
                        /** @enum {string} */
                        type?: "A" | "AAAA" | "CNAME" | "ALIAS" | "TXT" | "MX" | "CAA" | "NS" | "SRV";
                    }[];
                };
            };
        };
        responses: {
            /** @description Set records in the sandbox's DNS, as a customer would at a provider */
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
                     *           "host": "shop.example.test",
                     *           "type": "CNAME",
                     *           "value": "edge.example.net",
                     *           "ttl": 300,
                     *           "priority": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
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
