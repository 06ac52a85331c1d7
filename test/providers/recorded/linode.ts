import type { RecordedCalls } from './recorded-calls.ts';

const DOMAIN = {
  soa_email: 'someone@example.com',
  status: 'active',
  description: '',
  refresh_sec: 0,
  id: 1065421,
  retry_sec: 0,
  type: 'master',
  domain: 'lexicon-test.com',
  ttl_sec: 0,
  master_ips: [],
  group: '',
  axfr_ips: [],
  expire_sec: 0,
};
const RECORD = {
  priority: 0,
  tag: null,
  service: null,
  id: 9295232,
  weight: 0,
  name: 'localhost',
  target: '127.0.0.1',
  port: 0,
  type: 'A',
  ttl_sec: 0,
  protocol: null,
};
const RECORDS = '/v4/domains/{zone}/records';
const page = (data: readonly object[]) => ({ pages: 1, page: 1, data, results: data.length });

export const recorded: RecordedCalls = {
  zone: 'lexicon-test.com',
  headers: ({ credential }) => ({ authorization: `Bearer ${credential['api_token'] ?? ''}` }),
  calls: [
    { call: 'GET /v4/domains', status: 200, answer: page([DOMAIN]), keep: { zone: 'data.0.id' } },
    { call: `GET ${RECORDS}`, status: 200, answer: page([]) },
    {
      call: `POST ${RECORDS}`,
      body: { ttl_sec: 0, type: 'A', name: 'localhost', target: '127.0.0.1' },
      status: 200,
      answer: RECORD,
    },
    { call: `GET ${RECORDS}`, status: 200, answer: page([RECORD]) },
    {
      call: `POST ${RECORDS}`,
      body: { ttl_sec: 0, type: 'TXT', name: 'orig.test', target: 'challengetoken' },
      status: 200,
      answer: RECORD,
      keep: { id: 'id' },
    },
    {
      call: `PUT ${RECORDS}/{id}`,
      body: { type: 'TXT', name: 'updated.test', target: 'challengetoken' },
      status: 200,
      answer: RECORD,
    },
    { call: `DELETE ${RECORDS}/{id}`, status: 200, answer: {} },
  ],
};
