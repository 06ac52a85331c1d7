import { z } from 'zod';
import { STATES } from '../../domain/connection/connection.ts';
import type { Find } from '../tenant/callers.ts';
import { checkColumns, ConnectionRow, StoredFinding, StoredRecord } from './connection-row.ts';
import { CREDENTIAL_STATUS, pausedProviderOfConnection, writerOfConnection } from '../zone/credentials.ts';
import { StoredMail } from '../observation/mail.ts';
import { StoredOffer, StoredReturn } from '../zone/domain-connect.ts';
import { sql, type Fragment, type Queryable } from '../pool.ts';

const ObservedRecord = StoredRecord.extend({
  propagated: z.boolean(),
  optional: z.literal(true).exactOptional(),
  observed_value: z.string().nullable(),
  observed: z.array(StoredRecord.omit({ host: true })).default([]),
});

const time = z.coerce.date();

/** The columns that responses show. This is the most frequent query of tenants. */
const Shown = ConnectionRow.pick({
  id: true,
  tenant_id: true,
  application_id: true,
  environment: true,
  hostname: true,
  kind: true,
  state: true,
  setup_type: true,
  provider: true,
  error_code: true,
  batch_id: true,
  external_id: true,
  challenge_token: true,
  desired_records: true,
  findings: true,
  certificate_status: true,
  certificate_ca: true,
  certificate_source: true,
  certificate_serial: true,
  certificate_names: true,
  certificate_imported: true,
  before_dns: true,
  point: true,
  delegated_to: true,
  ready_to_point: true,
  records_when_ready: true,
  route: true,
  serve: true,
  proof: true,
  proof_target: true,
  variables: true,
  record_change: true,
  cleanup: true,
}).extend({
  live_at: time.nullable(),
  phase_started_at: time.nullable(),
  unasked_ms: z.number(),
  certificate_not_before: time.nullable(),
  certificate_not_after: time.nullable(),
  created_at: time,
});
const shownColumns = sql.join(
  [...Object.keys(Shown.shape).map((name) => sql.identifier([name])), checkColumns],
  sql.fragment`, `,
);

const Companion = z.object({ id: z.uuid(), hostname: z.string(), state: z.enum(STATES) });

/** Whether an order for the certificate is in progress, or none can succeed. */
const Ordering = z.object({ is_ordering: z.boolean(), falls_back: z.boolean() });
const orderingOf = (connectionId: Fragment) => sql.fragment`
  EXISTS (SELECT FROM acme_orders WHERE acme_orders.connection_id = ${connectionId}) AS is_ordering,
  EXISTS (SELECT FROM acme_failures WHERE acme_failures.connection_id = ${connectionId} AND falls_back) AS falls_back
`;

/** A connection with its last observed records and the last fifty entries of its timeline, read as one JSON value. */
const ConnectionDetailRow = Shown.extend({
  last_checked_at: time.nullable(),
  next_check_at: time.nullable(),
  /** The credential of the last write or refusal. */
  credential: z
    .object({
      provider: z.string(),
      label: z.string().nullable(),
      status: z.enum(CREDENTIAL_STATUS),
      reason: z.string().nullable(),
      expires_at: time.nullable(),
    })
    .nullable(),
  /** The companion that redirects to this connection. */
  companion: Companion.extend({
    ...Shown.pick({
      challenge_token: true,
      desired_records: true,
      findings: true,
      before_dns: true,
      delegated_to: true,
      ready_to_point: true,
      records_when_ready: true,
      live_at: true,
    }).shape,
    ...Ordering.shape,
  }).nullable(),
  main: Companion.nullable(),
  domain_connect_offer: StoredOffer.nullable(),
  domain_connect_return: StoredReturn.nullable(),
  /** The application's credential that covers the hostname now, and its conflict policy. */
  writer: z.object({ provider: z.string(), conflict_policy: z.enum(['refuse', 'replace']) }).nullable(),
  /** The provider of that credential if the operator has paused it. */
  paused_provider: z.string().nullable(),
  /** The zone of the hostname, as the last check found it. */
  zone: z.string().nullable(),
  observation: z
    .object({
      last_at: time,
      records: z.array(ObservedRecord),
      findings: z
        .array(StoredFinding)
        .nullish()
        .transform((findings) => findings ?? []),
    })
    .nullable(),
  timeline: z.array(
    z.object({
      at: time,
      kind: z.string(),
      from_state: z.enum(STATES).nullable(),
      to_state: z.enum(STATES).nullable(),
      reason: z.string().nullable(),
    }),
  ),
  ...Ordering.shape,
  /** The registration of its domain, if it is checked. */
  registration: z
    .object({
      domain: z.string(),
      registered_at: time.nullable(),
      expires_at: time.nullable(),
      missing_since: time.nullable(),
      missing_days: z.number(),
      answered_at: time.nullable(),
      proved_at: time.nullable(),
    })
    .nullable(),
  /** Present only if it was asked for. */
  mail: StoredMail.nullish(),
});
export type ConnectionDetailRow = z.infer<typeof ConnectionDetailRow>;

const detail = sql.fragment`
  SELECT ${shownColumns},
    (SELECT json_build_object('provider', used.provider, 'label', label, 'status', status, 'reason', reason, 'expires_at', expires_at)
     FROM credentials AS used WHERE used.id = connections.credential_id) AS credential,
    (SELECT to_json(companion) FROM (
       SELECT id, hostname, state, challenge_token, desired_records, findings, before_dns, delegated_to, ready_to_point,
         records_when_ready, live_at, ${orderingOf(sql.fragment`beside.id`)}
       FROM connections AS beside WHERE beside.companion_of = connections.id AND beside.state <> 'archived'
       ORDER BY beside.id DESC LIMIT 1) AS companion) AS companion,
    (SELECT json_build_object('id', beside.id, 'hostname', beside.hostname, 'state', beside.state)
     FROM connections AS beside WHERE beside.id = connections.companion_of) AS main,
    (SELECT to_json(offer) FROM (
       SELECT kept.*, (SELECT record_template FROM applications WHERE applications.id = connections.application_id)
       FROM domain_connect_offers AS kept WHERE kept.connection_id = connections.id) AS offer) AS domain_connect_offer,
    (SELECT to_json(back) FROM domain_connect_returns AS back WHERE back.connection_id = connections.id) AS domain_connect_return,
    ${orderingOf(sql.fragment`connections.id`)},
    (SELECT json_build_object('domain', domain, 'registered_at', registered_at, 'expires_at', expires_at,
       'missing_since', missing_since, 'missing_days', missing_days, 'answered_at', answered_at, 'proved_at', proved_at)
     FROM registrations WHERE domain = connections.registered_domain) AS registration,
    (${writerOfConnection}) AS writer,
    (${pausedProviderOfConnection}) AS paused_provider,
    (SELECT seen #>> '{evidence,zone,name}' FROM observations WHERE connection_id = connections.id
     ORDER BY observations.id DESC LIMIT 1) AS zone,
    (SELECT json_build_object('last_at', last_at, 'records', seen -> 'records', 'findings', seen -> 'findings')
     FROM observations WHERE connection_id = connections.id AND purpose = 'records'
     ORDER BY observations.id DESC LIMIT 1) AS observation,
    (SELECT coalesce(json_agg(recent), '[]')
     FROM (SELECT at, kind, from_state, to_state, reason FROM timeline WHERE connection_id = connections.id
           ORDER BY timeline.id DESC LIMIT 50) AS recent) AS timeline
  FROM connections
`;

export const getConnectionDetail = async (db: Queryable, id: string): Promise<ConnectionDetailRow | null> => {
  const row = await db.maybeOne(sql.type(z.object({ found: ConnectionDetailRow }))`
    SELECT to_json(whole) AS found FROM (${detail} WHERE id = ${id}) AS whole
  `);
  return row?.found ?? null;
};

/** Returns the query for the statement that authenticates the caller. */
export const findConnectionDetail = (id: string, { mail }: { mail: boolean }): Find<ConnectionDetailRow> => ({
  name: mail ? 'connection detail and mail' : 'connection detail',
  select: `SELECT to_json(whole) AS found FROM (
    SELECT shown.*${mail ? ', to_json(seen) AS mail' : ''}
    FROM (${detail.sql} WHERE id = $1 AND tenant_id = caller.tenant_id) AS shown
    ${mail ? 'LEFT JOIN mail_observations AS seen ON seen.connection_id = shown.id' : ''}) AS whole`,
  id,
  parse: (found) => ConnectionDetailRow.parse(found),
});
