import { providerName } from '../zone/provider-names.ts';
import type { Proof } from './cname-proof.ts';
import type { ConnectionError, Environment, Kind, SetupType, State } from './connection.ts';

/** Public facts of a connection, as the database holds them. */
export interface ConnectionFacts {
  id: string;
  application_id: string;
  environment: Environment;
  hostname: string;
  kind: Kind;
  setup_type: SetupType;
  state: State;
  provider: string | null;
  batch_id: string | null;
  external_id: string | null;
  serve: boolean;
  proof: Proof;
  error_code: ConnectionError | null;
  created_at: Date;
}

/** A connection as API responses, events and pages show it. */
export interface ConnectionResource extends Omit<ConnectionFacts, 'created_at'> {
  provider_name: string | null;
  created_at: string;
}

export const presentConnection = (row: ConnectionFacts): ConnectionResource => ({
  id: row.id,
  application_id: row.application_id,
  environment: row.environment,
  hostname: row.hostname,
  kind: row.kind,
  setup_type: row.setup_type,
  state: row.state,
  provider: row.provider,
  provider_name: providerName(row.provider),
  batch_id: row.batch_id,
  external_id: row.external_id,
  serve: row.serve,
  proof: row.proof,
  error_code: row.error_code,
  created_at: row.created_at.toISOString(),
});
