import { ACME_LABEL, isWildcard } from '../certificate/dns-validation.ts';
import { CHALLENGE_LABEL } from '../connection/challenge.ts';
import { TTL_DEFAULT, type DnsRecord } from '../record.ts';
import type { EdgeTargets } from '../connection/edge-addresses.ts';

/** Our Domain Connect templates (github.com/Domain-Connect/spec): the provider writes them after the consent. */
export const DC_SERVICES = ['subdomain', 'apex', 'validation', 'mail'] as const;
export type DcService = (typeof DC_SERVICES)[number];

/** Services that connect a hostname. `validation` comes first where the certificate does. Mail is separate. */
export const CONNECTING_SERVICES = ['subdomain', 'apex', 'validation'] as const satisfies readonly DcService[];

/** A record of a template, in the terms of the public schema. */
export interface DcRecord {
  type: 'A' | 'AAAA' | 'CNAME' | 'APEXCNAME' | 'TXT' | 'MX' | 'SRV' | 'CAA';
  host?: string;
  pointsTo?: string;
  data?: string;
  ttl: number;
  priority?: number;
  /** Fields of SRV, which has a `name` instead of a host. */
  name?: string;
  service?: string;
  protocol?: string;
  weight?: string;
  port?: string;
  target?: string;
  groupId?: string;
  txtConflictMatchingMode?: 'All';
}

export interface DcTemplate {
  providerId: string;
  providerName: string;
  /** One of our services, or that of an application's own records. */
  serviceId: string;
  serviceName: string;
  version: number;
  logoUrl?: string;
  description: string;
  variableDescription: string;
  syncBlock: false;
  syncPubKeyDomain: string;
  syncRedirectDomain: string;
  hostRequired?: true;
  records: DcRecord[];
}

export interface DcOperator {
  providerId: string;
  providerName: string;
  logoUrl?: string;
  pubKeyDomain: string;
  /** Host of the page to which providers redirect the customer. */
  redirectDomain: string;
  edge: EdgeTargets;
  /** The operator's zone for delegated challenges. Without it, there is no template for them. */
  delegationZone?: string | undefined;
}

/** Returns the operator's templates, without SPF and DMARC: a provider would replace the customer's own records. */
export function dcTemplates(operator: DcOperator): DcTemplate[] {
  const { providerName, edge, delegationZone } = operator;
  const template = (serviceId: DcService, serviceName: string, description: string, records: DcRecord[]) =>
    dcTemplate(operator, { serviceId, serviceName, description, variables: VARIABLES[serviceId] ?? [], records });
  return [
    template('subdomain', 'Custom subdomain', `Connects a subdomain to ${providerName}`, [
      { type: 'CNAME', host: '@', pointsTo: edge.cnameTarget, ttl: TTL_DEFAULT },
      PROOF,
    ]),
    template('apex', 'Custom domain', `Connects a domain to ${providerName}`, [...apexRecords(edge), PROOF]),
    ...(delegationZone === undefined
      ? []
      : [
          template('validation', 'Certificate in advance', `Prepares the certificate of a domain for ${providerName}`, [
            { type: 'CNAME', host: ACME_LABEL, pointsTo: `%delegation%.${delegationZone}`, ttl: TTL_DEFAULT },
            PROOF,
          ]),
        ]),
    template('mail', 'Mail records', `Directs mail to the mailbox provider that was chosen at ${providerName}`, [
      ...MAIL,
      { ...PROOF, groupId: 'proof' },
    ]),
  ];
}

/** Returns the template of an application's own records. */
export function ownTemplate(
  operator: DcOperator,
  { serviceId, serviceName, records }: Pick<DcTemplate, 'serviceId' | 'serviceName' | 'records'>,
): DcTemplate {
  const names = JSON.stringify(records).match(/%\w+%/g) ?? [];
  const variables = [...new Set(names)].filter((name) => name !== '%fqdn%').map((name) => name.slice(1, -1));
  return dcTemplate(operator, {
    serviceId,
    serviceName,
    description: `Adds the records of ${serviceName} for ${operator.providerName}`,
    variables: variables.map((name) => `${name}: a value of the customer's at ${operator.providerName}`),
    records: [...records, PROOF],
  });
}

type OwnParts = Pick<DcTemplate, 'serviceId' | 'serviceName' | 'description' | 'records'> & { variables: string[] };

function dcTemplate(
  { providerId, providerName, logoUrl, pubKeyDomain, redirectDomain }: DcOperator,
  { variables, records, ...named }: OwnParts,
): DcTemplate {
  const needsHost = records.some(({ type, host }) => type === 'CNAME' && host === '@');
  return {
    providerId,
    providerName,
    ...named,
    version: 1,
    ...(logoUrl === undefined ? {} : { logoUrl }),
    variableDescription: [CHALLENGE_VARIABLE, ...variables].join('; '),
    syncBlock: false,
    syncPubKeyDomain: pubKeyDomain,
    syncRedirectDomain: redirectDomain,
    ...(needsHost ? { hostRequired: true as const } : {}),
    records,
  };
}

const CHALLENGE_VARIABLE = 'challenge: the value that proves control of the name';
const VARIABLES: Partial<Record<DcService, string[]>> = {
  validation: ['delegation: the label at which the challenges of the certificate are published'],
};

const PROOF: DcRecord = {
  type: 'TXT',
  host: CHALLENGE_LABEL,
  data: '%challenge%',
  ttl: TTL_DEFAULT,
  txtConflictMatchingMode: 'All',
};

function apexRecords({ cnameTarget, ipv4, ipv6 }: EdgeTargets): DcRecord[] {
  if (ipv4.length + ipv6.length === 0) return [{ type: 'APEXCNAME', pointsTo: cnameTarget, ttl: TTL_DEFAULT }];
  const records = (type: 'A' | 'AAAA', addresses: readonly string[]): DcRecord[] =>
    addresses.map((pointsTo) => ({ type, host: '@', pointsTo, ttl: TTL_DEFAULT }));
  return [...records('A', ipv4), ...records('AAAA', ipv6)];
}

/** A group for each mailbox provider; the `groupId` of an apply URL selects it. */
const mail = (groupId: string, pointsTo: string, priority: number): DcRecord => ({
  type: 'MX',
  host: '@',
  pointsTo,
  priority,
  ttl: 3_600,
  groupId,
});
const MAIL: DcRecord[] = [
  mail('google_workspace', 'smtp.google.com', 1),
  mail('microsoft_365', '%mailhost%.mail.protection.outlook.com', 0),
  mail('zoho', 'mx.zoho.com', 10),
  mail('zoho', 'mx2.zoho.com', 20),
  mail('zoho', 'mx3.zoho.com', 50),
];

/** Reasons why a hostname cannot be connected by Domain Connect. */
export const DC_OBSTACLES = {
  off: 'Domain Connect is off: DOMAIN_CONNECT_PROVIDER_ID, DOMAIN_CONNECT_PUBKEY_DOMAIN and DOMAIN_CONNECT_KEYS are not set.',
  not_published: 'The zone does not publish _domainconnect.',
  not_allowed: 'The zone names a host that is not on the list of known providers; DOMAIN_CONNECT_HOSTS extends it.',
  no_settings: 'The provider returned no usable settings for the zone.',
  no_sync: 'The provider offers no synchronous flow.',
  other_records:
    'The connection wants other records than our templates hold, and its application has no template of its own at this provider.',
  template_unknown: 'The provider does not know our template yet. See docs/domain-connect.md.',
} as const;
export type DcObstacle = keyof typeof DC_OBSTACLES;

/** The offer of a zone's provider, checked against the list of allowed hosts. */
export interface DcOffer {
  zone: string;
  provider_id: string;
  provider_name: string;
  url_sync_ux: string;
  /** Our services that the provider knows. */
  services: readonly string[];
  control_panel_url: string | null;
}

interface Connectable {
  hostname: string;
  desired_records: readonly DnsRecord[];
}

/** Returns the service that adds exactly the desired records; null if there is none. A wildcard is proved elsewhere. */
export function dcServiceOf(
  { hostname, desired_records }: Connectable,
  zone: string,
  edge: EdgeTargets,
): DcService | null {
  if (isWildcard(hostname)) return null;
  const service = hostname === zone ? 'apex' : 'subdomain';
  const records = service === 'apex' ? apexRecords(edge) : [{ type: 'CNAME', pointsTo: edge.cnameTarget }];
  const written = records.map(({ type, pointsTo }) => `${type === 'APEXCNAME' ? 'ALIAS' : type} ${pointsTo ?? ''}`);
  const wanted = desired_records.map(({ host, type, value }) => (host === hostname ? `${type} ${value}` : 'elsewhere'));
  return written.toSorted().join() === wanted.toSorted().join() ? service : null;
}

/** Returns the service with which the customer can connect the hostname now, or the obstacle. */
export function dcChoice(
  connection: Connectable,
  offer: Pick<DcOffer, 'zone' | 'services'>,
  edge: EdgeTargets,
): DcService | DcObstacle {
  const service = dcServiceOf(connection, offer.zone, edge);
  if (service === null) return 'other_records';
  return offer.services.includes(service) ? service : 'template_unknown';
}

export const isDcService = (choice: DcService | DcObstacle): choice is DcService =>
  (DC_SERVICES as readonly string[]).includes(choice);

/** Returns the query of an apply URL, sorted by name as it is signed. */
export function applyQuery(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .filter(([, value]) => value !== '')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
}

/** Errors that a provider may return with the customer (RFC 6749 section 4.1.2.1). Other texts are not stored. */
export const DC_ERRORS = [
  'access_denied',
  'invalid_request',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_response_type',
  'user_cancel',
  'other',
] as const;
export type DcError = (typeof DC_ERRORS)[number];

/** Returns the error code. By the standard, the start of the description identifies a customer who cancelled. */
export function dcErrorOf(error: string, description: string): DcError {
  if (error === 'access_denied' && description.startsWith('user_cancel')) return 'user_cancel';
  return DC_ERRORS.find((known) => known === error) ?? 'other';
}

export const DC_ERROR_SENTENCES: Record<DcError, string> = {
  access_denied: 'The DNS provider did not allow the change.',
  invalid_request: 'The DNS provider did not understand the request.',
  invalid_scope: 'The DNS provider does not accept our template for this domain.',
  server_error: 'The DNS provider had a failure of its own.',
  temporarily_unavailable: 'The DNS provider is not available at the moment.',
  unauthorized_client: 'The DNS provider does not accept our template.',
  unsupported_response_type: 'The DNS provider did not understand the request.',
  user_cancel: 'The change was not confirmed at the DNS provider.',
  other: 'The DNS provider reported a failure.',
};
