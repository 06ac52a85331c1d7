import { isSuccess, refusal } from '../toolkit/answer.ts';
import type { Call } from '../call.ts';
import type { HttpAccount, HttpAnswer, HttpRequest } from '../toolkit/http.ts';
import { dotted, undotted } from '../toolkit/names.ts';
import { readPages } from '../toolkit/pages.ts';
import { writeUnlessOvertaken, type ProviderError, type ProviderErrorCode } from '../provider-error.ts';
import { type AwsKey, signV4 } from './sigv4.ts';
import { childrenOf, escapeXml, parseXml, textOf, type XmlElement } from '../toolkit/xml.ts';

export interface HostedZone {
  id: string;
  name: string;
  isPrivate: boolean;
}

export interface RrSet {
  /** Name without escapes and trailing dot. */
  host: string;
  /** Name as Route 53 spells it, to be sent back unchanged. */
  name: string;
  type: string;
  ttl: number;
  values: readonly string[];
  /** Target of an alias record, which has no values. */
  alias: string | undefined;
  /** Whether the set is weighted, health-checked, of a traffic policy and so on: it has data that is not read here. */
  routed: boolean;
}

export type SetChange = { action: 'CREATE' | 'DELETE' | 'UPSERT' } & Pick<RrSet, 'name' | 'type' | 'ttl' | 'values'>;

const API = '/2013-04-01';
const PAGE = 300;

export function client(http: HttpAccount, key: AwsKey, now: () => number) {
  const send: Send = async (request, call) => {
    const { method, body = '' } = request;
    const headers = signV4(
      { method, url: http.url(request), body, ...(body === '' ? {} : { headers: { 'content-type': 'text/xml' } }) },
      key,
      { region: 'us-east-1', service: 'route53', now: new Date(now()) },
    );
    const answer = await http.send({ ...request, headers }, call);
    if (!isSuccess(answer)) throw refusalOf(http, request, answer);
    const root = parseXml(answer.text);
    if (root && /Response$/.test(root.name)) return root;
    throw http.error('transient', `it answered ${answer.status} in a form that it does not document.`);
  };

  return {
    zones: (call?: Call) => zonesFrom(http, send, undefined, call),

    zonesNamed: async (name: string, call?: Call) =>
      (await zonesFrom(http, send, name, call)).filter((zone) => zone.name === name),

    nameservers: async (zoneId: string, call?: Call): Promise<string[]> => {
      const answer = await send({ method: 'GET', path: `${API}/hostedzone/${zoneId}` }, call);
      return childrenOf(answer, 'DelegationSet', 'NameServers', 'NameServer').map(({ text }) => undotted(text));
    },

    setsAt: (zoneId: string, host: string, call?: Call) => setsAt(http, send, zoneId, host, call),

    /** Makes all changes or none. A DELETE must match exactly; returns false if the set has changed. */
    change: (zoneId: string, changes: readonly SetChange[], call?: Call): Promise<boolean> =>
      writeUnlessOvertaken(['already_exists', 'record_not_found'], () =>
        send({ method: 'POST', path: `${API}/hostedzone/${zoneId}/rrset`, body: changeBatch(changes) }, call),
      ),
  };
}

type Send = (request: HttpRequest, call: Call | undefined) => Promise<XmlElement>;

type Query = Record<string, string>;

/** Lists zones. The listing is sorted, and the given name is its starting point, not a filter. */
const zonesFrom = (http: HttpAccount, send: Send, name: string | undefined, call?: Call): Promise<HostedZone[]> =>
  readPages<HostedZone, Query>(http, name === undefined ? {} : { dnsname: dotted(name) }, async (marker) => {
    const query = { ...marker, maxitems: 100 };
    const page = await send({ method: 'GET', path: `${API}/hostedzonesbyname`, query }, call);
    const items = childrenOf(page, 'HostedZones', 'HostedZone').map(readZone);
    const wantsMore = name === undefined || items.at(-1)?.name === name;
    const isTruncated = textOf(page, 'IsTruncated') === 'true';
    return { items, next: wantsMore && isTruncated ? nextZone(page) : undefined };
  });

const nextZone = (page: XmlElement): Query => ({
  dnsname: textOf(page, 'NextDNSName') ?? '',
  hostedzoneid: textOf(page, 'NextHostedZoneId') ?? '',
});

const setsAt = (http: HttpAccount, send: Send, zoneId: string, host: string, call?: Call): Promise<RrSet[]> =>
  readPages<RrSet, Query>(http, { name: dotted(host) }, async (marker) => {
    const query = { ...marker, maxitems: PAGE };
    const page = await send({ method: 'GET', path: `${API}/hostedzone/${zoneId}/rrset`, query }, call);
    const found = childrenOf(page, 'ResourceRecordSets', 'ResourceRecordSet').map(readSet);
    const goesOn = found.at(-1)?.host === host && textOf(page, 'IsTruncated') === 'true';
    return { items: found.filter((set) => set.host === host), next: goesOn ? nextRecord(page) : undefined };
  });

const readZone = (zone: XmlElement): HostedZone => ({
  id: (textOf(zone, 'Id') ?? '').replace('/hostedzone/', ''),
  name: undotted(textOf(zone, 'Name') ?? ''),
  isPrivate: textOf(zone, 'Config', 'PrivateZone') === 'true',
});

function readSet(set: XmlElement): RrSet {
  const name = textOf(set, 'Name') ?? '';
  const alias = textOf(set, 'AliasTarget', 'DNSName');
  return {
    host: undotted(name.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))),
    name,
    type: textOf(set, 'Type') ?? '',
    ttl: Number(textOf(set, 'TTL') ?? 0),
    values: childrenOf(set, 'ResourceRecords', 'ResourceRecord', 'Value').map(({ text }) => text),
    alias: alias === undefined ? undefined : undotted(alias),
    routed: ['SetIdentifier', 'HealthCheckId', 'TrafficPolicyInstanceId'].some(
      (name) => textOf(set, name) !== undefined,
    ),
  };
}

function nextRecord(page: XmlElement): Query {
  const identifier = textOf(page, 'NextRecordIdentifier');
  return {
    name: textOf(page, 'NextRecordName') ?? '',
    type: textOf(page, 'NextRecordType') ?? '',
    ...(identifier === undefined ? {} : { identifier }),
  };
}

function changeBatch(changes: readonly SetChange[]): string {
  const items = changes.map(({ action, name, type, ttl, values }) => {
    const records = values
      .map((value) => `<ResourceRecord><Value>${escapeXml(value)}</Value></ResourceRecord>`)
      .join('');
    const set = `<Name>${escapeXml(name)}</Name><Type>${type}</Type><TTL>${ttl}</TTL><ResourceRecords>${records}</ResourceRecords>`;
    return `<Change><Action>${action}</Action><ResourceRecordSet>${set}</ResourceRecordSet></Change>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?><ChangeResourceRecordSetsRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><ChangeBatch><Changes>${items.join('')}</Changes></ChangeBatch></ChangeResourceRecordSetsRequest>`;
}

const CODES: Record<string, ProviderErrorCode> = {
  InvalidClientTokenId: 'auth_failed',
  SignatureDoesNotMatch: 'auth_failed',
  IncompleteSignature: 'auth_failed',
  MissingAuthenticationToken: 'auth_failed',
  ExpiredToken: 'auth_failed',
  AccessDenied: 'forbidden_scope',
  AccessDeniedException: 'forbidden_scope',
  NoSuchHostedZone: 'zone_not_found',
  Throttling: 'rate_limited',
  ThrottlingException: 'rate_limited',
  PriorRequestNotComplete: 'transient',
};

/** Only the message of a refused batch shows whether it still fits the zone. */
const BATCH_CODES: readonly [RegExp, ProviderErrorCode][] = [
  [/already exists/i, 'already_exists'],
  [/not found|do not match/i, 'record_not_found'],
  [/conflicts with other records/i, 'conflict'],
];

/** Throttling comes as 400 and invalid keys as 403, so the error code in the body decides. */
function refusalOf(http: HttpAccount, request: HttpRequest, answer: HttpAnswer): ProviderError {
  const root = parseXml(answer.text);
  if (root?.name === 'InvalidChangeBatch' || textOf(root, 'Error', 'Code') === 'InvalidChangeBatch') {
    const messages = childrenOf(root, 'Messages', 'Message').map(({ text }) => text);
    const text = messages.length > 0 ? messages.join(' ') : (textOf(root, 'Error', 'Message') ?? '');
    return refusal(http, request, answer, {
      code: BATCH_CODES.find(([words]) => words.test(text))?.[1] ?? 'validation',
      text,
    });
  }
  const code = CODES[textOf(root, 'Error', 'Code') ?? ''];
  return refusal(http, request, answer, { code, text: textOf(root, 'Error', 'Message') });
}
