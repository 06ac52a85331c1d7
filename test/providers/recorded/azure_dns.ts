import { accessToken, CREDENTIAL, GROUP, SUBSCRIPTION, TENANT } from '../doubles/azure_dns.ts';
import type { RecordedCalls } from './recorded-calls.ts';

const GROUP_PATH = `/subscriptions/${SUBSCRIPTION}/resourceGroups/${GROUP}/providers/Microsoft.Network`;
const ZONE = `${GROUP_PATH}/dnszones/full4ir.tk`;
const VERSION = 'api-version=2018-05-01';
const form = new URLSearchParams({
  grant_type: 'client_credentials',
  client_id: CREDENTIAL.client_id,
  client_secret: CREDENTIAL.client_secret,
  resource: 'https://management.azure.com',
});
const set = (properties: object) => ({
  id: 'id',
  name: 'localhost',
  type: 'Microsoft.Network/dnszones/A',
  etag: 'b119669b-2183-4195-af38-2bcd4fc74930',
  properties: {
    fqdn: 'localhost.full4ir.tk.',
    TTL: 3600,
    ...properties,
    targetResource: {},
    provisioningState: 'Succeeded',
  },
});
const twoTokens = [{ value: ['challengetoken1'] }, { value: ['challengetoken2'] }];
const SOA = { email: 'e', expireTime: 2419200, host: 'h', minimumTTL: 300, refreshTime: 3600, retryTime: 300, serialNumber: 1 }; // prettier-ignore

export const recorded: RecordedCalls = {
  zone: 'full4ir.tk',
  headers: (_, { url }) =>
    url.endsWith('/token')
      ? { 'content-type': 'application/x-www-form-urlencoded' }
      : { authorization: `Bearer ${accessToken(1)}` },
  calls: [
    {
      call: `POST /${TENANT}/oauth2/token`,
      body: form.toString(),
      status: 200,
      answer: {
        token_type: 'Bearer',
        expires_in: '3599',
        ext_expires_in: '3599',
        expires_on: '1685704053',
        not_before: '1685700153',
        resource: 'https://management.azure.com',
        access_token: 'TOKEN',
      },
    },
    {
      call: `GET ${GROUP_PATH}/dnsZones?${VERSION}`,
      status: 200,
      answer: {
        value: [
          {
            id: 'id',
            name: 'full4ir.tk',
            type: 'Microsoft.Network/dnszones',
            etag: 'etag',
            location: 'global',
            tags: {},
            properties: {
              maxNumberOfRecordSets: 10000,
              maxNumberOfRecordsPerRecordSet: null,
              nameServers: ['ns1-05.azure-dns.com.'],
              numberOfRecordSets: 2,
              zoneType: 'Public',
            },
          },
        ],
      },
    },
    { call: `GET ${ZONE}/A?${VERSION}`, status: 200, answer: { value: [] } },
    {
      call: `PUT ${ZONE}/A/localhost?${VERSION}`,
      body: { properties: { ARecords: [{ ipv4Address: '127.0.0.1' }], TTL: 3600 } },
      status: 201,
      answer: set({ ARecords: [{ ipv4Address: '127.0.0.1' }] }),
    },
    {
      call: `PUT ${ZONE}/CNAME/docs?${VERSION}`,
      body: { properties: { CNAMERecord: { cname: 'docs.example.com' }, TTL: 3600 } },
      status: 201,
      answer: set({ CNAMERecord: { cname: 'docs.example.com' } }),
    },
    {
      call: `PUT ${ZONE}/TXT/_acme-challenge.deleterecordinset?${VERSION}`,
      body: { properties: { TXTRecords: [{ value: ['challengetoken1'] }], TTL: 3600 } },
      status: 201,
    },
    {
      call: `PUT ${ZONE}/TXT/_acme-challenge.deleterecordinset?${VERSION}`,
      body: { properties: { TXTRecords: twoTokens, TTL: 3600 } },
      status: 200,
      answer: set({ TXTRecords: twoTokens }),
    },
    {
      call: `PATCH ${ZONE}/TXT/_acme-challenge.deleterecordinset?${VERSION}`,
      body: {
        properties: {
          fqdn: '_acme-challenge.deleterecordinset.full4ir.tk.',
          TTL: 3600,
          TXTRecords: [{ value: ['challengetoken2'] }],
          targetResource: {},
          provisioningState: 'Succeeded',
        },
      },
      status: 200,
      answer: set({ TXTRecords: [{ value: ['challengetoken2'] }] }),
    },
    {
      call: `GET ${ZONE}/recordsets?${VERSION}`,
      status: 200,
      answer: {
        value: [
          set({ NSRecords: [{ nsdname: 'ns1-05.azure-dns.com.' }] }),
          set({ SOARecord: SOA }),
          set({ ARecords: [{ ipv4Address: '127.0.0.1' }] }),
          set({ CNAMERecord: { cname: 'docs.example.com' } }),
          set({ TXTRecords: twoTokens }),
        ],
      },
    },
    { call: `DELETE ${ZONE}/TXT/_acme-challenge.deleterecordinset?${VERSION}`, status: 200 },
  ],
};
