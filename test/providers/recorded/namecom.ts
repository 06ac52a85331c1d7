import type { RecordedCalls } from './recorded-calls.ts';

const DOMAIN = {
  domainName: 'mim.pw',
  locked: true,
  autorenewEnabled: true,
  expireDate: '2021-05-30T23:59:59Z',
  createDate: '2014-05-30T18:20:16Z',
};
const RECORD = {
  id: 178073536,
  domainName: 'mim.pw',
  host: 'localhost',
  fqdn: 'localhost.mim.pw.',
  type: 'A',
  answer: '127.0.0.1',
  ttl: 3600,
};
const sent = { type: 'TXT', host: '_acme-challenge.noop', answer: 'challengetoken', ttl: 3600 };

/** Calls of version 4, which the same server answers with the shapes of the Core API. */
export const recorded: RecordedCalls = {
  zone: 'mim.pw',
  headers: ({ credential }) => {
    const basic = Buffer.from(`${credential['username'] ?? ''}:${credential['api_token'] ?? ''}`).toString('base64');
    return { authorization: `Basic ${basic}` };
  },
  calls: [
    { call: 'GET /v4/domains?page=1', status: 200, answer: { domains: [DOMAIN] } },
    {
      call: 'POST /v4/domains/mim.pw/records',
      body: { type: 'A', host: 'localhost', answer: '127.0.0.1', ttl: 3600 },
      status: 200,
      answer: RECORD,
    },
    {
      call: 'POST /v4/domains/mim.pw/records',
      body: { type: 'MX', host: 'mx.test1', answer: 'mim.pw', ttl: 3600, priority: 42 },
      status: 200,
      keep: { mx: 'id' },
    },
    { call: 'GET /v4/domains/mim.pw/records/{mx}', status: 200, answer: { ...RECORD, priority: 42 } },
    { call: 'POST /v4/domains/mim.pw/records', body: sent, status: 200, answer: RECORD, keep: { id: 'id' } },
    {
      call: 'POST /v4/domains/mim.pw/records',
      body: sent,
      status: 400,
      answer: { message: 'Invalid Argument', details: 'Parameter Value Error - Duplicate Record' },
    },
    { call: 'GET /v4/domains/mim.pw/records?page=1', status: 200, answer: { records: [RECORD] } },
    { call: 'PUT /v4/domains/mim.pw/records/{id}', body: { ttl: 3600 }, status: 200, answer: RECORD },
    { call: 'DELETE /v4/domains/mim.pw/records/{id}', status: 200, answer: {} },
  ],
};
