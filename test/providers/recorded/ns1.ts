import type { RecordedCalls } from './recorded-calls.ts';

const SET = {
  domain: 'localhost.lexicon-example.com',
  zone: 'lexicon-example.com',
  use_client_subnet: true,
  answers: [{ answer: ['127.0.0.1'], id: '5ab7b702a632f60001b0b498' }],
  id: '5ab7b702a632f60001b0b499',
  regions: {},
  meta: {},
  link: null,
  filters: [],
  ttl: 3600,
  tier: 1,
  type: 'A',
  networks: [0],
};
const PATH = '/v1/zones/lexicon-example.com/_acme-challenge.createrecordset.lexicon-example.com/TXT';

export const recorded: RecordedCalls = {
  zone: 'lexicon-example.com',
  headers: ({ credential }) => ({ 'x-nsone-key': credential['api_key'] ?? '' }),
  calls: [
    {
      call: 'GET /v1/zones/lexicon-example.com',
      status: 200,
      answer: {
        nx_ttl: 3600,
        retry: 7200,
        zone: 'lexicon-example.com',
        dnssec: false,
        network_pools: ['p08'],
        primary: { enabled: false, secondaries: [] },
        refresh: 43200,
        expiry: 1209600,
        dns_servers: ['dns1.p08.nsone.net'],
        records: [],
        meta: {},
        link: null,
        serial: 1521989346,
        ttl: 3600,
        id: '5ab69dd6bbccf900012ef579',
        hostmaster: 'someone@example.com',
        networks: [0],
        pool: 'p08',
      },
    },
    { call: 'GET /v1/zones/thisisadomainidonotown.com', status: 404, answer: { message: 'zone not found' } },
    {
      call: 'GET /v1/zones/lexicon-example.com/localhost.lexicon-example.com/A',
      status: 404,
      answer: { message: 'record not found' },
    },
    {
      call: 'PUT /v1/zones/lexicon-example.com/localhost.lexicon-example.com/A',
      body: {
        domain: 'localhost.lexicon-example.com',
        type: 'A',
        answers: [{ answer: ['127.0.0.1'] }],
        zone: 'lexicon-example.com',
      },
      status: 200,
      answer: SET,
    },
    {
      call: `PUT ${PATH}`,
      body: {
        domain: '_acme-challenge.createrecordset.lexicon-example.com',
        type: 'TXT',
        answers: [{ answer: ['challengetoken1'] }],
        zone: 'lexicon-example.com',
      },
      status: 200,
      answer: SET,
    },
    { call: `GET ${PATH}`, status: 200, answer: SET },
    {
      call: `POST ${PATH}`,
      body: {
        type: 'TXT',
        name: '_acme-challenge.createrecordset.lexicon-example.com',
        answers: [{ answer: ['challengetoken1'], id: '5ab7b712c9c79d0001ad45e5' }, { answer: ['challengetoken2'] }],
        ttl: 3600,
      },
      status: 200,
      answer: SET,
    },
    { call: `DELETE ${PATH}`, status: 200, answer: {} },
  ],
};
