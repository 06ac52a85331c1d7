import type { RecordedCall, RecordedCalls } from './recorded-calls.ts';

const DONE = { success: true, errors: [], messages: [] };
const ZONE = {
  id: '457dd20dded351b97830cb528f507819',
  name: 'byemike.org',
  status: 'active',
  paused: false,
  type: 'full',
  development_mode: 0,
  name_servers: ['blakely.ns.cloudflare.com'],
  original_name_servers: null,
  original_registrar: null,
  original_dnshost: null,
  modified_on: '2025-06-27T16:15:05.621864Z',
  created_on: '2025-06-27T16:15:01.206882Z',
  activated_on: '2025-06-27T16:15:05.465417Z',
  vanity_name_servers: [],
  vanity_name_servers_ips: null,
  meta: { step: 4, custom_certificate_quota: 0, page_rule_quota: 3, phishing_detected: false },
  owner: { id: null, type: 'user', email: null },
  account: { id: '8d76151cc3a22bf025f36489c7a0be23', name: 'Account' },
  permissions: ['#dns_records:edit'],
  plan: { id: '0feeeeeeeeeeeeeeeeeeeeeeeeeeeeee', name: 'Free', price: 0, currency: 'USD', legacy_id: 'free' },
};
const RECORD = {
  id: '56dd4e5c3024bcc3ac04b64c97cda3e3',
  name: 'localhost.byemike.org',
  type: 'A',
  content: '127.0.0.1',
  proxiable: false,
  proxied: false,
  ttl: 3600,
  settings: {},
  meta: {},
  comment: null,
  tags: [],
  created_on: '2025-08-27T20:36:17.634961Z',
  modified_on: '2025-08-27T20:36:17.634961Z',
};
const INFO = { page: 1, per_page: 100, count: 1, total_count: 1, total_pages: 1 };
const sent = (type: string, name: string, content: string) => ({ type, name, content, data: null, ttl: 3600 });
const RECORDS = '/client/v4/zones/{zone}/dns_records';
const txt = sent('TXT', 'delete.testfilt.byemike.org', 'challengetoken');
const listed = (query: string): RecordedCall => ({
  call: `GET ${RECORDS}?per_page=100${query}`,
  status: 200,
  answer: { ...DONE, result: [RECORD], result_info: INFO },
});

export const recorded: RecordedCalls = {
  zone: 'byemike.org',
  headers: ({ credential }) => ({ authorization: `Bearer ${credential['api_token'] ?? ''}` }),
  calls: [
    {
      call: 'GET /client/v4/zones?page=1&per_page=100',
      status: 200,
      answer: { ...DONE, result: [ZONE], result_info: INFO },
      keep: { zone: 'result.0.id' },
    },
    {
      call: `POST ${RECORDS}`,
      body: sent('A', 'localhost.byemike.org', '127.0.0.1'),
      status: 200,
      answer: { ...DONE, result: RECORD },
    },
    {
      call: `POST ${RECORDS}`,
      body: sent('CNAME', 'docs.byemike.org', 'docs.example.com'),
      status: 200,
      answer: { ...DONE, result: { ...RECORD, settings: { flatten_cname: false } } },
    },
    { call: `POST ${RECORDS}`, body: txt, status: 200, answer: { ...DONE, result: RECORD }, keep: { id: 'result.id' } },
    {
      call: `POST ${RECORDS}`,
      body: txt,
      status: 400,
      answer: {
        result: null,
        success: false,
        errors: [{ code: 81058, message: 'An identical record already exists.' }],
        messages: [],
      },
    },
    listed('&type=TXT&name=delete.testfilt.byemike.org&content=challengetoken'),
    listed(''),
    {
      call: `PUT ${RECORDS}/{id}`,
      body: { type: 'TXT', name: 'updated.test.byemike.org', content: 'challengetoken', ttl: 3600 },
      status: 200,
      answer: { ...DONE, result: RECORD },
    },
    { call: `DELETE ${RECORDS}/{id}`, status: 200, answer: { ...DONE, result: { id: RECORD.id } } },
    {
      call: `GET ${RECORDS}?per_page=100&type=TXT&name=delete.testfilt.byemike.org`,
      status: 200,
      answer: { ...DONE, result: [], result_info: { ...INFO, count: 0, total_count: 0 } },
    },
  ],
};
