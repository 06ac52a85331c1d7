import type { Call } from '../call.ts';
import type { ProviderErrorCode } from '../provider-error.ts';
import { isSuccess, type Reason, refusal } from '../toolkit/answer.ts';
import type { HttpAccount, HttpAnswer, HttpRequest } from '../toolkit/http.ts';
import { nextPage, readPages } from '../toolkit/pages.ts';
import { childrenOf, parseXml, textOf, type XmlElement } from '../toolkit/xml.ts';

export interface NamecheapKey {
  apiUser: string;
  apiKey: string;
  userName: string;
  clientIp: string;
}

/** A record in Namecheap's listing. The flags for active and dynamic records cannot be sent back. */
export interface HostRow {
  id: string;
  name: string;
  type: string;
  address: string;
  mxPref: number;
  ttl: number;
  /** The comment in the panel, and the Namecheap app that created the record. */
  friendlyName: string;
  appTitle: string;
  isActive: boolean;
  isDynamic: boolean;
}

export interface HostList {
  emailType: string;
  isOurDns: boolean;
  rows: readonly HostRow[];
}

const PAGE_SIZE = 100;

/** The keys are sent in the body, because proxies log URLs and not bodies. */
export function client(http: HttpAccount, { apiUser, apiKey, userName, clientIp }: NamecheapKey) {
  const run = async (
    command: string,
    parameters: Readonly<Record<string, string | number>>,
    { call, writes = false }: { call: Call | undefined; writes?: boolean },
  ): Promise<XmlElement> => {
    const form = new URLSearchParams({ ApiUser: apiUser, ApiKey: apiKey, UserName: userName, ClientIp: clientIp });
    for (const [name, value] of Object.entries(parameters)) form.set(name, String(value));
    const request: HttpRequest = {
      method: 'POST',
      path: '',
      query: { Command: `namecheap.domains.${command}` },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      writes,
    };
    const answer = await http.send(request, call);
    const root = parseXml(answer.text);
    if (!isSuccess(answer) || root?.attributes.get('Status') === 'ERROR')
      throw refusal(http, request, answer, reasonOf(root, answer));
    const [response] = childrenOf(root, 'CommandResponse');
    if (response && root?.name === 'ApiResponse') return response;
    const text = `it answered ${answer.status} in a form that it does not document.`;
    throw http.error('transient', text, { mayHaveChanged: writes });
  };

  return {
    /** Returns the domains that contain the term and use Namecheap's name servers. Other domains cannot be changed. */
    domains: (term: string | undefined, call?: Call): Promise<string[]> =>
      readPages(http, 1, async (page) => {
        const query = {
          Page: page,
          PageSize: PAGE_SIZE,
          ListType: 'ALL',
          ...(term !== undefined && { SearchTerm: term }),
        };
        const listing = await run('getList', query, { call });
        const total = Number(textOf(listing, 'Paging', 'TotalItems'));
        const items = childrenOf(listing, 'DomainGetListResult', 'Domain')
          .filter(({ attributes }) => attributes.get('IsOurDNS') === 'true')
          .map(({ attributes }) => attributes.get('Name') ?? '');
        return { items, next: nextPage(page, Math.ceil(total / PAGE_SIZE)) };
      }),

    hosts: async (domain: string, call?: Call): Promise<HostList> => {
      const [result] = childrenOf(await run('dns.getHosts', partsOf(domain), { call }), 'DomainDNSGetHostsResult');
      if (!result) throw http.error('transient', 'it did not return the records of the domain.');
      return {
        emailType: result.attributes.get('EmailType') ?? '',
        isOurDns: result.attributes.get('IsUsingOurDNS') === 'true',
        rows: result.children.filter(({ name }) => name.toLowerCase() === 'host').map(readRow),
      };
    },

    setHosts: async (domain: string, { emailType, rows }: Pick<HostList, 'emailType' | 'rows'>, call?: Call) => {
      const parameters = {
        ...partsOf(domain),
        ...(emailType !== '' && { EmailType: emailType }),
        ...Object.fromEntries(rows.flatMap(parametersOf)),
      };
      const response = await run('dns.setHosts', parameters, { call, writes: true });
      const [result] = childrenOf(response, 'DomainDNSSetHostsResult');
      if (result?.attributes.get('IsSuccess') === 'true') return;
      throw http.error('transient', 'it did not confirm the write.', { mayHaveChanged: true });
    },
  };
}

/** Domains are one label below a public suffix, so the first dot separates the parts: `example` and `co.uk`. */
function partsOf(domain: string): { SLD: string; TLD: string } {
  const dot = domain.indexOf('.');
  return { SLD: domain.slice(0, dot), TLD: domain.slice(dot + 1) };
}

function readRow({ attributes }: XmlElement): HostRow {
  const of = (name: string): string => attributes.get(name) ?? '';
  return {
    id: of('HostId'),
    name: of('Name'),
    type: of('Type'),
    address: of('Address'),
    mxPref: Number(of('MXPref')),
    ttl: Number(of('TTL')),
    friendlyName: of('FriendlyName'),
    appTitle: of('AssociatedAppTitle'),
    isActive: of('IsActive') !== 'false',
    isDynamic: of('IsDDNSEnabled') === 'true',
  };
}

const parametersOf = (row: HostRow, i: number): [string, string | number][] => [
  [`HostName${i + 1}`, row.name],
  [`RecordType${i + 1}`, row.type],
  [`Address${i + 1}`, row.address],
  [`MXPref${i + 1}`, row.mxPref],
  [`TTL${i + 1}`, row.ttl],
  // Sent only if it is set, as other public clients do.
  ...(row.friendlyName === '' ? [] : [[`FriendlyName${i + 1}`, row.friendlyName] satisfies [string, string]]),
  ...(row.appTitle === '' ? [] : [[`AssociatedAppTitle${i + 1}`, row.appTitle] satisfies [string, string]]),
];

const CODES: readonly [RegExp, ProviderErrorCode][] = [
  [/^101/, 'auth_failed'],
  [/^4011103$/, 'forbidden_scope'],
  [/^(2019166|2016166|3016166|2030166)$/, 'zone_not_found'],
  [/^(2030280|2030288)$/, 'conflict'],
  [/^500000$/, 'rate_limited'],
  [/^(3|5)|^40(23330|22288)$/, 'transient'],
];
const PAUSE_SECONDS = 60;

/** Refusals come as 200 with an error number. Too many requests come as 405 or with a separate number. */
function reasonOf(root: XmlElement | undefined, { status }: HttpAnswer): Reason {
  const [error] = childrenOf(root, 'Errors', 'Error');
  const number = error?.attributes.get('Number') ?? '';
  const known = CODES.find(([numbers]) => numbers.test(number))?.[1] ?? (status === 200 ? 'validation' : undefined);
  const code = status === 405 || /too many requests/i.test(error?.text ?? '') ? 'rate_limited' : known;
  return { code, text: error?.text, ...(code === 'rate_limited' && { retryAfterSeconds: PAUSE_SECONDS }) };
}
