import { readdir, readFile } from 'node:fs/promises';
import { dcTemplates } from '../../src/domain/zone/domain-connect.ts';
import { expectData, startTestApi } from '../support/fixtures/api.ts';
import { runCli } from '../support/fixtures/cli.ts';
import { tempFolder } from '../support/temp-folder.ts';

const run = (args: string[], env: Record<string, string> = {}) => runCli(['domain-connect', ...args], env);
interface Keys {
  DOMAIN_CONNECT_KEYS: string;
  signs_with: string;
  records: { host: string; value: string }[];
}
const OURS = { DOMAIN_CONNECT_PROVIDER_ID: 'saas-product.com', DOMAIN_CONNECT_PUBKEY_DOMAIN: 'keys.saas-product.com' };

test('a key is created, shown as TXT records, and rotated to a key with the next name', async () => {
  const made = JSON.parse((await run(['keys', '--make', '--json'])).out) as Keys;
  const env = { ...OURS, DOMAIN_CONNECT_KEYS: made.DOMAIN_CONNECT_KEYS };

  const shown = await run(['keys'], env);
  const rotated = JSON.parse((await run(['keys', '--rotate', '--json'], env)).out) as Keys;
  const again = await run(['keys', '--make'], env);

  expect(made.signs_with).toBe('_dcpubkeyv1');
  expect(shown.out).toContain('_dcpubkeyv1.keys.saas-product.com  TXT  "p=1,a=RS256,d=');
  expect(shown.out).not.toContain(made.DOMAIN_CONNECT_KEYS.split(':')[1]!.slice(0, 60));
  expect(rotated.signs_with).toBe('_dcpubkeyv2');
  expect(rotated.DOMAIN_CONNECT_KEYS.endsWith(`,${made.DOMAIN_CONNECT_KEYS}`)).toBe(true);
  expect(new Set(rotated.records.map(({ host }) => host.split('.')[0]))).toEqual(
    new Set(['_dcpubkeyv2', '_dcpubkeyv1']),
  );
  expect([again.code, again.err]).toEqual([2, expect.stringContaining('--rotate')]);
});

test('the first key is created after the other two settings, as the setup guide does it', async () => {
  const { code, out, err } = await run(['keys', '--make', '--json'], OURS);

  expect([code, err]).toEqual([0, '']);
  const hosts = (JSON.parse(out) as Keys).records.map(({ host }) => host);
  expect(new Set(hosts)).toEqual(new Set(['_dcpubkeyv1.keys.saas-product.com']));
  const none = await run(['keys'], OURS);
  expect([none.code, none.err]).toEqual([1, 'DOMAIN_CONNECT_KEYS is not set. Use --make to create the first key.\n']);
});

test('the templates are written with the file names of the public repository, from the current settings', async () => {
  const { DOMAIN_CONNECT_KEYS } = JSON.parse((await run(['keys', '--make', '--json'])).out) as Keys;
  const folder = await tempFolder();
  const edge = { EDGE_CNAME_TARGET: 'edge.saas-product.com', EDGE_IPV4: '192.0.2.10' };
  const env = { ...OURS, ...edge, DOMAIN_CONNECT_KEYS, BASE_URL: 'https://api.saas-product.com' };

  const { code } = await run(['templates', '--folder', folder, '--name', 'SaaS Product'], env);

  const files = (await readdir(folder)).toSorted();
  expect([code, files]).toEqual([
    0,
    ['apex', 'mail', 'subdomain'].map((service) => `saas-product.com.${service}.json`),
  ]);
  const [subdomain] = dcTemplates({
    providerId: 'saas-product.com',
    providerName: 'SaaS Product',
    pubKeyDomain: 'keys.saas-product.com',
    redirectDomain: 'api.saas-product.com',
    edge: { cnameTarget: 'edge.saas-product.com', ipv4: ['192.0.2.10'], ipv6: [], policy: 'any' },
  });
  expect(JSON.parse(await readFile(`${folder}/${files[2]!}`, 'utf8'))).toEqual(subdomain);
});

test("an application's own records get a template under the id of its service", async () => {
  const api = await startTestApi();
  try {
    const tenant = await api.tenant();
    const record_template = [
      { host: '{var.selector}._domainkey', type: 'TXT' as const, value: 'v=DKIM1; p={var.key_data}' },
    ];
    const client = api.client(tenant.live.key);
    const own = expectData(await client.POST('/v1/applications', { body: { name: 'Mail', record_template } }));
    const { DOMAIN_CONNECT_KEYS } = JSON.parse((await run(['keys', '--make', '--json'])).out) as Keys;
    const env = { ...OURS, DOMAIN_CONNECT_KEYS, DATABASE_URL: api.databaseUrl };
    const folder = await tempFolder();
    const written = (id: string) =>
      run(['record-template', '--application', id, '--service', 'Mail', '--folder', folder, '--name', 'SaaS'], env);

    const { code } = await written(own.id);
    const none = await written(tenant.live.application_id);

    const [file = ''] = await readdir(folder);
    const template = JSON.parse(await readFile(`${folder}/${file}`, 'utf8')) as { serviceId: string };
    expect([code, file]).toEqual([0, `saas-product.com.${template.serviceId}.json`]);
    expect(template).toMatchObject({
      serviceId: expect.stringMatching(/^records-[0-9a-f]{12}$/) as string,
      records: [
        { type: 'TXT', host: '%selector%._domainkey', data: 'v=DKIM1; p=%key_data%', txtConflictMatchingMode: 'All' },
        { type: 'TXT', host: '_service-challenge', data: '%challenge%' },
      ],
    });
    expect([none.code, none.err]).toEqual([1, expect.stringContaining('no record_template that Domain Connect')]);
  } finally {
    await api.stop();
  }
});

test('a missing or incomplete setup is reported in one sentence', async () => {
  const off = await run(['check', 'shop.customer.com']);
  const half = await run(['check', 'shop.customer.com'], { DOMAIN_CONNECT_PROVIDER_ID: 'saas-product.com' });

  expect([off.code, off.err]).toEqual([1, expect.stringContaining('Domain Connect is off')]);
  expect([half.code, half.err]).toEqual([
    1,
    expect.stringMatching(/DOMAIN_CONNECT_PUBKEY_DOMAIN, DOMAIN_CONNECT_KEYS must be set too/),
  ]);
});
