import { assertionOf } from '../../../src/providers/google_cloud_dns/service-account.ts';
import { accessToken, SERVICE_ACCOUNT } from '../doubles/google_cloud_dns.ts';
import type { RecordedCalls } from './recorded-calls.ts';

const ASSERTION = assertionOf(SERVICE_ACCOUNT, {
  scope: 'https://www.googleapis.com/auth/ndev.clouddns.readwrite',
  audience: 'https://oauth2.googleapis.com/token',
  nowMs: Date.now(),
});
const ZONES = '/dns/v1/projects/laboratory-project/managedZones';
const SET = { kind: 'dns#resourceRecordSet', name: 'localhost.fullm3tal.tk.', type: 'A', ttl: 3600, rrdatas: ['127.0.0.1'] }; // prettier-ignore
const CHANGE = { kind: 'dns#change', startTime: '2018-07-09T13:19:46.705Z', id: '212', status: 'pending' };
const addition = (name: string, type: string, rrdata: string) => ({
  additions: [{ name: `${name}.fullm3tal.tk.`, type, ttl: 3600, rrdatas: [rrdata] }],
});

export const recorded: RecordedCalls = {
  zone: 'fullm3tal.tk',
  headers: (_, { url }) =>
    url.endsWith('/token')
      ? { 'content-type': 'application/x-www-form-urlencoded' }
      : { authorization: `Bearer ${accessToken(1)}` },
  calls: [
    {
      call: 'POST /oauth2/v4/token',
      body: `grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=${ASSERTION}`,
      status: 200,
      answer: { access_token: 'token', token_type: 'Bearer', expires_in: 3600 },
    },
    {
      call: `GET ${ZONES}`,
      status: 200,
      answer: {
        kind: 'dns#managedZonesListResponse',
        managedZones: [
          {
            kind: 'dns#managedZone',
            name: 'fullm3tal-tk',
            dnsName: 'fullm3tal.tk.',
            description: '',
            id: '699036609868956548',
            nameServers: ['ns-cloud-c1.googledomains.com.'],
            creationTime: '2018-07-06T18:42:27.476Z',
            dnssecConfig: {
              kind: 'dns#managedZoneDnsSecConfig',
              state: 'off',
              defaultKeySpecs: [
                { kind: 'dns#dnsKeySpec', keyType: 'keySigning', algorithm: 'rsasha256', keyLength: 2048 },
              ],
              nonExistence: 'nsec3',
            },
          },
        ],
      },
      keep: { zone: 'managedZones.0.id' },
    },
    {
      call: `GET ${ZONES}/{zone}/rrsets?type=A&name=localhost.fullm3tal.tk.`,
      status: 200,
      answer: { kind: 'dns#resourceRecordSetsListResponse', rrsets: [] },
    },
    {
      call: `POST ${ZONES}/{zone}/changes`,
      body: addition('localhost', 'A', '127.0.0.1'),
      status: 200,
      answer: { ...CHANGE, additions: [SET] },
    },
    {
      call: `POST ${ZONES}/{zone}/changes`,
      body: addition('docs', 'CNAME', 'docs.example.com.'),
      status: 200,
      answer: { ...CHANGE, additions: [SET] },
    },
    {
      call: `GET ${ZONES}/{zone}/rrsets`,
      status: 200,
      answer: { kind: 'dns#resourceRecordSetsListResponse', rrsets: [SET] },
    },
  ],
};
