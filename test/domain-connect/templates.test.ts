import { Ajv } from 'ajv';
import { dcChoice, dcErrorOf, dcTemplates, type DcOffer } from '../../src/domain/zone/domain-connect.ts';
import { desiredRecords, type TemplateRecord } from '../../src/domain/connection/template.ts';
import { inPython } from '../support/servers/domainconnectzone.ts';

const operator = (edge: { ipv4: string[]; ipv6: string[] }) => ({
  providerId: 'saas-product.com',
  providerName: 'SaaS Product',
  logoUrl: 'https://saas-product.com/logo.svg',
  pubKeyDomain: 'saas-product.com',
  redirectDomain: 'api.saas-product.com',
  edge: { cnameTarget: 'edge.saas-product.com', policy: 'any' as const, ...edge },
  delegationZone: 'acme.saas-product.com',
});
const BOTH = operator({ ipv4: ['192.0.2.10'], ipv6: ['2001:db8::10'] });
const NAME_ONLY = operator({ ipv4: [], ipv6: [] });
const TWO_REGIONS = operator({ ipv4: ['192.0.2.10', '198.51.100.10'], ipv6: ['2001:db8::10', '2001:db8:1::10'] });

/** The rules of the public schema and linter that concern us, in our own words. */
const text = { type: 'string', minLength: 1 };
const name = { type: 'string', pattern: '^(@|[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?)$' };
const ttl = { type: 'integer', minimum: 60 };
const record = (type: string, properties: object, required: string[]) => ({
  type: 'object',
  additionalProperties: false,
  required: ['type', 'ttl', ...required],
  properties: { type: { const: type }, ttl, groupId: text, ...properties },
});
const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: [
    'providerId',
    'providerName',
    'serviceId',
    'serviceName',
    'version',
    'description',
    'syncPubKeyDomain',
    'syncRedirectDomain',
    'records',
  ],
  properties: {
    ...Object.fromEntries(
      ['providerId', 'providerName', 'serviceId', 'serviceName', 'description', 'variableDescription'].map((one) => [
        one,
        text,
      ]),
    ),
    version: { type: 'integer', minimum: 1 },
    logoUrl: { type: 'string', pattern: '^https://.+\\.(png|svg|jpg)$' },
    syncBlock: { const: false },
    syncPubKeyDomain: text,
    syncRedirectDomain: text,
    hostRequired: { const: true },
    records: {
      type: 'array',
      minItems: 1,
      items: {
        anyOf: [
          record('A', { host: name, pointsTo: { type: 'string', pattern: '^[0-9.]+$' } }, ['host', 'pointsTo']),
          record('AAAA', { host: name, pointsTo: { type: 'string', pattern: '^[0-9a-f:]+$' } }, ['host', 'pointsTo']),
          record('CNAME', { host: name, pointsTo: text }, ['host', 'pointsTo']),
          record('APEXCNAME', { pointsTo: text }, ['pointsTo']),
          record('MX', { host: name, pointsTo: text, priority: { type: 'integer' } }, ['host', 'pointsTo', 'priority']),
          record('TXT', { host: name, data: { type: 'string', not: { pattern: 'v=spf1|v=DMARC1' } }, txtConflictMatchingMode: { const: 'All' } }, ['host', 'data']), // prettier-ignore
        ],
      },
    },
  },
  // A CNAME at the template's own name is not allowed at a zone's apex.
  if: { properties: { records: { contains: { properties: { type: { const: 'CNAME' }, host: { const: '@' } } } } } },
  then: { required: ['hostRequired'] },
};

test.each([
  ['an edge with addresses', BOTH],
  ['an edge that has only a name', NAME_ONLY],
  ['an edge in two regions', TWO_REGIONS],
])('the templates of %s follow the rules of the public schema', (_, made) => {
  const check = new Ajv({ strict: false }).compile(SCHEMA);

  for (const template of dcTemplates(made)) expect([template.serviceId, check(template), check.errors]).toEqual([template.serviceId, true, null]); // prettier-ignore
});

test('each template proves ownership and redirects back, and none writes SPF or DMARC', () => {
  for (const { records, syncRedirectDomain } of dcTemplates(BOTH)) {
    expect(records).toContainEqual(expect.objectContaining({ host: '_service-challenge', data: '%challenge%' }));
    expect(syncRedirectDomain).toBe('api.saas-product.com');
    expect(JSON.stringify(records)).not.toMatch(/spf1|SPFM|DMARC1/i);
  }
});

/** Prints the records that the project's own code would write for a hostname. */
const APPLY = `
from domainconnectzone import process_records
new, deleted, zone = process_records(given['records'], [], 'customer.com', given['host'], given['params'], None)
print(json.dumps(sorted([r['type'], r['name'], r['data']] for r in new)))
`;

test("the Domain Connect project's own code turns them into the records that a connection wants", async () => {
  const [subdomain, apex, validation] = dcTemplates(BOTH);
  const params = { challenge: 'token', delegation: 'label' };

  const below = await inPython(APPLY, { records: subdomain!.records, host: 'shop', params });
  const root = await inPython(APPLY, { records: apex!.records, host: '', params });
  const before = await inPython(APPLY, { records: validation!.records, host: 'shop', params });

  expect(below).toEqual([
    ['CNAME', 'shop', 'edge.saas-product.com'],
    ['TXT', '_service-challenge.shop', 'token'],
  ]);
  expect(root).toEqual([
    ['A', '@', '192.0.2.10'],
    ['AAAA', '@', '2001:db8::10'],
    ['TXT', '_service-challenge', 'token'],
  ]);
  expect(before).toEqual([
    ['CNAME', '_acme-challenge.shop', 'label.acme.saas-product.com'],
    ['TXT', '_service-challenge.shop', 'token'],
  ]);
}, 120_000);

test('an apex gets one record per address, and the link is offered for the records of the present list', async () => {
  const apex = dcTemplates(TWO_REGIONS).find(({ serviceId }) => serviceId === 'apex');
  const root = await inPython(APPLY, { records: apex!.records, host: '', params: { challenge: 'token' } });
  expect(root).toEqual([
    ['A', '@', '192.0.2.10'],
    ['A', '@', '198.51.100.10'],
    ['AAAA', '@', '2001:db8:1::10'],
    ['AAAA', '@', '2001:db8::10'],
    ['TXT', '_service-challenge', 'token'],
  ]);
  expect(choice('customer.com', 'customer.com', [], TWO_REGIONS)).toBe('template_unknown');
  expect(choice('customer.com', 'customer.com', [{ host: '@', type: 'A', value: '192.0.2.10' }], TWO_REGIONS)).toBe(
    'other_records',
  );
}, 120_000);

const OFFER: DcOffer = {
  zone: 'customer.com',
  provider_id: 'p',
  provider_name: 'P',
  url_sync_ux: 'https://p.example',
  services: ['subdomain'],
  control_panel_url: null,
};
const choice = (hostname: string, zone = 'customer.com', template: TemplateRecord[] = [], made = BOTH) => {
  const kind = hostname === 'customer.com' ? 'apex' : 'subdomain';
  const subject = { connectionId: 'id', hostname, kind, domain: 'customer.com', suffix: 'com' } as const;
  const desired_records = desiredRecords(template, subject, made.edge);
  return dcChoice({ hostname, desired_records }, { ...OFFER, zone }, made.edge);
};

test('a template is offered only if it writes exactly the records of the connection and the provider knows it', () => {
  expect(choice('shop.customer.com')).toBe('subdomain');
  expect(choice('a.b.customer.com')).toBe('subdomain');
  expect(choice('customer.com')).toBe('template_unknown');
  // A separate zone: its apex accepts no CNAME, which is the record that the connection wants there.
  expect(choice('shop.customer.com', 'shop.customer.com')).toBe('other_records');
  const own: TemplateRecord[] = [{ host: '@', type: 'CNAME', value: 'other.saas-product.com' }];
  expect(choice('shop.customer.com', 'customer.com', own)).toBe('other_records');
});

test("only the error codes of the standard are kept from a provider's report", () => {
  expect(dcErrorOf('access_denied', 'user_cancel by user')).toBe('user_cancel');
  expect(dcErrorOf('access_denied', '')).toBe('access_denied');
  expect(dcErrorOf('<script>', '')).toBe('other');
});
