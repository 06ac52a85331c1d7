import type { Kind } from '../connection/connection.ts';
import type { DesiredRecord, EdgeTargets } from '../connection/edge-addresses.ts';
import { desiredRecords, namesInBraces, type TemplateRecord, type TemplateSubject } from '../connection/template.ts';
import { ownNames, type Variables } from '../connection/variables.ts';
import { isDmarc } from '../email/dmarc.ts';
import { isSpf } from '../email/spf.ts';
import { holdsOneText, relativeHost } from '../record.ts';
import { isOneOf } from './zone-record.ts';
import type { DcRecord } from './domain-connect.ts';

/** Domain Connect's own variable for the hostname that is connected. */
const FQDN = '%fqdn%';

/** Parts of a name, which Domain Connect has no variables for: its `domain` is the zone. */
const INEXPRESSIBLE: ReadonlySet<string> = new Set(['domain', 'subdomain', 'sld', 'tld']);

/** Parameters of an apply URL with a meaning of their own. A variable with such a name cannot be passed. */
const PARAMETERS: ReadonlySet<string> = new Set([
  ...['challenge', 'connection_id', 'delegation', 'domain', 'force', 'fqdn', 'host', 'instanceid', 'groupid', 'key'],
  ...['providername', 'redirect_uri', 'servicename', 'sig', 'state'],
]);

/**
 * Returns the records of an application's template for Domain Connect, with a parameter for each variable of a connection;
 * null if Domain Connect cannot express them. SPF and DMARC are left out: a provider would replace the customer's own.
 */
export function ownRecords(template: readonly TemplateRecord[], kind: Kind, edge: EdgeTargets): DcRecord[] | null {
  const lines = template.filter(({ when }) => when === undefined || when === kind);
  const names = lines.flatMap(({ host, value }) => namesInBraces(`${host} ${value}`));
  const variables = ownNames(names);
  if (names.some((name) => INEXPRESSIBLE.has(name)) || variables.some((name) => PARAMETERS.has(name))) return null;
  const subject: TemplateSubject = {
    connectionId: '%connection_id%',
    hostname: FQDN,
    kind,
    domain: FQDN,
    suffix: '',
    variables: Object.fromEntries(variables.map((name) => [name, `%${name}%`])),
  };
  const records = desiredRecords(lines, subject, edge)
    .filter(({ type, value }) => type !== 'TXT' || !(isSpf(value) || isDmarc(value)))
    .map(dcRecordOf);
  return records.length > 0 && records.every((record) => record !== null) ? records : null;
}

/** Returns the parameters of an apply URL that fill in the records of a template. */
export const ownParameters = (connectionId: string, variables: Variables): Record<string, string> => ({
  ...variables,
  connection_id: connectionId,
});

/** Whether a connection wants exactly the records that the template yields now. Its application may have changed it. */
export function wantsTemplate(
  wanted: readonly DesiredRecord[],
  template: readonly TemplateRecord[],
  subject: TemplateSubject,
  edge: EdgeTargets,
): boolean {
  const now = desiredRecords(template, subject, edge);
  return now.length === wanted.length && now.every((record) => isOneOf(record, wanted));
}

function dcRecordOf({ host: name, type, value, ttl, priority }: DesiredRecord): DcRecord | null {
  const host = relativeHost(name, FQDN);
  switch (type) {
    case 'A':
    case 'AAAA':
    case 'CNAME':
      return { type, host, pointsTo: value, ttl };
    case 'ALIAS':
      return host === '@' ? { type: 'APEXCNAME', pointsTo: value, ttl } : null;
    case 'MX':
      return { type, host, pointsTo: value, ttl, priority: priority ?? 0 };
    case 'TXT':
      return { type, host, data: value, ttl, ...(holdsOneText(name) ? { txtConflictMatchingMode: 'All' } : {}) };
    case 'SRV':
      return srvRecord(host, value, ttl, priority ?? 0);
    case 'CAA':
      return { type, host, data: value, ttl };
    case 'NS':
      return null;
  }
}

/** RFC 2782: the first two labels name the service and the protocol; the value has weight, port and target. */
function srvRecord(host: string, value: string, ttl: number, priority: number): DcRecord | null {
  const [service, protocol, ...below] = host.split('.');
  const [weight, port, target] = value.split(' ');
  if (!service?.startsWith('_') || !protocol?.startsWith('_') || !weight || !port || !target) return null;
  const name = below.length === 0 ? '@' : below.join('.');
  return { type: 'SRV', name, service, protocol, weight, port, target, ttl, priority };
}
