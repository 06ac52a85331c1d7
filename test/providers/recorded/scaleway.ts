import type { RecordedCalls } from './recorded-calls.ts';

/** Requests and answers of Scaleway's own clients, for octoDNS and Go. */
const RECORD = {
  id: 'fd986064-81bd-4031-880f-7c7466f44975',
  data: 'cname.example.net.',
  name: 'cname',
  priority: 0,
  ttl: 60,
  type: 'CNAME',
  comment: null,
};
const RECORDS = '/domain/v2beta1/dns-zones/unit.tests/records';
const changed = (...changes: object[]) => ({ return_all_records: false, disallow_new_zone_creation: true, changes });

export const recorded: RecordedCalls = {
  zone: 'unit.tests',
  headers: ({ credential }) => ({ 'x-auth-token': credential['secret_key'] ?? '' }),
  calls: [
    {
      call: 'GET /domain/v2beta1/dns-zones?domain=unit.tests',
      status: 200,
      answer: {
        total_count: 1,
        dns_zones: [
          {
            domain: 'unit.tests',
            subdomain: '',
            ns: ['ns0.dom.scw.cloud'],
            ns_default: ['ns0.dom.scw.cloud'],
            ns_master: [],
            status: 'active',
            message: null,
            updated_at: '2026-01-01T00:00:00Z',
            project_id: '6867048b-fe12-4e96-835e-41c79a39604b',
          },
        ],
      },
    },
    { call: `GET ${RECORDS}?page_size=1000`, status: 200, answer: { total_count: 2, records: [RECORD] } },
    {
      call: `PATCH ${RECORDS}`,
      body: changed(
        { add: { records: [{ name: 'cname', ttl: 60, type: 'CNAME', data: 'cname.example.net.' }] } },
        { add: { records: [{ name: '@', ttl: 60, type: 'MX', data: '10 mx.example.net.' }] } },
        { add: { records: [{ name: '_x.unit.tests.', ttl: 60, type: 'TXT', data: '"token"', comment: 'lego' }] } },
      ),
      status: 200,
      answer: { records: [RECORD, { ...RECORD, comment: 'lego' }] },
      keep: { id: 'records.0.id' },
    },
    {
      call: `PATCH ${RECORDS}`,
      body: changed({
        set: {
          id_fields: { type: 'MX', name: '' },
          records: [{ name: '@', ttl: 300, type: 'MX', data: 'mx2.example.net.', priority: 20 }],
        },
      }),
      status: 200,
      answer: { records: [RECORD] },
    },
    {
      call: `PATCH ${RECORDS}`,
      body: changed({ delete: { id_fields: { name: '_x', type: 'TXT', data: '"token"' } } }),
      status: 200,
      answer: { records: [] },
    },
    {
      call: `PATCH ${RECORDS}`,
      body: changed({ delete: { id: '00000000-0000-4000-8000-000000000000' } }),
      status: 404,
      answer: { type: 'not_found', message: 'resource is not found', resource: 'record' },
    },
    {
      call: 'GET /domain/v2beta1/dns-zones/other.tests/records',
      status: 403,
      answer: { type: 'permissions_denied', message: 'insufficient permissions' },
    },
  ],
};
