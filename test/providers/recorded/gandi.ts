import type { RecordedCalls } from './recorded-calls.ts';

const DOMAINS = '/v5/livedns/domains';
const RECORDS = `${DOMAINS}/t18s.fr/records`;
const content = (...rrset_values: string[]) => ({ rrset_values, rrset_ttl: 3600 });
const CREATED = { message: 'DNS Record Created' };
const SET = {
  rrset_type: 'TXT',
  rrset_ttl: 3600,
  rrset_name: '_acme-challenge.createrecordset',
  rrset_href: 'https://api.gandi.net/v5/livedns/domains/t18s.fr/records/_acme-challenge.createrecordset/TXT',
  rrset_values: ['"challengetoken1"'],
};

export const recorded: RecordedCalls = {
  zone: 't18s.fr',
  headers: ({ credential }) => ({ authorization: `Bearer ${credential['personal_access_token'] ?? ''}` }),
  calls: [
    {
      call: `GET ${DOMAINS}/t18s.fr`,
      status: 200,
      answer: {
        domain_keys_href: 'href',
        fqdn: 't18s.fr',
        automatic_snapshots: true,
        domain_records_href: 'href',
        domain_href: 'href',
      },
    },
    {
      call: `GET ${DOMAINS}/thisisadomainidonotown.com`,
      status: 404,
      answer: { code: 404, message: 'The resource could not be found.', object: 'HTTPNotFound', cause: 'Not Found' },
    },
    {
      call: `GET ${RECORDS}/localhost/A`,
      status: 404,
      answer: { code: 404, message: "Can't find the DNS record", object: 'dns-record', cause: 'Not Found' },
    },
    { call: `POST ${RECORDS}/localhost/A`, body: content('127.0.0.1'), status: 201, answer: CREATED },
    { call: `POST ${RECORDS}/docs/CNAME`, body: content('docs.example.com'), status: 201, answer: CREATED },
    {
      call: `POST ${RECORDS}/_acme-challenge.createrecordset/TXT`,
      body: content('challengetoken1'),
      status: 201,
      answer: CREATED,
    },
    { call: `GET ${RECORDS}/_acme-challenge.createrecordset/TXT`, status: 200, answer: SET },
    {
      call: `PUT ${RECORDS}/_acme-challenge.createrecordset/TXT`,
      body: content('challengetoken1', 'challengetoken2'),
      status: 201,
      answer: CREATED,
    },
    { call: `GET ${RECORDS}`, status: 200, answer: [SET] },
    { call: `DELETE ${RECORDS}/_acme-challenge.createrecordset/TXT`, status: 204 },
    { call: `DELETE ${RECORDS}/localhost`, status: 204 },
  ],
};
