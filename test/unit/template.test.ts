import { desiredRecords, type TemplateRecord } from '../../src/domain/connection/template.ts';

const APEX = { connectionId: 'id', hostname: 'shop.com', kind: 'apex', domain: 'shop.com', suffix: 'com' } as const;
const SUBDOMAIN = { ...APEX, hostname: 'www.shop.com', kind: 'subdomain' } as const;
const EDGE = { cnameTarget: 'edge.net', ipv4: ['192.0.2.1'], ipv6: [], policy: 'any' } as const;
const TEMPLATE: TemplateRecord[] = [
  { host: '@', type: 'A', value: '{edge_ipv4}' },
  { host: '@', type: 'AAAA', value: '{edge_ipv6}' },
  { host: '{subdomain}', type: 'TXT', value: 'x' },
  { host: '_to', type: 'CNAME', value: '{subdomain}.target.net' },
  { host: '_id', type: 'TXT', value: '{subdomain}/{connection_id}' },
];

test('a record whose variable has no value is left out, except inside the text of a TXT record', () => {
  const rendered = (subject: typeof APEX | typeof SUBDOMAIN) =>
    desiredRecords(TEMPLATE, subject, EDGE).map(({ host, type, value }) => `${host} ${type} ${value}`);

  expect(rendered(APEX)).toEqual(['shop.com A 192.0.2.1', '_id.shop.com TXT /id']);
  expect(rendered(SUBDOMAIN)).toEqual([
    'www.shop.com A 192.0.2.1',
    'www.www.shop.com TXT x',
    '_to.www.shop.com CNAME www.target.net',
    '_id.www.shop.com TXT www/id',
  ]);
});
