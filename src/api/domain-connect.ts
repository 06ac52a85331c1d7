import { LACKS_RECORDS } from '../domain/connection/state-sets.ts';
import { z } from 'zod';
import type { ConnectionDetailRow } from '../db/connection/connection-detail.ts';
import { signQuery, type SigningKeys } from '../domain-connect/keys.ts';
import { applyQuery, DC_ERROR_SENTENCES, dcChoice, isDcService } from '../domain/zone/domain-connect.ts';
import type { Finding } from '../domain/observation/finding.ts';
import { relativeHost } from '../domain/record.ts';
import type { EdgeTargets } from '../domain/connection/template.ts';
import { isSigned, sign, type Keyring } from './signed.ts';

export const RETURN_PATH = '/domain-connect/return';

/** How we are known to DNS providers. */
export interface DomainConnectIdentity {
  providerId: string;
  signingKeys: SigningKeys;
}

interface Parts {
  identity: DomainConnectIdentity;
  edge: EdgeTargets;
  baseUrl: string;
  stateKeys: Keyring;
}

export interface ApplyLink {
  provider_id: string;
  provider_name: string;
  apply_url: string;
}

/**
 * The page at the DNS provider where the customer consents, signed anew for each reader and without asking any server.
 * None where the connection needs no records any more, or the provider cannot write just those that it wants.
 */
export function applyLink(
  { identity, edge, baseUrl, stateKeys }: Parts,
  row: ConnectionDetailRow,
  session: string,
  now: Date,
): ApplyLink | null {
  const offer = row.domain_connect_offer;
  if (offer === null || !LACKS_RECORDS.has(row.state)) return null;
  const service = dcChoice(row, offer, edge);
  if (!isDcService(service)) return null;
  const [key] = identity.signingKeys;
  const host = relativeHost(row.hostname, offer.zone);
  const query = applyQuery({
    domain: offer.zone,
    host: host === '@' ? '' : host,
    challenge: row.challenge_token,
    redirect_uri: `${baseUrl}${RETURN_PATH}`,
    state: writeState(stateKeys, { connectionId: row.id, tenantId: row.tenant_id, session, at: now.getTime() }),
  });
  const place = `v2/domainTemplates/providers/${encodeURIComponent(identity.providerId)}/services/${service}/apply`;
  const signature = encodeURIComponent(signQuery(key, query));
  return {
    provider_id: offer.provider_id,
    provider_name: offer.provider_name,
    // Cloudflare wants the signature last.
    apply_url: `${offer.url_sync_ux}/${place}?${query}&key=${encodeURIComponent(key.kid)}&sig=${signature}`,
  };
}

/** What the provider reported when it last led the customer back; a return without a failure, or success in DNS, ends it. */
export function returnFindings(row: ConnectionDetailRow): Finding[] {
  const error = row.domain_connect_return?.error ?? null;
  if (error === null || !LACKS_RECORDS.has(row.state)) return [];
  return [
    {
      code: 'domain_connect_refused',
      severity: 'warning',
      message: DC_ERROR_SENTENCES[error],
      fix: 'Try again, or add the records by hand.',
    },
  ];
}

const PURPOSE = 'domain connect state';
const STATE_LIVES_MS = 3_600_000;

/** What an apply URL remembers of the reader for whom it was made. */
export interface ApplyState {
  connectionId: string;
  tenantId: string;
  /** The widget token or API key that read it. */
  session: string;
  at: number;
}
const Payload = z.tuple([z.uuid(), z.uuid(), z.string().max(100), z.int()]);

export function writeState(keys: Keyring, { connectionId, tenantId, session, at }: ApplyState): string {
  const text = JSON.stringify([connectionId, tenantId, session, at]);
  return Buffer.concat([sign(keys[0], PURPOSE, text), Buffer.from(text)]).toString('base64url');
}

/** Null for what we never wrote, and for what was written too long ago. */
export function readState(keys: Keyring, state: string, now: Date): ApplyState | null {
  const bytes = Buffer.from(state, 'base64url');
  const text = bytes.subarray(32).toString();
  if (bytes.toString('base64url') !== state || !isSigned(keys, PURPOSE, text, bytes.subarray(0, 32))) return null;
  const [connectionId, tenantId, session, at] = Payload.parse(JSON.parse(text));
  const age = now.getTime() - at;
  return age >= 0 && age <= STATE_LIVES_MS ? { connectionId, tenantId, session, at } : null;
}
