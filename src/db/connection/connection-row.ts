import { CERTIFICATE_SOURCES } from '../../domain/certificate/certificate.ts';
import { StoredRoute } from './own-routes.ts';
import { z } from 'zod';
import { PROOFS } from '../../domain/connection/cname-proof.ts';
import { ERROR_CODES, SETUP_TYPES, STATES } from '../../domain/connection/connection.ts';
import { RECORD_CHANGES } from '../../domain/connection/record-change.ts';
import { FINDING_CODES } from '../../domain/observation/finding.ts';
import { RECORD_TYPES } from '../../domain/record.ts';
import { sql } from '../pool.ts';

export const StoredRecord = z.object({
  host: z.string(),
  type: z.enum(RECORD_TYPES),
  value: z.string(),
  ttl: z.number(),
  priority: z.number().nullable(),
});

/** See `DesiredRecord`. */
export const StoredDesiredRecord = StoredRecord.extend({
  edge: z.literal(true).exactOptional(),
  required: z.literal(false).exactOptional(),
});

export const StoredFinding = z.object({
  code: z.enum(FINDING_CODES),
  severity: z.enum(['info', 'warning', 'error']),
  message: z.string(),
  fix: z.string().nullable(),
  record: StoredRecord.exactOptional(),
  records: z.array(StoredRecord).exactOptional(),
  params: z.record(z.string(), z.string()).exactOptional(),
});

export const ConnectionRow = z.object({
  id: z.uuid(),
  tenant_id: z.uuid(),
  application_id: z.uuid(),
  environment: z.enum(['test', 'live']),
  hostname: z.string(),
  kind: z.enum(['apex', 'subdomain']),
  state: z.enum(STATES),
  setup_type: z.enum(SETUP_TYPES),
  provider: z.string().nullable(),
  nameservers: z.array(z.string()).nullable(),
  error_code: z.enum(ERROR_CODES).nullable(),
  batch_id: z.uuid().nullable(),
  companion_of: z.uuid().nullable(),
  external_id: z.string().nullable(),
  challenge_token: z.string(),
  desired_records: z.array(StoredDesiredRecord),
  findings: z.array(StoredFinding),
  version: z.number(),
  /** Differs after every change of the row or of its times, by any process. See `updateRow`. */
  revision: z.string(),
  phase_started_at: z.date().nullable(),
  unasked_ms: z.number(),
  fast_until: z.date().nullable(),
  last_checked_at: z.date().nullable(),
  next_check_at: z.date().nullable(),
  mismatch_count: z.number(),
  first_mismatch_at: z.date().nullable(),
  live_at: z.date().nullable(),
  flow_completed_at: z.date().nullable(),
  certificate_status: z.enum(['none', 'pending', 'issued', 'failed', 'expired']),
  certificate_not_before: z.date().nullable(),
  certificate_not_after: z.date().nullable(),
  certificate_ca: z.string().nullable(),
  certificate_checked_at: z.date().nullable(),
  /** Null until a handshake has shown a certificate; `edge`: Caddy obtained it. */
  certificate_source: z.enum(CERTIFICATE_SOURCES).nullable(),
  certificate_serial: z.string().nullable(),
  certificate_names: z.array(z.string()).nullable(),
  /** Whether another server obtained it, from which it was imported. */
  certificate_imported: z.boolean(),
  /** Whether the certificate is ordered before the records that point here change. */
  before_dns: z.boolean(),
  /** `hold`: the records that point here wait for a cutover. */
  point: z.enum(['auto', 'hold']),
  /** The name to which the customer delegates the challenges of the CA; null if a credential writes them. */
  delegated_to: z.string().nullable(),
  ready_to_point: z.boolean(),
  ready_at: z.date().nullable(),
  /** The records that were published when it became ready. While they stay, no deadline runs. */
  records_when_ready: z.string().nullable(),
  /** Settings for its visitors that differ from the application's; null if none do. */
  route: StoredRoute.nullable(),
  /** False: it wants records only. No edge serves it, and it holds no claim. */
  serve: z.boolean(),
  proof: z.enum(PROOFS),
  /** The target of an imported hostname, to which its CNAME points. The TXT record can prove it nevertheless. */
  proof_target: z.string().nullable(),
  proof_checked_at: z.date().nullable(),
  proof_missing_since: z.date().nullable(),
  /** Values for the application's template. */
  variables: z.record(z.string(), z.string()),
  record_change: z.enum(RECORD_CHANGES).nullable(),
  record_changed_at: z.date().nullable(),
  retiring_records: z.array(StoredDesiredRecord),
  /** Whether the hostname of an archived connection was last seen pointing here, and when that was checked. */
  dangling: z.boolean(),
  departure_checked_at: z.date().nullable(),
  cleanup: z.enum(['none', 'pending', 'done', 'failed']),
  created_at: z.date(),
  archived_at: z.date().nullable(),
  credential_id: z.uuid().nullable(),
  repaired_at: z.array(z.date()).nullable(),
  /** The test application's factor for sandbox hostnames. */
  sandbox_speed: z.number().nullable(),
});

export type ConnectionRow = z.infer<typeof ConnectionRow>;

/** Columns of the table `checks`, which every check updates, for SELECT and RETURNING of `connections`. */
export const checkColumns = sql.fragment`
  (SELECT checks.last_checked_at FROM checks WHERE checks.connection_id = connections.id) AS last_checked_at,
  (SELECT checks.next_check_at FROM checks WHERE checks.connection_id = connections.id) AS next_check_at`;

/** The transactions that last wrote the row and its times. */
export const revision = sql.fragment`
  connections.xmin::text || ' ' ||
    coalesce((SELECT checks.xmin::text FROM checks WHERE checks.connection_id = connections.id), '')`;

export const connectionColumns = sql.fragment`
  id, tenant_id, application_id, environment, hostname, kind, state, setup_type, provider, nameservers, error_code, batch_id, companion_of,
  external_id, challenge_token, desired_records, findings, version, ${revision} AS revision, phase_started_at, unasked_ms, fast_until,
  ${checkColumns}, mismatch_count, first_mismatch_at, live_at, flow_completed_at, certificate_status,
  certificate_not_before, certificate_not_after, certificate_ca, certificate_checked_at,
  certificate_source, certificate_serial, certificate_names, certificate_imported, before_dns, point, delegated_to,
  ready_to_point, ready_at, records_when_ready, route, serve, proof, proof_target, proof_checked_at, proof_missing_since,
  variables, record_change, record_changed_at, retiring_records, dangling,
  departure_checked_at, cleanup, created_at,
  archived_at, credential_id, repaired_at,
  CASE WHEN environment = 'test' THEN (
    SELECT applications.sandbox_speed FROM applications WHERE applications.id = application_id) END AS sandbox_speed
`;
