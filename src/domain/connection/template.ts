import { isWildcard } from '../certificate/dns-validation.ts';
import { isSpf } from '../email/spf.ts';
import { TTL_DEFAULT, type DnsRecord, type RecordType } from '../record.ts';
import type { Kind } from './connection.ts';
import type { DesiredRecord, EdgeTargets } from './edge-addresses.ts';
import { inBraces, isOwnVariable, type Variables } from './variables.ts';

/** One line of an application's record template. `host` is relative to the connection's hostname; `@` is the hostname. */
export interface TemplateRecord {
  host: string;
  type: RecordType;
  value: string;
  ttl?: number | undefined;
  priority?: number | null | undefined;
  when?: Kind | undefined;
  /** False: the record is shown and watched, but a connection is live without it. Default: false for SPF, else true. */
  required?: boolean | undefined;
}

export interface TemplateSubject {
  connectionId: string;
  hostname: string;
  kind: Kind;
  /** The registrable domain, and its public suffix. */
  domain: string;
  suffix: string;
  /** The connection's own variables. A line that needs another one yields no record. */
  variables?: Variables | undefined;
}

export const TEMPLATE_VARIABLES = [
  'hostname',
  'domain',
  'subdomain',
  'sld',
  'tld',
  'cname_target',
  'edge_ipv4',
  'edge_ipv6',
  'connection_id',
] as const;

const VARIABLE = /\{([^{}]*)\}/g;

export const namesInBraces = (text: string): string[] => [...text.matchAll(VARIABLE)].map((match) => match[1] ?? '');

/** Returns names in braces that are not variables. They are refused when saved, so expanding never fails. */
export const unknownVariables = (text: string): string[] =>
  namesInBraces(text).filter(
    (name) => !(TEMPLATE_VARIABLES as readonly string[]).includes(name) && !isOwnVariable(name),
  );

/**
 * Returns the desired records. An empty template points the hostname at the edge, as its kind allows. A line with an
 * address of the edge becomes one record per address.
 */
export function desiredRecords(
  template: readonly TemplateRecord[],
  subject: TemplateSubject,
  edge: EdgeTargets,
): DesiredRecord[] {
  if (template.length === 0) return pointAtEdge(subject, edge);
  return template
    .filter((line) => line.when === undefined || line.when === subject.kind)
    .flatMap((line) => variablesFor(line, subject, edge).flatMap((values) => expandLine(line, subject, values)));
}

type Values = Readonly<Record<string, string | undefined>>;

function expandLine(line: TemplateRecord, subject: TemplateSubject, values: Values): DesiredRecord[] {
  const isGiven = (name: string) => Object.hasOwn(values, name);
  const lacks = (text: string) => namesInBraces(text).some((name) => values[name] === '');
  // Text in braces that is no variable was refused when the template was saved.
  if (namesInBraces(`${line.host} ${line.value}`).some((name) => isOwnVariable(name) && !isGiven(name))) return [];
  const expand = (text: string) => text.replace(VARIABLE, (whole, name: string) => values[name] ?? whole);
  // An edge without IPv6, or an apex without a subdomain, yields no record: an empty name or address is never right.
  if (lacks(line.host) || (line.type !== 'TXT' && lacks(line.value))) return [];
  const value = expand(line.value);
  const isRequired = line.required ?? !(line.type === 'TXT' && isSpf(value));
  return [
    {
      host: line.host === '@' ? subject.hostname : `${expand(line.host).toLowerCase()}.${subject.hostname}`,
      // RFC 1034 section 3.6.2: an apex always has SOA and NS records, so it cannot have a CNAME.
      type: line.type === 'CNAME' && line.host === '@' && subject.kind === 'apex' ? 'ALIAS' : line.type,
      value,
      ttl: line.ttl ?? TTL_DEFAULT,
      priority: line.priority ?? null,
      ...(isRequired ? {} : { required: false as const }),
    },
  ];
}

const NAME_LIMIT = 253;
const LABEL_LIMIT = 63;

/** Returns the code and the sentence that explain why a connection cannot have these records; null if it can. */
export function templateMisfit(
  records: readonly DnsRecord[],
  { hostname, kind }: Pick<TemplateSubject, 'hostname' | 'kind'>,
): { code: string; message: string } | null {
  const article = kind === 'apex' ? 'an apex' : 'a subdomain';
  if (records.length === 0)
    return {
      code: 'no_records',
      message: `The application's record_template yields no record for ${article} such as ${hostname}. Add a line for it, or leave "when" out.`,
    };
  const below = isWildcard(hostname) && records.find(({ host }) => host !== hostname);
  if (below)
    return {
      code: 'record_below_wildcard',
      message: `The application's record_template has a record at ${below.host}. A wildcard has no names below it (RFC 4592), so connect wildcards to an application whose record_template has only records at "@".`,
    };
  const tooLong = records.find(
    ({ host }) => host.length > NAME_LIMIT || host.split('.').some((label) => label.length > LABEL_LIMIT),
  );
  if (tooLong === undefined) return null;
  return {
    code: 'host_too_long',
    message: `With the application's record_template ${hostname} needs a record at a name of ${tooLong.host.length} characters. DNS names end at ${NAME_LIMIT} characters and their labels at ${LABEL_LIMIT}; connect a shorter hostname.`,
  };
}

function pointAtEdge({ hostname, kind }: TemplateSubject, edge: EdgeTargets): DnsRecord[] {
  const record = (type: RecordType, value: string): DnsRecord => ({
    host: hostname,
    type,
    value,
    ttl: TTL_DEFAULT,
    priority: null,
  });
  if (kind === 'subdomain') return [record('CNAME', edge.cnameTarget)];
  if (edge.ipv4.length + edge.ipv6.length === 0) return [record('ALIAS', edge.cnameTarget)];
  return [...edge.ipv4.map((address) => record('A', address)), ...edge.ipv6.map((address) => record('AAAA', address))];
}

/** Returns the values of the variables, once for each address of the edge that the line uses. */
function variablesFor(line: TemplateRecord, subject: TemplateSubject, edge: EdgeTargets): Values[] {
  const values = variables(subject, edge);
  const each = (name: string, addresses: readonly string[]) =>
    addresses.length > 0 && `${line.host} ${line.value}`.includes(`{${name}}`) ? addresses : [''];
  return each('edge_ipv4', edge.ipv4).flatMap((edge_ipv4) =>
    each('edge_ipv6', edge.ipv6).map((edge_ipv6) => ({ ...values, edge_ipv4, edge_ipv6 })),
  );
}

function variables(subject: TemplateSubject, edge: EdgeTargets): Values {
  const below = subject.hostname === subject.domain ? '' : subject.hostname.slice(0, -(subject.domain.length + 1));
  return {
    hostname: subject.hostname,
    domain: subject.domain,
    subdomain: below,
    sld: subject.domain.slice(0, -(subject.suffix.length + 1)),
    tld: subject.suffix,
    cname_target: edge.cnameTarget,
    connection_id: subject.connectionId,
    ...inBraces(subject.variables ?? {}),
  };
}
