import type { RecordedCalls } from './recorded-calls.ts';

/** Examples of the OpenAPI document that IONOS publishes with its client for Go. */
const RECORD = {
  name: 'example-zone.de',
  rootName: 'example-zone.de',
  type: 'A',
  content: '1.1.1.1',
  changeDate: '2019-12-09T13:04:25.772Z',
  ttl: 3600,
  prio: 0,
  disabled: false,
  id: '22af3414-abbe-9e11-5df5-66fbe8e334b4',
};
const sent = { name: 'example-zone.de', type: 'A', content: '1.1.1.1', ttl: 3600, prio: 0, disabled: false };

export const recorded: RecordedCalls = {
  zone: 'example-zone.de',
  headers: ({ credential }) => ({ 'x-api-key': credential['api_key'] ?? '' }),
  calls: [
    {
      call: 'GET /dns/v1/zones',
      status: 200,
      answer: [{ name: 'example-zone.de', id: '11af3414-ebba-11e9-8df5-66fbe8a334b4', type: 'NATIVE' }],
      keep: { zone: '0.id' },
    },
    { call: 'POST /dns/v1/zones/{zone}/records', body: [sent], status: 201, answer: [RECORD], keep: { id: '0.id' } },
    {
      call: 'GET /dns/v1/zones/{zone}?recordName=example-zone.de&recordType=A,AAAA',
      status: 200,
      answer: {
        id: '11af3414-ebba-11e9-8df5-66fbe8a334b4',
        name: 'example-zone.de',
        type: 'NATIVE',
        records: [RECORD],
      },
    },
    { call: 'GET /dns/v1/zones/{zone}/records/{id}', status: 200, answer: RECORD },
    {
      call: 'PUT /dns/v1/zones/{zone}/records/{id}',
      body: { disabled: false, content: '1.1.1.2', ttl: 3600, prio: 0 },
      status: 200,
      answer: RECORD,
    },
    {
      call: 'POST /dns/v1/zones/{zone}/records',
      body: [{ ...sent, name: '_acme-challenge.cloud', type: 'TXT', content: 'token' }],
      status: 400,
      answer: [
        {
          code: 'INVALID_RECORD',
          message: 'Record is invalid.',
          parameters: { invalidFields: ['name'], errorRecord: { name: '_acme-challenge.cloud' } },
        },
      ],
    },
    {
      call: 'POST /dns/v1/zones/{zone}/records',
      body: sent,
      status: 400,
      answer: [{ code: 'INVALID_DATA', message: 'The request body is invalid or not supported by the endpoint.' }],
    },
    { call: 'PATCH /dns/v1/zones/{zone}', body: [{ ...sent, content: '1.1.1.3' }], status: 200 },
    {
      call: 'DELETE /dns/v1/zones/{zone}/records/{id}',
      status: 404,
      answer: [{ code: 'RECORD_NOT_FOUND', message: 'Record does not exist.' }],
    },
    { call: 'PUT /dns/v1/zones/{zone}', body: [sent], status: 200 },
  ],
};
