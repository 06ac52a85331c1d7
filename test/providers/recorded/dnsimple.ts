import type { RecordedCalls } from './recorded-calls.ts';

const pagination = { current_page: 1, per_page: 30, total_entries: 1, total_pages: 1 };
const times = { created_at: '2018-07-09T05:29:54Z', updated_at: '2018-07-09T05:29:54Z' };
const record = (type: string, content: string) => ({
  id: 502861,
  zone_id: 'lexicontest.us',
  parent_id: null,
  name: 'localhost',
  content,
  ttl: 3600,
  priority: null,
  type,
  regions: ['global'],
  system_record: false,
  ...times,
});
const sent = (name: string) => ({
  name,
  content: 'challengetoken',
  ttl: 3600,
  priority: 'placeholder_priority',
  regions: ['global'],
});
const RECORDS = '/v2/731/zones/lexicontest.us/records';

export const recorded: RecordedCalls = {
  zone: 'lexicontest.us',
  seed: [
    { name: 'localhost', type: 'A', ttl: 3600, rdata: '127.0.0.1' },
    { name: 'docs', type: 'CNAME', ttl: 3600, rdata: 'docs.example.com.' },
  ],
  headers: ({ credential }) => ({ authorization: `Bearer ${credential['api_token'] ?? ''}` }),
  calls: [
    {
      call: 'GET /v2/accounts',
      status: 200,
      answer: {
        data: [{ id: 731, email: 'someone@example.com', plan_identifier: 'dnsimple-business', ...times }],
      },
    },
    {
      call: 'GET /v2/731/domains?name_like=lexicontest.us',
      status: 200,
      answer: {
        data: [
          {
            id: 57894,
            account_id: 731,
            registrant_id: null,
            name: 'lexicontest.us',
            unicode_name: 'lexicontest.us',
            state: 'hosted',
            auto_renew: false,
            private_whois: false,
            expires_on: null,
            ...times,
          },
        ],
        pagination,
      },
    },
    {
      call: 'GET /v2/731/domains?name_like=thisisadomainidonotown.com',
      status: 200,
      answer: { data: [], pagination },
    },
    {
      call: `GET ${RECORDS}?type=A&name=localhost`,
      status: 200,
      answer: { data: [record('A', '127.0.0.1')], pagination },
    },
    {
      call: `GET ${RECORDS}?type=CNAME&name=docs`,
      status: 200,
      answer: { data: [record('CNAME', 'docs.example.com')], pagination },
    },
    {
      call: `POST ${RECORDS}`,
      body: { type: 'TXT', ...sent('delete.testfilt') },
      status: 201,
      answer: { data: record('TXT', 'challengetoken') },
      keep: { id: 'data.id' },
    },
    {
      call: `PATCH ${RECORDS}/{id}`,
      body: sent('updated.test'),
      status: 200,
      answer: { data: record('TXT', 'challengetoken') },
    },
    { call: `GET ${RECORDS}`, status: 200, answer: { data: [record('SOA', 'ns1.dnsimple.com')], pagination } },
    { call: `DELETE ${RECORDS}/{id}`, status: 204 },
  ],
};
