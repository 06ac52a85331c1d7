import { TEAM } from '../doubles/vercel.ts';
import type { RecordedCalls } from './recorded-calls.ts';

const RECORD = {
  id: 'rec_455cf05a3f163a552ae8e512',
  slug: 'localhost.fullcr1stal.tk.-address-127.0.0.1',
  name: 'localhost',
  type: 'A',
  value: '127.0.0.1',
  creator: 'rx5Jv1UNgWHvquEx7wuQYFBp',
  created: 1628539437465,
  updated: 1628539437465,
  createdAt: 1628539437465,
  updatedAt: 1628539437465,
  ttl: 60,
};
const LISTING = { records: [RECORD], pagination: { count: 4, next: 1628537900675, prev: 1628539437465 } };

export const recorded: RecordedCalls = {
  zone: 'fullcr1stal.tk',
  query: `teamId=${TEAM}`,
  headers: ({ credential }) => ({ authorization: `Bearer ${credential['api_token'] ?? ''}` }),
  calls: [
    {
      call: 'GET /v5/domains/fullcr1stal.tk',
      status: 200,
      answer: {
        domain: {
          boughtAt: null,
          configVerifiedAt: null,
          createdAt: 1628537900675,
          expiresAt: null,
          id: 'QmV6itdBxJrSzPWWiQaSfQwb1nFYXem2c5qLjrjUGrW9yE',
          name: 'fullcr1stal.tk',
          nsVerifiedAt: null,
          serviceType: 'na',
          transferredAt: null,
          txtVerifiedAt: null,
          verificationRecord: '3bhJ7Zwugm',
          cdnEnabled: true,
          verified: true,
          nameservers: [],
          intendedNameservers: ['ns1.vercel-dns.com', 'ns2.vercel-dns.com'],
          creator: { id: 'a', customerId: 'b', email: 'someone@example.com', username: 'someone', name: 'someone' },
          zone: true,
          suffix: false,
        },
      },
    },
    {
      call: 'GET /v5/domains/thisisadomainidonotown.com',
      status: 404,
      answer: { error: { code: 'not_found', message: 'not found', name: 'thisisadomainidonotown.com' } },
    },
    { call: 'GET /v4/domains/fullcr1stal.tk/records', status: 200, answer: LISTING },
    {
      call: 'POST /v2/domains/fullcr1stal.tk/records',
      body: { type: 'A', name: 'localhost', value: '127.0.0.1' },
      status: 200,
      answer: { uid: 'rec_455cf05a3f163a552ae8e512' },
      keep: { id: 'uid' },
    },
    {
      call: 'POST /v2/domains/fullcr1stal.tk/records',
      body: { type: 'CNAME', name: 'docs', value: 'docs.example.com' },
      status: 200,
      answer: { uid: 'rec_74e2fcc96339e934107478b8' },
    },
    { call: 'GET /v4/domains/fullcr1stal.tk/records', status: 200, answer: LISTING },
    { call: 'DELETE /v2/domains/fullcr1stal.tk/records/{id}', status: 200, answer: {} },
  ],
};
