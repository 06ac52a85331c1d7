import { createCipheriv, randomBytes } from 'node:crypto';
import { getCredential, replaceEnvelope } from '../../src/db/zone/credentials.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createTenant } from '../../src/db/tenant/tenants.ts';
import { identityOf } from '../../src/provisioning/account.ts';
import { keepCredential, rewrapCredentials } from '../../src/provisioning/credentials.ts';
import { openVault } from '../../src/vault/vault.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { testProviderAccess } from '../support/fixtures/provider-access.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 3, name: 'rewrap' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const MASTER = randomBytes(32);
const vault = openVault(`k1:${MASTER.toString('base64')}`);
const SECRET = '{"zone":"first.test"}';

/** Seals an envelope in the format of the first release: bound to tenant, application and credential. */
function firstForm(tenant: string, application: string, credential: string) {
  const encrypt = (key: Buffer, plaintext: Buffer, layer: string, keyId: string): Buffer => {
    const nonce = randomBytes(12);
    const identity = JSON.stringify(['vault/1', layer, keyId, tenant, application, credential]);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(identity));
    const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  };
  const dataKey = randomBytes(32);
  return {
    key_id: 'k1',
    wrapped_key: encrypt(MASTER, dataKey, 'data-key', 'k1'),
    ciphertext: encrypt(dataKey, Buffer.from(SECRET), 'secret', ''),
  };
}

async function credentialOfFirstRelease() {
  const { tenant_id, test: application } = await createTenant(pool, 'Rewrap');
  const access = { ...testProviderAccess(pool), vault };
  const given = { tenantId: tenant_id, applicationId: application.application_id, provider: 'sandbox', label: null };
  const unseen = { status: 'unverified', reason: null, zones: null } as const;
  const row = await keepCredential(access, pool, { ...given, credential: { zone: 'x.test' } }, unseen);
  await access.http.close();
  const envelope = firstForm(row.tenant_id, row.application_id, row.id);
  expect(await replaceEnvelope(pool, row.id, row, envelope)).toBe(true);
  return { ...row, ...envelope };
}

const opened = async (id: string) => {
  const row = (await getCredential(pool, id))!;
  const sealed = { keyId: row.key_id, wrappedKey: row.wrapped_key, ciphertext: row.ciphertext };
  return { text: vault.open(sealed, identityOf(row)), isOfToday: vault.rewrap(sealed, identityOf(row)) === sealed };
};

test('a credential of the first release opens as it is, and rewrap converts it to the current format once', async () => {
  const { id } = await credentialOfFirstRelease();
  expect(await opened(id)).toEqual({ text: SECRET, isOfToday: false });
  expect(await rewrapCredentials(pool, vault)).toBe(1);
  expect(await opened(id)).toEqual({ text: SECRET, isOfToday: true });
  expect(await rewrapCredentials(pool, vault)).toBe(0);
});

test('an envelope that another process replaced in the meantime stays as that process wrote it', async () => {
  const row = await credentialOfFirstRelease();
  const [mine, theirs] = [firstForm(row.tenant_id, row.application_id, row.id), firstForm('a', 'b', 'c')];
  expect(await replaceEnvelope(pool, row.id, row, mine)).toBe(true);
  expect(await replaceEnvelope(pool, row.id, row, theirs)).toBe(false);
  expect(await opened(row.id)).toMatchObject({ text: SECRET });
});
