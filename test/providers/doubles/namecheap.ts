import { escapeXml } from '../../../src/providers/toolkit/xml.ts';
import { fromRelative } from '../../../src/providers/toolkit/names.ts';
import { quoteTxt, unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import type { SeedRecord } from '../lab.ts';
import { counted, type RequestLimit } from './counted.ts';
import { dumpOf, type DoubleOptions, type ProviderDouble, type ServedRecord, ownServers } from './double.ts';
import { pageOf } from './router.ts';
import { type Answer, type DoubleRequest, serveDouble } from './serve.ts';
import { breaksCname, isBadAddress, priorityAndRest } from './zone-rules.ts';

/**
 * Namecheap's XML API. It has one URL, with the command and the keys among the parameters of the query or of a form,
 * with case-insensitive names. It accepts allowed addresses only, refuses with 200 and a number, and has one write that
 * replaces all records of a domain and gives them new ids.
 */
export const CREDENTIAL = {
  api_user: 'tester',
  api_key: '0123456789abcdef0123456789abcdef',
  client_ip: '127.0.0.1',
};
const SETTABLE = /^(A|AAAA|ALIAS|CAA|CNAME|MX|MXE|NS|TXT|URL|URL301|FRAME)$/;
const HOSTS_MAX = 1_000;
const LIMIT: RequestLimit = {
  count: 700,
  seconds: 3_600,
  refuse: () => ({
    status: 405,
    headers: { 'content-type': 'text/html' },
    body: '<html><body>Method Not Allowed</body></html>',
  }),
};

interface Row {
  name: string;
  type: string;
  address: string;
  mxPref: number;
  ttl: number;
  friendlyName?: string;
  appTitle?: string;
  isActive?: boolean;
  isDynamic?: boolean;
}
interface Domain {
  id: number;
  emailType: string;
  isOurDns: boolean;
  rows: (Row & { id: number })[];
}

export interface NamecheapDouble extends ProviderDouble {
  domainOf(name: string): Domain;
}

class Refusal extends Error {
  readonly number: number;
  constructor(number: number, message: string) {
    super(message);
    this.number = number;
  }
}

export const start = async ({ port, counts }: DoubleOptions = {}): Promise<NamecheapDouble> => {
  const domains = new Map<string, Domain>();
  let ids = 746_355;

  const rowOf = (row: Row): Row & { id: number } => ({
    id: ids++,
    ...row,
    name: row.name === '' ? '@' : row.name,
    address: /^(CNAME|ALIAS|MX|NS)$/.test(row.type) ? `${row.address.replace(/\.$/, '')}.` : row.address,
  });
  const domainOf = (name: string): Domain => {
    const domain = domains.get(name.toLowerCase());
    if (!domain) throw new Refusal(2019166, `Domain name not found (${name})`);
    return domain;
  };
  const named = (parameters: ParameterOf): string => `${parameters('SLD')}.${parameters('TLD')}`;

  const commands: Record<string, (parameters: ParameterOf) => string> = {
    'namecheap.domains.getlist': (parameters) => {
      const size = Number(parameters('PageSize') || 20);
      const page = Number(parameters('Page') || 1);
      if (size < 10 || size > 100) throw new Refusal(2010170, 'Parameter PageSize is Invalid');
      const found = [...domains].filter(([name]) => name.includes(parameters('SearchTerm').toLowerCase()));
      const items = pageOf(found, page, size).items.map(
        ([name, { id, isOurDns }]) =>
          `<Domain ID="${id}" Name="${name}" User="tester" Created="01/01/2026" Expires="01/01/2030" IsExpired="false" IsLocked="false" AutoRenew="false" WhoisGuard="ENABLED" IsPremium="false" IsOurDNS="${String(isOurDns)}" />`,
      );
      return `<DomainGetListResult>${items.join('')}</DomainGetListResult><Paging><TotalItems>${found.length}</TotalItems><CurrentPage>${page}</CurrentPage><PageSize>${size}</PageSize></Paging>`;
    },
    'namecheap.domains.getinfo': (parameters) => {
      const name = parameters('DomainName').toLowerCase();
      const domain = domains.get(name);
      if (!domain) throw new Refusal(2030166, 'Domain is invalid');
      const { id, emailType, isOurDns, rows } = domain;
      return `<DomainGetInfoResult Status="Ok" ID="${id}" DomainName="${name}" OwnerName="tester" IsOwner="true" IsPremium="false"><DomainDetails><CreatedDate>01/01/2026</CreatedDate><ExpiredDate>01/01/2030</ExpiredDate><NumYears>0</NumYears></DomainDetails><LockDetails /><Whoisguard Enabled="True"><ID>1</ID><ExpiredDate>01/01/2030</ExpiredDate><EmailDetails WhoisGuardEmail="" ForwardedTo="" LastAutoEmailChangeDate="" AutoEmailChangeFrequencyDays="3" /></Whoisguard><PremiumDnsSubscription><UseAutoRenew>false</UseAutoRenew><SubscriptionId>-1</SubscriptionId><CreatedDate>0001-01-01T00:00:00</CreatedDate><ExpirationDate>0001-01-01T00:00:00</ExpirationDate><IsActive>false</IsActive></PremiumDnsSubscription><DnsDetails ProviderType="FREE" IsUsingOurDNS="${String(isOurDns)}" HostCount="${rows.length}" EmailType="${emailType}" DynamicDNSStatus="false" IsFailover="false">${SERVERS}</DnsDetails><Modificationrights All="true" /></DomainGetInfoResult>`;
    },
    'namecheap.domains.dns.getlist': (parameters) =>
      `<DomainDNSGetListResult Domain="${named(parameters)}" IsUsingOurDNS="${String(domainOf(named(parameters)).isOurDns)}" IsPremiumDNS="false" IsUsingFreeDNS="false">${SERVERS}</DomainDNSGetListResult>`,
    'namecheap.domains.dns.gethosts': (parameters) => {
      const { emailType, isOurDns, rows } = domainOf(named(parameters));
      if (!isOurDns) throw new Refusal(2030288, NOT_OURS);
      const items = rows.map(
        ({
          id,
          name,
          type,
          address,
          mxPref,
          ttl,
          friendlyName = '',
          appTitle = '',
          isActive = true,
          isDynamic = false,
        }) =>
          `<host HostId="${id}" Name="${escapeXml(name)}" Type="${type}" Address="${escapeXml(address)}" MXPref="${mxPref}" TTL="${ttl}" AssociatedAppTitle="${escapeXml(appTitle)}" FriendlyName="${escapeXml(friendlyName)}" IsActive="${String(isActive)}" IsDDNSEnabled="${String(isDynamic)}" />`,
      );
      return `<DomainDNSGetHostsResult Domain="${named(parameters)}" EmailType="${emailType}" IsUsingOurDNS="${String(isOurDns)}">${items.join('')}</DomainDNSGetHostsResult>`;
    },
    'namecheap.domains.dns.sethosts': (parameters) => {
      const domain = domainOf(named(parameters));
      if (!domain.isOurDns) throw new Refusal(2030288, NOT_OURS);
      const rows: (Row & { id: number })[] = [];
      for (let i = 1; i <= HOSTS_MAX && parameters(`RecordType${i}`) !== ''; i++) {
        const row = rowOf({
          name: parameters(`HostName${i}`),
          type: parameters(`RecordType${i}`).toUpperCase(),
          address: parameters(`Address${i}`),
          mxPref: Number(parameters(`MXPref${i}`) || 10),
          ttl: Number(parameters(`TTL${i}`) || 1_799),
          ...(parameters(`FriendlyName${i}`) !== '' && { friendlyName: parameters(`FriendlyName${i}`) }),
          ...(parameters(`AssociatedAppTitle${i}`) !== '' && { appTitle: parameters(`AssociatedAppTitle${i}`) }),
        });
        // A record that is sent twice is stored once.
        if (!rows.some(({ name, type, address }) => name === row.name && type === row.type && address === row.address))
          rows.push(row);
      }
      // Without an email type the domain's mail settings stay unchanged, but MX records imply the type MX.
      const emailType = parameters('EmailType') || (rows.some(({ type }) => type === 'MX') ? 'MX' : domain.emailType);
      check(rows, emailType);
      Object.assign(domain, { rows, emailType });
      return `<DomainDNSSetHostsResult Domain="${named(parameters)}" IsSuccess="true"><Warnings /></DomainDNSSetHostsResult>`;
    },
  };

  const answer = (request: DoubleRequest): Answer => {
    if (request.url.pathname !== '/xml.response') return { status: 404, body: 'Not Found' };
    const parameters = parametersOf(request);
    const command = parameters('Command');
    try {
      identify(parameters);
      const run = commands[command.toLowerCase()];
      if (!run) throw new Refusal(1010900, 'Command not found');
      return xml('OK', '<Errors />', command, run(parameters));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const errors = `<Errors><Error Number="${error.number}">${escapeXml(error.message)}</Error></Errors>`;
      return xml('ERROR', errors, command, '');
    }
  };

  const server = await serveDouble(counts ? counted(answer, LIMIT) : answer, port);
  return {
    ...server,
    url: `${server.url}/xml.response`,
    credential: CREDENTIAL,
    stranger: { ...CREDENTIAL, api_key: 'fedcba9876543210fedcba9876543210' },
    addZone: (name, seeds = []) => {
      const rows = seeds.map((seed) => rowOf(fromSeed(seed)));
      const emailType = rows.some(({ type }) => type === 'MX') ? 'MX' : 'NONE';
      domains.set(name, { id: ids++, emailType, isOurDns: true, rows });
    },
    domainOf,
    served: (zone) => [
      ...ownServers(zone, ['dns1.registrar-servers.com', 'dns2.registrar-servers.com']),
      ...(domains.get(zone)?.rows ?? []).flatMap((row) => asServed(row, zone)),
    ],
    dump: (zone) => {
      const { rows = [], emailType = '' } = domains.get(zone) ?? {};
      return dumpOf([{ emailType }, ...rows.map(({ id: _, ...row }) => row)]);
    },
  };
};

type ParameterOf = (name: string) => string;

const NOT_OURS = 'Cannot complete this command as this domain is not using proper DNS servers';
const SERVERS =
  '<Nameserver>dns1.registrar-servers.com</Nameserver><Nameserver>dns2.registrar-servers.com</Nameserver>';

/** Reads parameters of the query and of a form, with case-insensitive names. */
function parametersOf({ url, body }: DoubleRequest): ParameterOf {
  const all = new Map(
    [...url.searchParams, ...new URLSearchParams(body)].map(([name, value]) => [name.toLowerCase(), value]),
  );
  return (name) => all.get(name.toLowerCase()) ?? '';
}

function identify(parameters: ParameterOf): void {
  if (parameters('ApiUser') !== CREDENTIAL.api_user || parameters('ApiKey') !== CREDENTIAL.api_key)
    throw new Refusal(1011102, 'API Key is invalid or API access has not been enabled');
  if (parameters('UserName') === '') throw new Refusal(1010103, 'Parameter UserName is missing');
  if (parameters('ClientIp') !== CREDENTIAL.client_ip)
    throw new Refusal(1011150, `Invalid request IP: ${parameters('ClientIp')}`);
}

function check(rows: readonly Row[], emailType: string): void {
  const invalid = (message: string) => new Refusal(2015182, message);
  for (const { name, type, address, ttl } of rows) {
    if (!SETTABLE.test(type)) throw invalid(`Record type ${type} is not supported`);
    if (address === '' || isBadAddress(type, address)) throw invalid(`Address of ${type} ${name} is invalid`);
    if (type === 'TXT' && address.includes('"')) throw invalid('TXT record value cannot contain quotation marks');
    if (ttl < 60 || ttl > 60_000) throw invalid('TTL must be between 60 and 60000');
    if (type === 'MX' && emailType !== 'MX') throw invalid('MX record is not allowed for this email type');
    const others = rows.filter((row) => row.name === name && (row.type !== type || row.address !== address));
    if (
      breaksCname(
        type,
        others.map((row) => row.type),
      )
    )
      // prettier-ignore
      throw invalid(`CNAME record conflicts with another record of ${name}`);
  }
  if (emailType === 'MX' && !rows.some(({ type }) => type === 'MX'))
    throw invalid('At least one MX record is required');
}

const xml = (status: 'OK' | 'ERROR', errors: string, command: string, response: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/xml; charset=utf-8' },
  body: `<?xml version="1.0" encoding="utf-8"?>\n<ApiResponse Status="${status}" xmlns="http://api.namecheap.com/xml.response">${errors}<Warnings /><RequestedCommand>${escapeXml(command.toLowerCase())}</RequestedCommand><CommandResponse Type="${escapeXml(command)}">${response}</CommandResponse><Server>PHX01SBAPIEXT01</Server><GMTTimeDifference>--5:00</GMTTimeDifference><ExecutionTime>0.01</ExecutionTime></ApiResponse>`,
});

function fromSeed({ name, type, ttl, rdata }: SeedRecord): Row {
  const row = { name, type, ttl, mxPref: 10 };
  if (type === 'TXT') return { ...row, address: unquoteTxt(rdata) };
  if (type !== 'MX') return { ...row, address: rdata };
  const { priority, rest } = priorityAndRest(rdata);
  return { ...row, address: rest, mxPref: priority };
}

/** Redirects and aliases are served with addresses from elsewhere, so they are omitted here. */
function asServed({ name, type, address, mxPref, ttl }: Row, zone: string): ServedRecord[] {
  if (/^(URL|URL301|FRAME|MXE)$/.test(type)) return [];
  const rdata = type === 'TXT' ? quoteTxt(address) : type === 'MX' ? `${mxPref} ${address}` : address;
  return [{ name: fromRelative(name, zone), type, ttl, rdata }];
}
