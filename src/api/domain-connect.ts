import { LACKS_RECORDS } from '../domain/connection/state-sets.ts';
import { z } from 'zod';
import type { ConnectionDetailRow } from '../db/connection/connection-detail.ts';
import type { StoredOffer } from '../db/zone/domain-connect.ts';
import { signQuery, type SigningKeys } from '../domain-connect/keys.ts';
import { ownService } from '../domain-connect/own-service.ts';
import { hostnameParts } from '../dns/suffix.ts';
import { isWildcard } from '../domain/certificate/dns-validation.ts';
import { ownParameters, wantsTemplate } from '../domain/zone/domain-connect-records.ts';
import { applyQuery, DC_ERROR_SENTENCES, dcServiceOf } from '../domain/zone/domain-connect.ts';
import type { Finding } from '../domain/observation/finding.ts';
import { readyToPoint } from '../domain/connection/ready.ts';
import { relativeHost } from '../domain/record.ts';
import { currentRecords, type EdgeTargets } from '../domain/connection/edge-addresses.ts';
import { signToken, verifyToken, type Keyring } from './signed.ts';

export const RETURN_PATH = '/domain-connect/return';

/** The identity under which DNS providers know this service. */
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

/** Returns the signed link to the provider's consent page; null if no template writes exactly the missing records. */
export function applyLink(
  { identity, edge, baseUrl, stateKeys }: Parts,
  row: ConnectionDetailRow,
  session: string,
  now: Date,
): ApplyLink | null {
  const offer = row.domain_connect_offer;
  if (offer === null || !(LACKS_RECORDS.has(row.state) || row.record_change !== null)) return null;
  const next = serviceNow(row, offer, edge);
  if (next === null || !offer.services.includes(next.service)) return null;
  const { service, parameters } = next;
  const [key] = identity.signingKeys;
  const host = relativeHost(row.hostname, offer.zone);
  const query = applyQuery({
    domain: offer.zone,
    host: host === '@' ? '' : host,
    challenge: row.challenge_token,
    ...parameters,
    redirect_uri: `${baseUrl}${RETURN_PATH}`,
    state: writeState(stateKeys, { connectionId: row.id, tenantId: row.tenant_id, session, at: now.getTime() }),
  });
  const place = `v2/domainTemplates/providers/${encodeURIComponent(identity.providerId)}/services/${service}/apply`;
  const signature = encodeURIComponent(signQuery(key, query));
  return {
    provider_id: offer.provider_id,
    provider_name: offer.provider_name,
    // Cloudflare requires the signature to be the last parameter.
    apply_url: `${offer.url_sync_ux}/${place}?${query}&key=${encodeURIComponent(key.kid)}&sig=${signature}`,
  };
}

interface Consent {
  service: string;
  parameters: Record<string, string>;
}

/** Returns the service of the customer's next consent. A certificate that comes first needs a consent of its own. */
function serviceNow(row: ConnectionDetailRow, offer: StoredOffer, edge: EdgeTargets): Consent | null {
  if (readyToPoint(row) === false)
    return row.delegated_to === null
      ? null
      : { service: 'validation', parameters: { delegation: row.delegated_to.split('.')[0] ?? '' } };
  const desired_records = currentRecords(row.desired_records, edge);
  const service = dcServiceOf({ hostname: row.hostname, desired_records }, offer.zone, edge);
  return service === null ? ownConsent(row, offer, edge) : { service, parameters: {} };
}

/** Returns the service of the application's own records, if the connection wants exactly these. */
function ownConsent(row: ConnectionDetailRow, { record_template }: StoredOffer, edge: EdgeTargets): Consent | null {
  // A wildcard is proved at another name than the template's.
  const own = isWildcard(row.hostname) ? null : ownService(record_template, row.kind, edge);
  const subject = { ...hostnameParts(row.hostname), kind: row.kind, connectionId: row.id, variables: row.variables };
  if (own === null || !wantsTemplate(row.desired_records, record_template, subject, edge)) return null;
  return { service: own.serviceId, parameters: ownParameters(row.id, row.variables) };
}

/** Returns the error that the provider reported when it last sent the customer back, until a later return or check succeeds. */
export function returnFindings(row: ConnectionDetailRow): Finding[] {
  const error = row.domain_connect_return?.error ?? null;
  if (error === null || !LACKS_RECORDS.has(row.state)) return [];
  return [
    {
      code: 'domain_connect_refused',
      severity: 'warning',
      message: DC_ERROR_SENTENCES[error],
      fix: 'Try again, or add the records manually.',
      params: { reason: error },
    },
  ];
}

const PURPOSE = 'domain connect state';
const STATE_LIVES_MS = 3_600_000;

/** The state parameter of an apply URL: the connection, and the reader for whom we made the URL. */
export interface ApplyState {
  connectionId: string;
  tenantId: string;
  /** Id of the widget token or API key that read the link. */
  session: string;
  at: number;
}
const Payload = z.tuple([z.uuid(), z.uuid(), z.string().max(100), z.int()]);

const writeState = (keys: Keyring, { connectionId, tenantId, session, at }: ApplyState): string =>
  signToken(keys, PURPOSE, JSON.stringify([connectionId, tenantId, session, at]));

/** Returns null if we did not sign the state, or signed it more than an hour ago. */
export function readState(keys: Keyring, state: string, now: Date): ApplyState | null {
  const text = verifyToken(keys, PURPOSE, state);
  if (text === null) return null;
  const [connectionId, tenantId, session, at] = Payload.parse(JSON.parse(text));
  const age = now.getTime() - at;
  return age >= 0 && age <= STATE_LIVES_MS ? { connectionId, tenantId, session, at } : null;
}
