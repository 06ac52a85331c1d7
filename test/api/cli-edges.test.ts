import { generateKeyPairSync, randomBytes } from 'node:crypto';
import pg from 'pg';
import { saveCertificate } from '../../src/certificates/save.ts';
import { openKey } from '../../src/certificates/keys.ts';
import { certificateOf } from '../../src/db/certificate/certificates.ts';
import { bindEdge, PublicKey } from '../../src/db/edge/registered-edges.ts';
import { createPool, none, sql, type Pool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { acmeAccounts } from '../../src/ordering/accounts.ts';
import { openVault } from '../../src/vault/vault.ts';
import { startTestAuthority } from '../support/certificate-authority.ts';
import { runCli } from '../support/fixtures/cli.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';

const OLD = `old:${randomBytes(32).toString('base64')}`;
const HOSTNAME = 'shop.example-customer.com';

let database: TestDatabase;
let pool: Pool;
let tenant: NewTenant;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 2, name: 'edges' });
  tenant = await createTenant(pool, 'Edges');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const cli = (args: string[], env = {}) => runCli(args, { DATABASE_URL: database.url, EDGE: 'off', ...env });
const tokenIn = (out: string): string => /^EDGE_TOKEN=(edge_\w{43})$/m.exec(out)?.[1] ?? '';
const newKey = (): PublicKey =>
  PublicKey.parse(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }));
async function bind(token: string, key: PublicKey): Promise<string | null> {
  const client = new pg.Client(database.url);
  await client.connect();
  return bindEdge(client, token, key).finally(() => client.end());
}
async function uploaded(hostname: string, source: 'uploaded' | 'ordered' = 'uploaded'): Promise<string> {
  const { id } = await newConnection(pool, tenant, hostname);
  const issued = (await startTestAuthority()).issue([hostname]);
  const connection = { id, tenant_id: tenant.tenant_id, hostname };
  await pool.transaction((tx) => saveCertificate(tx, openVault(OLD), connection, { source, ...issued }, new Date()));
  return id;
}

test('a token binds one key pair, once; rekey replaces both, and revoke ends both and lists what the edge had', async () => {
  const token = tokenIn((await cli(['edges', 'add', '--name', 'fra1'])).out);
  const [first, second] = [newKey(), newKey()];
  expect(await bind(token, first)).toBe('fra1');
  expect(await bind(token, first)).toBe('fra1');
  expect(await bind(token, second)).toBeNull();
  expect(await cli(['edges', 'add', '--name', 'fra1'])).toMatchObject({ code: 1 });

  const next = tokenIn((await cli(['edges', 'rekey', 'fra1'])).out);
  expect(await bind(token, first)).toBeNull();
  expect(await bind(next, second)).toBe('fra1');
  await uploaded(HOSTNAME);
  expect((await cli(['edges'])).out).toContain('Token fra1: gets private keys since');

  const revoked = await cli(['edges', 'revoke', 'fra1', '--json']);
  expect(JSON.parse(revoked.out)).toMatchObject({ name: 'fra1', revoked: true, hostnames: [HOSTNAME] });
  expect(await bind(next, second)).toBeNull();
  expect((await cli(['edges'])).out).toContain('Token fra1: revoked at');
});

test('revoke --reissue makes what we ordered due, and names what its tenant has to replace', async () => {
  const token = tokenIn((await cli(['edges', 'add', '--name', 'stolen'])).out);
  expect(await bind(token, newKey())).toBe('stolen');
  const [own, ordered] = ['own.example-customer.com', 'ordered.example-customer.com'];
  await uploaded(own);
  const id = await uploaded(ordered, 'ordered');
  const { out } = await cli(['edges', 'revoke', 'stolen', '--reissue', '--json']);
  expect(JSON.parse(out)).toMatchObject({ hostnames: [ordered, own], reissued: [ordered] });
  const row = await certificateOf(pool, id, 'ordered');
  expect(row!.renew_at!.getTime()).toBeLessThanOrEqual(Date.now());
});

test('a token that no edge used within 15 minutes binds nothing', async () => {
  const token = tokenIn((await cli(['edges', 'add', '--name', 'late'])).out);
  await pool.query(sql.type(none)`
    UPDATE registered_edges SET bindable_until = clock_timestamp() - interval '1 second' WHERE name = 'late'
  `);
  expect(await bind(token, newKey())).toBeNull();
});

test("migrate registers the deployment's own edge, and again after its token changed", async () => {
  for (const letter of ['a', 'b']) {
    const token = `edge_${letter.repeat(43)}`;
    const env = { MIGRATION_DATABASE_URL: database.url, EDGE_TOKEN: token, EDGE_ID: 'edge-1' };
    expect((await cli(['migrate'], env)).code).toBe(0);
    expect(await bind(token, newKey())).toBe('edge-1');
  }
});

test('credentials rewrap encrypts the keys of certificates and of our accounts at CAs under the new key', async () => {
  const id = await uploaded('blog.example-customer.com');
  // Nothing listens there, so the account has a key and is not registered.
  const [directory, refused] = ['http://127.0.0.1:9/directory', /fetch failed|ECONNREFUSED|bad port/];
  await expect(acmeAccounts({ pool, vault: openVault(OLD) }).clientOf(directory)).rejects.toThrow(refused);
  const fresh = `new:${randomBytes(32).toString('base64')}`;
  expect((await cli(['credentials', 'rewrap'], { CREDENTIAL_KEYS: `${fresh},${OLD}` })).code).toBe(0);
  const row = await certificateOf(pool, id, 'uploaded');
  expect(openKey(openVault(fresh), row!)).toContain('PRIVATE KEY');
  await expect(acmeAccounts({ pool, vault: openVault(fresh) }).clientOf(directory)).rejects.toThrow(refused);
});
