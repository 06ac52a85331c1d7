import type { RecordedCalls, RecordedCall } from './recorded-calls.ts';

/** The keys are sent in the body. The recording omits them, so these are the double's. */
const KEYS = { apikey: 'pk1_0123456789abcdef0123456789abcdef', secretapikey: 'sk1_fedcba9876543210fedcba9876543210' };
const DONE = { status: 'SUCCESS' };
const post = (path: string, rest: Omit<RecordedCall, 'call'> & { body?: object }): RecordedCall => ({
  ...rest,
  call: `POST /api/json/v3${path}`,
  body: { ...KEYS, ...rest.body },
});

export const recorded: RecordedCalls = {
  zone: 'example.xyz',
  seed: [
    { name: '', type: 'A', ttl: 600, rdata: '8.8.8.8' },
    { name: '*', type: 'CNAME', ttl: 600, rdata: 'example.xyz.' },
  ],
  headers: () => ({ 'content-type': 'application/json' }),
  calls: [
    post('/ping', { status: 200, answer: { ...DONE, yourIp: '8.8.8.8', xForwardedFor: '8.8.8.8' } }),
    post('/dns/retrieve/example.xyz', {
      status: 200,
      answer: {
        ...DONE,
        cloudflare: 'enabled',
        records: [
          { id: '421658077', name: 'example.xyz', type: 'A', content: '8.8.8.8', ttl: '600', prio: '0', notes: null },
          {
            id: '421642428',
            name: 'example.xyz',
            type: 'NS',
            content: 'maceio.porkbun.com',
            ttl: '86400',
            prio: null,
            notes: null,
          },
        ],
      },
    }),
    post('/dns/retrieve/thisisadomainidonotown.com', {
      status: 400,
      answer: { status: 'ERROR', message: 'Invalid domain.' },
    }),
    post('/dns/create/example.xyz', {
      body: { type: 'A', content: '127.0.0.1', name: 'localhost', ttl: 3600 },
      status: 200,
      answer: { ...DONE, id: 432480875 },
    }),
    post('/dns/create/example.xyz', {
      body: { type: 'TXT', content: 'challengetoken', name: 'orig.test', ttl: 3600 },
      status: 200,
      answer: { ...DONE, id: 432481063 },
      keep: { id: 'id' },
    }),
    post('/dns/edit/example.xyz/{id}', {
      body: { name: 'updated.test', type: 'TXT', content: 'challengetoken', ttl: 3600 },
      status: 200,
      answer: DONE,
    }),
    post('/dns/delete/example.xyz/{id}', { status: 200, answer: DONE }),
  ],
};
