import { Ajv } from 'ajv';
import { ownService } from '../../src/domain-connect/own-service.ts';
import { ownParameters, wantsTemplate } from '../../src/domain/zone/domain-connect-records.ts';
import { dcChoice, dcErrorOf, dcTemplates, ownTemplate, type DcOffer } from '../../src/domain/zone/domain-connect.ts';
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
def name(r): return '.'.join([r['service'], '_' + r['protocol'], r['name']]) if r['type'] == 'SRV' else r['name']
print(json.dumps(sorted([r['type'], name(r), r['data']] for r in new)))
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

/** A sending domain: keys of the customer's own, one of each further type, and policies that the customer merges. */
const SENDING: TemplateRecord[] = [
  { host: '{var.selector}._domainkey', type: 'CNAME', value: '{var.selector}.dkim.saas-product.com' },
  { host: 'bounce', type: 'MX', value: 'mx.saas-product.com', priority: 10 },
  { host: 'bounce', type: 'TXT', value: 'owner={var.owner} of {hostname}' },
  { host: '_imaps._tcp', type: 'SRV', value: '0 993 mail.saas-product.com', priority: 5 },
  { host: '@', type: 'TXT', value: 'v=spf1 include:saas-product.com ~all' },
  { host: '_dmarc', type: 'TXT', value: 'v=DMARC1; p=none' },
];
const VARIABLES = { selector: 's1', owner: 'acme' };
const sendingSubject = {
  ...{ connectionId: 'id', hostname: 'shop.customer.com', kind: 'subdomain' as const },
  ...{ domain: 'customer.com', suffix: 'com', variables: VARIABLES },
};

test("an application's own template writes the records of each connection, without SPF and DMARC", async () => {
  const own = ownService(SENDING, 'subdomain', BOTH.edge)!;
  const template = ownTemplate(BOTH, { ...own, serviceName: 'Mail' });
  const params = { challenge: 'token', ...ownParameters('id', VARIABLES) };

  const written = await inPython(APPLY, { records: template.records, host: 'shop', params });

  const wanted = desiredRecords(SENDING, sendingSubject, BOTH.edge)
    .filter(({ value }) => !/^v=(spf1|DMARC1)/.test(value))
    .map(({ host, type, value }) => [type, host.replace(/\.customer\.com$/, ''), value.replace(/^0 993 /, '')]);
  expect(written).toEqual(
    [...wanted, ['TXT', '_service-challenge.shop', 'token']].toSorted((a, b) => (a.join() < b.join() ? -1 : 1)),
  );
  expect(template.variableDescription).toMatch(/^challenge: .*; selector: .*; owner: /);
}, 120_000);

test('the id of an own template changes with its records, and names of parameters cannot be variables', () => {
  const idOf = (template: TemplateRecord[], made = BOTH) =>
    ownService(template, 'subdomain', made.edge)?.serviceId ?? null;
  const line = (value: string): TemplateRecord => ({ host: 'x', type: 'TXT', value });

  expect(idOf(SENDING)).toMatch(/^records-[0-9a-f]{12}$/);
  expect(idOf(SENDING)).toBe(idOf([...SENDING]));
  expect(idOf([...SENDING, line('more')])).not.toBe(idOf(SENDING));
  expect(idOf([line('{cname_target}')])).not.toBeNull();
  expect([[], [line('{var.state}')], [line('{var.key}')], [line('{sld}')], [line('v=spf1 -all')]].map((one) => idOf(one))).toEqual([null, null, null, null, null]); // prettier-ignore
});

test('a connection whose application changed its template since is not offered the new one', () => {
  const wanted = desiredRecords(SENDING, sendingSubject, BOTH.edge);
  const other = SENDING.with(1, { ...SENDING[1]!, value: 'mx2.saas-product.com' });

  expect(wantsTemplate(wanted, SENDING, sendingSubject, BOTH.edge)).toBe(true);
  expect(wantsTemplate(wanted, other, sendingSubject, BOTH.edge)).toBe(false);
  expect(wantsTemplate(wanted, SENDING.slice(1), sendingSubject, BOTH.edge)).toBe(false);
});

test("only the error codes of the standard are kept from a provider's report", () => {
  expect(dcErrorOf('access_denied', 'user_cancel by user')).toBe('user_cancel');
  expect(dcErrorOf('access_denied', '')).toBe('access_denied');
  expect(dcErrorOf('<script>', '')).toBe('other');
});
