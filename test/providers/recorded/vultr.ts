import type { RecordedCalls } from './recorded-calls.ts';

const META = { total: 2, links: { next: '', prev: '' } };
const RECORD = {
  id: 'b4ec45d4-8bf8-4aad-a189-4f5a4ac8567b',
  type: 'A',
  name: 'localhost',
  data: '127.0.0.1',
  priority: 0,
  ttl: 3600,
};
const RECORDS = '/v2/domains/lexicon-test.eu/records';
const sent = (type: string, name: string, data: string) => ({ type, name, data, priority: 0, ttl: 3600 });

export const recorded: RecordedCalls = {
  zone: 'lexicon-test.eu',
  headers: ({ credential }) => ({ authorization: `Bearer ${credential['api_key'] ?? ''}` }),
  calls: [
    {
      call: 'GET /v2/domains',
      status: 200,
      answer: { domains: [{ domain: 'lexicon-test.eu', date_created: '2021-03-27T09:40:29+00:00' }], meta: META },
    },
    { call: `GET ${RECORDS}`, status: 200, answer: { records: [RECORD], meta: META } },
    {
      call: `POST ${RECORDS}`,
      body: sent('A', 'localhost', '127.0.0.1'),
      status: 201,
      answer: { record: RECORD },
    },
    {
      call: `POST ${RECORDS}`,
      body: sent('CNAME', 'docs', 'docs.example.com'),
      status: 201,
      answer: { record: RECORD },
    },
    {
      call: `POST ${RECORDS}`,
      body: sent('TXT', 'orig.test', '"challengetoken"'),
      status: 201,
      answer: { record: RECORD },
      keep: { id: 'record.id' },
    },
    { call: `GET ${RECORDS}/{id}`, status: 200, answer: { record: RECORD } },
    { call: `PATCH ${RECORDS}/{id}`, body: { name: 'updated.test', data: '"challengetoken"' }, status: 204 },
    { call: `DELETE ${RECORDS}/{id}`, status: 204 },
  ],
};
