import type { RecordedCalls } from './recorded-calls.ts';

const ZONE = {
  zone: {
    id: 53091,
    name: 'devcoop.de',
    mode: 'primary',
    ttl: 86400,
    labels: {},
    primary_nameservers: [],
    created: '2025-10-28T13:34:24Z',
    protection: { delete: false },
    status: 'ok',
    authoritative_nameservers: {
      assigned: ['hydrogen.ns.hetzner.com.'],
      delegated: ['helium.ns.hetzner.de.'],
      delegation_last_check: '2026-01-08T04:48:17Z',
      delegation_status: 'valid',
    },
    record_count: 8,
    registrar: 'hetzner',
  },
};
const meta = {
  pagination: { last_page: 1, next_page: null, page: 1, per_page: 25, previous_page: null, total_entries: 0 },
};
const action = (finished: { finished?: null }) => ({
  action: {
    id: 604989101982297,
    status: 'running',
    command: 'add_rrset_records',
    progress: 0,
    started: '2026-01-13T14:16:43Z',
    ...finished,
    error: null,
    resources: [{ id: 53091, type: 'zone' }],
  },
});
const BEGUN = action({ finished: null });
const SET = {
  id: 'localhost/A',
  name: 'localhost',
  type: 'A',
  labels: {},
  protection: { change: false },
  records: [{ value: '127.0.0.1', comment: '' }],
  zone: 53091,
};
const RRSETS = '/v1/zones/{zone}/rrsets';

export const recorded: RecordedCalls = {
  zone: 'devcoop.de',
  headers: ({ credential }) => ({ authorization: `Bearer ${credential['api_token'] ?? ''}` }),
  calls: [
    { call: 'GET /v1/zones/devcoop.de', status: 200, answer: ZONE, keep: { zone: 'zone.id' } },
    {
      call: 'GET /v1/zones/thisisadomainidonotown.com',
      status: 404,
      answer: { error: { code: 'not_found', message: 'Zone not found', details: null } },
    },
    { call: `GET ${RRSETS}?type=A&name=localhost`, status: 200, answer: { meta, rrsets: [] } },
    {
      call: `POST ${RRSETS}/localhost/A/actions/add_records`,
      body: { ttl: 3600, records: [{ value: '127.0.0.1' }] },
      status: 201,
      answer: BEGUN,
      keep: { action: 'action.id' },
    },
    // Here the double is faster than the real API was.
    { call: 'GET /v1/zones/actions/{action}', status: 200, answer: action({}) },
    {
      call: `POST ${RRSETS}/docs/CNAME/actions/add_records`,
      body: { ttl: 3600, records: [{ value: 'docs.example.com' }] },
      status: 201,
      answer: BEGUN,
    },
    {
      call: `POST ${RRSETS}/orig.nameonly.test/TXT/actions/add_records`,
      body: { ttl: 300, records: [{ value: '"challengetoken"' }] },
      status: 201,
      answer: BEGUN,
    },
    {
      call: `POST ${RRSETS}/orig.nameonly.test/TXT/actions/set_records`,
      body: { records: [{ value: '"updated"' }] },
      status: 201,
      answer: BEGUN,
    },
    {
      call: `POST ${RRSETS}/orig.nameonly.test/TXT/actions/change_ttl`,
      body: { ttl: 3600 },
      status: 201,
      answer: BEGUN,
    },
    { call: `GET ${RRSETS}`, status: 200, answer: { meta, rrsets: [SET] } },
    {
      call: `POST ${RRSETS}/orig.nameonly.test/TXT/actions/remove_records`,
      body: { records: [{ value: '"updated"' }] },
      status: 201,
      answer: BEGUN,
    },
    { call: `DELETE ${RRSETS}/localhost/A`, status: 201, answer: BEGUN },
  ],
};
