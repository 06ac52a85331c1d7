import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readRoots } from '../../src/certificates/chain.ts';
import { none, sql } from '../../src/db/pool.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { expectData, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import { makeCertificate } from '../support/servers/pebble.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { startTestAuthority, type IssuedCertificate, type TestAuthority } from '../support/certificate-authority.ts';

let api: TestApi;
let authority: TestAuthority;
let strangers: TestAuthority;
let folder: string;
let selfSigned: IssuedCertificate;
beforeAll(async () => {
  [api, authority, strangers] = await Promise.all([
    startTestApi(),
    startTestAuthority(),
    startTestAuthority('Stranger'),
  ]);
  Object.assign(api.deps, { uploadRoots: readRoots(authority.rootFile) });
  folder = await tempFolder();
  const [key, chain] = [join(folder, 'own.key'), join(folder, 'own.pem')];
  makeCertificate(key, chain, `DNS:${HOSTNAME}`);
  selfSigned = { key: readFileSync(key, 'utf8'), chain: readFileSync(chain, 'utf8') };
});
afterAll(() => api.stop());

const HOSTNAME = 'shop.uploads.com';

async function connection(hostname = `${crypto.randomUUID().slice(0, 8)}.uploads.com`) {
  const tenant = await api.tenant();
  const body = { application_id: tenant.live.application_id, hostname };
  const { id } = expectData(await api.client(tenant.live.key).POST('/v1/connections', { body }));
  return { tenant, id, hostname };
}

const put = (tenant: NewTenant, id: string, { chain, key }: IssuedCertificate) =>
  api.client(tenant.live.key).PUT('/v1/connections/{id}/certificate', {
    params: { path: { id } },
    body: { certificate_chain: chain, ...(key === '' ? {} : { private_key: key }) },
  });

const codesOf = (error: unknown): string[] =>
  z
    .object({ error: z.object({ details: z.array(z.object({ code: z.string() })) }) })
    .parse(error)
    .error.details.map(({ code }) => code);

const RSA_1024 = ['rsa:1024'];
const P521 = ['ec', '-pkeyopt', 'ec_paramgen_curve:secp521r1'];

describe('an uploaded certificate', () => {
  test('is saved with its key in the vault, and described without it', async () => {
    const { tenant, id, hostname } = await connection();
    const issued = authority.issue([hostname, 'other.uploads.com']);
    const { response, data } = await put(tenant, id, issued);

    expect(response.status).toBe(200);
    expect(data).toMatchObject({
      status: 'issued',
      source: 'uploaded',
      ca: 'Test authority',
      names: [hostname, 'other.uploads.com'],
      renew_at: null,
    });
    expect(JSON.stringify(data)).not.toContain('PRIVATE KEY');
    const [stored] = await api.deps.pool.any(sql.type(z.object({ ciphertext: z.instanceof(Buffer) }))`
      SELECT ciphertext FROM certificates WHERE connection_id = ${id}
    `);
    expect(stored!.ciphertext.toString('latin1')).not.toContain('PRIVATE KEY');
  });

  test.each<[string, () => IssuedCertificate, string[]]>([
    ['of a CA that is not known', () => strangers.issue([HOSTNAME]), ['chain_invalid']],
    ['without its intermediate', () => withoutIssuer(authority.issue([HOSTNAME])), ['chain_invalid']],
    ['for another hostname', () => authority.issue(['shop.example.com']), ['name_mismatch']],
    [
      'with the key of another',
      () => ({ ...authority.issue([HOSTNAME]), key: authority.issue([HOSTNAME]).key }),
      ['key_mismatch'],
    ],
    ['that has ended', () => authority.issue([HOSTNAME], { days: -1 }), ['expired']],
    ['with a short RSA key', () => authority.issue([HOSTNAME], { key: RSA_1024 }), ['weak_key']],
    ['with an unusual curve', () => authority.issue([HOSTNAME], { key: P521 }), ['weak_key']],
    ['signed with SHA-1', () => authority.issue([HOSTNAME], { digest: 'sha1' }), ['weak_key']],
    ['signed by itself', () => selfSigned, ['chain_invalid']],
    [
      'signed with the key of a certificate that is no CA',
      () => authority.issue([HOSTNAME], { by: authority.issue(['attacker.uploads.com']) }),
      ['chain_invalid'],
    ],
    ['with many certificates of one unknown CA', () => ofManyCopies(), ['chain_invalid']],
    ['for a part of a label', () => authority.issue(['sh*.uploads.com']), ['name_mismatch']],
    ['for a wildcard above its domain', () => authority.issue(['*.com']), ['name_mismatch']],
    ['that is no PEM', () => ({ chain: 'certificate', key: 'key' }), ['chain_invalid', 'key_mismatch']],
    [
      'that is huge',
      () => ({ chain: authority.issue([HOSTNAME]).chain + ' '.repeat(17_000), key: 'key' }),
      ['too_large'],
    ],
    ['with every mistake', () => ({ ...strangers.issue(['a.example.com'], { days: -1, key: RSA_1024 }), key: 'key' }), ['chain_invalid', 'name_mismatch', 'expired', 'weak_key', 'key_mismatch']], // prettier-ignore
  ])('%s is refused with every reason', async (_what, issue, codes) => {
    const { tenant, id } = await connection(HOSTNAME);
    const { response, error } = await put(tenant, id, issue());
    expect(response.status).toBe(400);
    expect(codesOf(error)).toEqual(codes);
    await api.deps.pool.query(sql.type(none)`DELETE FROM certificates WHERE connection_id = ${id}`);
  });

  test('for a wildcard covers a hostname one label below it, and no deeper one', async () => {
    const above = authority.issue(['*.uploads.com']);
    const [near, deep] = [await connection(), await connection(`a.${crypto.randomUUID().slice(0, 8)}.uploads.com`)];
    expect((await put(near.tenant, near.id, above)).response.status).toBe(200);
    expect(codesOf((await put(deep.tenant, deep.id, above)).error)).toEqual(['name_mismatch']);
  });

  test('of a wildcard connection must name the wildcard itself', async () => {
    const tenant = await api.tenant();
    const domain = `n${crypto.randomUUID().slice(0, 8)}-uploads.com`;
    const { id } = await newConnection(api.deps.pool, tenant, `*.${domain}`, { environment: 'live' });
    for (const names of [[`shop.${domain}`], [domain], [`*.shop.${domain}`], ['*.com']])
      expect(codesOf((await put(tenant, id, authority.issue(names))).error)).toEqual(['name_mismatch']);
    expect((await put(tenant, id, authority.issue([`*.${domain}`, domain]))).response.status).toBe(200);
  });

  test('with one key at two tenants is kept twice: removing one leaves the other', async () => {
    const [one, two] = [await connection(), await connection()];
    const shared = authority.issue([one.hostname, two.hostname]);
    for (const { tenant, id } of [one, two]) expect((await put(tenant, id, shared)).response.status).toBe(200);
    const remove = ({ tenant, id }: typeof one) =>
      api.client(tenant.live.key).DELETE('/v1/connections/{id}/certificate', { params: { path: { id } } });
    expect((await remove(one)).response.status).toBe(204);
    expect((await remove(one)).response.status).toBe(404);
    expect((await remove(two)).response.status).toBe(204);
  });

  test('can be made from a signing request, so that no key travels', async () => {
    const { tenant, id, hostname } = await connection();
    const params = { path: { id } };
    expect(codesOf((await put(tenant, id, { chain: authority.issue([hostname]).chain, key: '' })).error)).toEqual([
      'key_mismatch',
    ]);
    const { csr } = expectData(
      await api.client(tenant.live.key).POST('/v1/connections/{id}/certificate:csr', { params }),
    );
    const { chain } = authority.issue([hostname], { csr });
    expect((await put(tenant, id, { chain, key: '' })).response.status).toBe(200);
  });

  test('is removed once', async () => {
    const { tenant, id, hostname } = await connection();
    await put(tenant, id, authority.issue([hostname]));
    const remove = () =>
      api.client(tenant.live.key).DELETE('/v1/connections/{id}/certificate', { params: { path: { id } } });
    expect((await remove()).response.status).toBe(204);
    expect((await remove()).response.status).toBe(404);
  });

  test('that an ordered one will replace serves until then: 202, and one order begins', async () => {
    Object.assign(api.deps, { ordersAt: 'https://ca.example/directory' });
    const { tenant, id, hostname } = await connection();
    await api.deps.pool.query(sql.type(none)`
      UPDATE connections SET state = 'live', before_dns = true, certificate_status = 'issued' WHERE id = ${id}
    `);
    await put(tenant, id, authority.issue([hostname]));
    const remove = () =>
      api.client(tenant.live.key).DELETE('/v1/connections/{id}/certificate', { params: { path: { id } } });
    const removed = await remove();
    expect([removed.response.status, (await remove()).response.status]).toEqual([202, 202]);
    expect(removed.data).toMatchObject({ status: 'issued', source: 'uploaded' });
    const orders = await api.deps.pool.anyFirst(sql.type(z.object({ names: z.array(z.string()) }))`
      SELECT names FROM acme_orders WHERE connection_id = ${id}
    `);
    expect(orders).toEqual([[hostname]]);
    Object.assign(api.deps, { ordersAt: null });
  });

  test('leaves no key in the audit log, in idempotent answers or anywhere else in the database', async () => {
    const { tenant, id, hostname } = await connection();
    const issued = authority.issue([hostname]);
    await put(tenant, id, issued);
    const secret = issued.key.split('\n')[1]!;
    const tables = await api.deps.pool.anyFirst(sql.type(z.object({ name: z.string() }))`
      SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
    `);
    for (const table of tables) {
      const found = await api.deps.pool.oneFirst(sql.type(z.object({ count: z.number() }))`
        SELECT count(*) FROM ${sql.identifier([table])} AS row WHERE row::text LIKE ${`%${secret}%`}
      `);
      expect({ table, found }).toEqual({ table, found: 0 });
    }
  });

  test('of one tenant cannot be read, replaced or removed by another', async () => {
    const { id, hostname } = await connection();
    const other = await api.tenant();
    expect((await put(other, id, authority.issue([hostname]))).response.status).toBe(404);
    const params = { path: { id } };
    expect(
      (await api.client(other.live.key).DELETE('/v1/connections/{id}/certificate', { params })).response.status,
    ).toBe(404);
    expect(
      (await api.client(other.live.key).POST('/v1/connections/{id}/certificate:csr', { params })).response.status,
    ).toBe(404);
  });
});

/** Returns a chain with certificates of one CA, each of which issued all others, so that the paths are many. */
function ofManyCopies(): IssuedCertificate {
  const own = (extra: string[]) =>
    execFileSync('openssl', ['req', '-x509', '-subj', '/CN=Many', '-days', '9', ...extra], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const file = join(folder, 'many.key');
  const first = own([
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    file,
  ]).toString();
  const copies = Array.from({ length: 16 }, () => own(['-key', file]).toString());
  const leaf = strangers.issue([HOSTNAME], { by: { chain: first, key: readFileSync(file, 'utf8') } });
  return { key: leaf.key, chain: leaf.chain + copies.join('') };
}

const withoutIssuer = ({ chain, key }: IssuedCertificate): IssuedCertificate => ({
  chain: `${chain.split('-----END CERTIFICATE-----')[0]}-----END CERTIFICATE-----\n`,
  key,
});

test('the roots of the system and of the file are trusted', () => {
  const roots = readRoots(authority.rootFile)();
  expect(roots.size).toBeGreaterThan(50);
  expect(readFileSync(authority.rootFile, 'utf8')).toContain('BEGIN CERTIFICATE');
});
