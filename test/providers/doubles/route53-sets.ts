import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { childrenOf, escapeXml, textOf, type XmlElement } from '../../../src/providers/toolkit/xml.ts';
import type { Answer } from './serve.ts';

export interface R53Set {
  /** Name without a trailing dot and escapes. */
  name: string;
  type: string;
  ttl: number;
  values: string[];
  alias?: string;
  /** Distinguishes routed sets of one name and type. */
  identifier?: string;
  /** XML elements of the set in addition to its values, such as its weight or health check. A DELETE must match them. */
  extraXml?: string;
}

export interface R53Zone {
  id: string;
  name: string;
  isPrivate: boolean;
  sets: R53Set[];
}

export class Refused extends Error {
  readonly answer: Answer;
  constructor(status: number, code: string, message: string) {
    super(message);
    const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${escapeXml(message)}</Message></Error>`;
    this.answer = xml(status, 'ErrorResponse', `${error}<RequestId>${randomUUID()}</RequestId>`);
  }
}

/** A refused batch; only the message shows what no longer fits the zone. */
class BatchRefused extends Refused {
  constructor(message: string) {
    super(400, 'InvalidChangeBatch', `[${message}]`);
  }
}

export const xml = (status: number, root: string, content: string): Answer => ({
  status,
  headers: { 'content-type': 'text/xml', 'x-amzn-requestid': randomUUID() },
  body: `<?xml version="1.0"?>\n<${root} xmlns="https://route53.amazonaws.com/doc/2013-04-01/">${content}</${root}>`,
});

export const reversed = (name: string): string => name.replace(/\.$/, '').split('.').toReversed().join('.');
export const escaped = (name: string): string => escapeXml(`${name.replaceAll('*', '\\052')}.`);

export const setKey = (set: { name: string; type: string; identifier?: string }): string =>
  `${reversed(set.name)} ${set.type} ${set.identifier ?? ''}`;

export function setXml({ name, type, ttl, values, alias, identifier, extraXml = '' }: R53Set): string {
  const id = identifier === undefined ? '' : `<SetIdentifier>${escapeXml(identifier)}</SetIdentifier>`;
  const records = values.map((value) => `<ResourceRecord><Value>${escapeXml(value)}</Value></ResourceRecord>`).join('');
  const content =
    alias === undefined
      ? `<TTL>${ttl}</TTL><ResourceRecords>${records}</ResourceRecords>`
      : `<AliasTarget><HostedZoneId>Z2FDTNDATAQYW2</HostedZoneId><DNSName>${alias}.</DNSName><EvaluateTargetHealth>false</EvaluateTargetHealth></AliasTarget>`;
  return `<ResourceRecordSet><Name>${escaped(name)}</Name><Type>${type}</Type>${id}${extraXml}${content}</ResourceRecordSet>`;
}

/** Elements of a set that have a field of their own in R53Set. */
const OWN = new Set(['Name', 'Type', 'SetIdentifier', 'TTL', 'ResourceRecords', 'AliasTarget']);

export function readSet(element: XmlElement | undefined): R53Set {
  const alias = textOf(element, 'AliasTarget', 'DNSName')?.replace(/\.$/, '');
  const identifier = textOf(element, 'SetIdentifier');
  const extraXml = (element?.children ?? []).filter(({ name }) => !OWN.has(name)).map(xmlOf).join(''); // prettier-ignore
  const [name, type] = [(textOf(element, 'Name') ?? '').replace(/\.$/, '').replaceAll('\\052', '*'), textOf(element, 'Type') ?? '']; // prettier-ignore
  const ttl = textOf(element, 'TTL');
  const values = childrenOf(element, 'ResourceRecords', 'ResourceRecord', 'Value').map(({ text }) => text);
  if ((alias === undefined) === (ttl === undefined || values.length === 0))
    throw new Refused(
      400,
      'InvalidInput',
      `Invalid request: Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], or TrafficPolicyInstanceId], but found ${alias === undefined ? 'none' : 'more than one'} in Change with [Name=${name}., Type=${type}, SetIdentifier=${identifier ?? 'null'}]`,
    );
  return {
    name,
    type,
    ttl: Number(ttl ?? 0),
    values,
    ...(alias !== undefined && { alias }),
    ...(identifier !== undefined && { identifier }),
    ...(extraXml !== '' && { extraXml }),
  };
}

const xmlOf = ({ name, children, text }: XmlElement): string =>
  `<${name}>${children.map(xmlOf).join('')}${escapeXml(text.trim())}</${name}>`;

export const isSameSet =
  (set: R53Set) =>
  (other: R53Set): boolean =>
    setKey(other) === setKey(set);

const label = ({ name, type, identifier }: R53Set): string =>
  `[name='${name}.', type='${type}'${identifier === undefined ? '' : `, set-identifier='${identifier}'`}]`;

export function without(sets: readonly R53Set[], set: R53Set, zone: R53Zone): R53Set[] {
  if (set.name === zone.name && /^(NS|SOA)$/.test(set.type))
    throw new BatchRefused(`A HostedZone must contain at least one ${set.type} record for the zone itself.`);
  const old = sets.find(isSameSet(set));
  if (!old) throw new BatchRefused(`Tried to delete resource record set ${label(set)} but it was not found`);
  const content = ({ ttl, values, alias, extraXml }: R53Set) =>
    JSON.stringify([ttl, values.toSorted(), alias, extraXml]);
  if (content(old) !== content(set))
    throw new BatchRefused(
      `Tried to delete resource record set ${label(set)} but the values provided do not match the current values`,
    );
  return sets.filter((other) => other !== old);
}

/** Checks a set that is to be created next to these. */
export function validated(set: R53Set, sets: readonly R53Set[], zone: R53Zone): R53Set {
  const here = sets.filter(({ name }) => name === set.name);
  const what = `RRSet of type ${set.type} with DNS name ${set.name}. is not permitted`;
  if (here.some(isSameSet(set)))
    throw new BatchRefused(`Tried to create resource record set ${label(set)} but it already exists`);
  // A set without an identifier is the only one of its name and type.
  if (
    here.some(({ type, identifier }) => type === set.type && (identifier === undefined || set.identifier === undefined))
  )
    throw new BatchRefused(
      `RRSet with DNS name ${set.name}., type ${set.type}, SetIdentifier ${set.identifier ?? 'null'} cannot be created as other RRSets exist with the same name and type.`,
    );
  if (set.name !== zone.name && !set.name.endsWith(`.${zone.name}`))
    throw new BatchRefused(`${what} in zone ${zone.name}.`);
  if (set.type === 'CNAME' && set.name === zone.name) throw new BatchRefused(`${what} at apex in zone ${zone.name}.`);
  const others = here.filter(({ type }) => type !== set.type);
  if (others.length > 0 && (set.type === 'CNAME' || others.some(({ type }) => type === 'CNAME')))
    throw new BatchRefused(`${what} as it conflicts with other records with the same DNS name in zone ${zone.name}.`);
  for (const value of set.values) checkValue(set.type, value);
  const twice = set.values.find((value, i) => set.values.indexOf(value) < i);
  if (twice !== undefined) throw new BatchRefused(`Duplicate Resource Record: '${twice}'`);
  return set;
}

function checkValue(type: string, value: string): void {
  const fatal = (problem: string, why: string) =>
    new BatchRefused(`Invalid Resource Record: 'FATAL problem: ${problem} (${why}) encountered with '${value}''`);
  if (type === 'A' && isIP(value) !== 4) throw fatal('ARRDATAIllegalIPv4Address', 'Value is not a valid IPv4 address');
  if (type === 'AAAA' && isIP(value) !== 6)
    throw fatal('AAAARRDATAIllegalIPv6Address', 'Value is not a valid IPv6 address');
  const strings = /^"(?:[^"\\]|\\.){0,255}"(?: "(?:[^"\\]|\\.){0,255}")*$/;
  const isPrintable = /^[\x20-\x7e]*$/.test(value);
  if (type === 'TXT' && !(strings.test(value) && isPrintable && value.length <= 4_000))
    throw fatal('InvalidCharacterString', 'Value should be enclosed in quotation marks');
}
