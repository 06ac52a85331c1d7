import type { RecordedCalls } from './recorded-calls.ts';

const RECORD = {
  id: 92264290,
  type: 'TXT',
  name: 'delete.testfilt',
  data: 'challengetoken',
  priority: null,
  port: null,
  ttl: 3600,
  weight: null,
  flags: null,
  tag: null,
};
const sent = (name: string) => ({ data: 'challengetoken', type: 'TXT', name, ttl: 3600 });

export const recorded: RecordedCalls = {
  zone: 'foxwoodswebsites.com',
  headers: ({ credential }) => ({ authorization: `Bearer ${credential['api_token'] ?? ''}` }),
  calls: [
    {
      call: 'GET /v2/domains/foxwoodswebsites.com',
      status: 200,
      answer: { domain: { name: 'foxwoodswebsites.com', ttl: 1800, zone_file: '$ORIGIN' } },
    },
    {
      call: 'GET /v2/domains/thisisadomainidonotown.com',
      status: 404,
      answer: { id: 'not_found', message: 'The resource you were accessing could not be found.' },
    },
    {
      call: 'POST /v2/domains/foxwoodswebsites.com/records',
      body: sent('delete.testfilt'),
      status: 201,
      answer: { domain_record: RECORD },
      keep: { id: 'domain_record.id' },
    },
    {
      call: 'PUT /v2/domains/foxwoodswebsites.com/records/{id}',
      body: sent('updated.test'),
      status: 200,
      answer: { domain_record: RECORD },
    },
    {
      call: 'GET /v2/domains/foxwoodswebsites.com/records',
      status: 200,
      answer: { domain_records: [RECORD], links: {}, meta: { total: 22 } },
    },
    { call: 'DELETE /v2/domains/foxwoodswebsites.com/records/{id}', status: 204 },
  ],
};
