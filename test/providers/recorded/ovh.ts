import { signOvh } from '../../../src/providers/ovh/signature.ts';
import type { RecordedCalls } from './recorded-calls.ts';

const RECORD = {
  target: '127.0.0.1',
  ttl: 3600,
  zone: 'pacalis.net',
  fieldType: 'A',
  id: 1553659740,
  subDomain: 'localhost',
};

export const recorded: RecordedCalls = {
  zone: 'pacalis.net',
  headers: ({ credential }, request) =>
    signOvh(
      request,
      {
        applicationKey: credential['application_key'] ?? '',
        applicationSecret: credential['application_secret'] ?? '',
        consumerKey: credential['consumer_key'] ?? '',
      },
      Math.floor(Date.now() / 1_000),
    ),
  calls: [
    { call: 'GET /1.0/auth/time', status: 200, answer: 1528723171 },
    { call: 'GET /1.0/domain/zone/', status: 200, answer: ['pacalis.net'] },
    {
      call: 'GET /1.0/domain/zone/pacalis.net/status',
      status: 200,
      answer: { warnings: null, errors: null, isDeployed: true },
    },
    { call: 'GET /1.0/domain/zone/pacalis.net/record?fieldType=A&subDomain=localhost', status: 200, answer: [] },
    {
      call: 'POST /1.0/domain/zone/pacalis.net/record',
      body: { fieldType: 'A', subDomain: 'localhost', target: '127.0.0.1', ttl: 3600 },
      status: 200,
      answer: RECORD,
      keep: { id: 'id' },
    },
    { call: 'POST /1.0/domain/zone/pacalis.net/refresh', status: 200, answer: null },
    { call: 'GET /1.0/domain/zone/pacalis.net/record/{id}', status: 200, answer: RECORD },
    { call: 'GET /1.0/domain/zone/pacalis.net/record', status: 200, answer: [1553644693, 1553644694] },
    {
      call: 'PUT /1.0/domain/zone/pacalis.net/record/{id}',
      body: { subDomain: 'updated.test', target: '127.0.0.2' },
      status: 200,
      answer: null,
    },
    { call: 'DELETE /1.0/domain/zone/pacalis.net/record/{id}', status: 200, answer: null },
  ],
};
