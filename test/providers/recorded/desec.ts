import type { RecordedCalls } from './recorded-calls.ts';

/** Requests and answers of the documentation, at <https://desec.readthedocs.io>. */
const SET = {
  created: '2019-09-18T16:32:16.510368Z',
  domain: 'example.com',
  subname: 'www',
  name: 'www.example.com.',
  type: 'A',
  records: ['127.0.0.1', '127.0.0.2'],
  ttl: 3600,
  touched: '2020-04-06T09:24:09.987436Z',
};
const SETS = '/api/v1/domains/example.com/rrsets/';

export const recorded: RecordedCalls = {
  zone: 'example.com',
  headers: ({ credential }) => ({ authorization: `Token ${credential['api_token'] ?? ''}` }),
  calls: [
    {
      call: 'GET /api/v1/domains/?owns_qname=www.example.com',
      status: 200,
      answer: [
        {
          created: '2018-09-18T16:36:16.510368Z',
          published: '2018-09-18T17:21:38.348112Z',
          name: 'example.com',
          minimum_ttl: 3600,
          touched: '2018-09-18T17:21:38.348112Z',
        },
      ],
    },
    {
      call: `POST ${SETS}`,
      body: { subname: 'www', type: 'A', ttl: 3600, records: ['127.0.0.1', '127.0.0.2'] },
      status: 201,
      answer: SET,
    },
    {
      call: `POST ${SETS}`,
      body: { subname: 'www', type: 'A', ttl: 3600, records: ['127.0.0.1'] },
      status: 400,
      answer: { non_field_errors: ['Another RRset with the same subdomain and type exists for this domain.'] },
    },
    { call: `GET ${SETS}?subname=www`, status: 200, answer: [SET] },
    { call: `GET ${SETS}www/A/`, status: 200, answer: SET },
    { call: `GET ${SETS}@/NS/`, status: 200, answer: SET },
    { call: `GET ${SETS}@/TXT/`, status: 404, answer: { detail: 'Not found.' } },
    {
      call: `PATCH ${SETS}`,
      body: [
        { subname: 'www', type: 'A', ttl: 3600, records: ['1.2.3.4'] },
        { subname: 'www', type: 'AAAA', ttl: 3600, records: ['c0::fefe'] },
        { subname: 'backup', type: 'MX', records: [] },
      ],
      status: 200,
      answer: [SET],
    },
    {
      call: `PATCH ${SETS}`,
      body: [
        { subname: 'fine', type: 'A', ttl: 3600, records: ['1.2.3.4'] },
        { subname: 'www', type: 'CNAME', ttl: 3600, records: ['example.net.'] },
      ],
      status: 400,
      answer: [{}, { non_field_errors: ['RRset with conflicting type present at same subname: database (A).'] }],
    },
    { call: `GET ${SETS}fine/A/`, status: 404 },
    { call: `PATCH ${SETS}www/A/`, body: { ttl: 86400 }, status: 200, answer: SET },
    { call: `PATCH ${SETS}www/A/`, body: { records: [] }, status: 204 },
    { call: `DELETE ${SETS}www/AAAA/`, status: 204 },
    { call: `DELETE ${SETS}www/AAAA/`, status: 204 },
  ],
};
