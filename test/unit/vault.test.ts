import fc from 'fast-check';
import { createCipheriv, randomBytes } from 'node:crypto';
import { openVault, type Sealed, type SecretIdentity, VaultError } from '../../src/vault/vault.ts';

const OLD = `2025:${randomBytes(32).toString('base64')}`;
const NEW = `2026:${randomBytes(32).toString('base64')}`;
const ROW: SecretIdentity = { kind: 'credential', tenantId: 't1', ownerId: 'a1', id: 'c1' };
const SECRET = '{"apiToken":"do-not-tell"}';

const codeOf = (act: () => unknown): string | undefined => {
  try {
    act();
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    expect(error.message).not.toContain('do-not-tell');
    return error.code;
  }
  return undefined;
};

test('every secret opens again in its own row', () => {
  const vault = openVault(NEW);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (secret) => vault.open(vault.seal(secret, ROW), ROW) === secret),
  );
});

test.each<[string, Partial<SecretIdentity>]>([
  ['kind', { kind: 'webhook_endpoint' }],
  ['tenant', { tenantId: 't2' }],
  ['owner', { ownerId: 'a2' }],
  ['id', { id: 'c2' }],
])('a ciphertext copied to another %s does not open', (_, other) => {
  const vault = openVault(NEW);
  const sealed = vault.seal(SECRET, ROW);
  expect(codeOf(() => vault.open(sealed, { ...ROW, ...other }))).toBe('not_authentic');
  expect(codeOf(() => openVault(`${OLD},${NEW}`).rewrap(sealed, { ...ROW, ...other }))).toBe('not_authentic');
});

test('ids that are cut differently are different rows', () => {
  const vault = openVault(NEW);
  const sealed = vault.seal(SECRET, { ...ROW, tenantId: 'a', ownerId: 'bc' });
  expect(codeOf(() => vault.open(sealed, { ...ROW, tenantId: 'ab', ownerId: 'c' }))).toBe('not_authentic');
});

test('one flipped bit anywhere is detected', () => {
  const vault = openVault(NEW);
  const sealed = vault.seal(SECRET, ROW);
  for (const part of ['wrappedKey', 'ciphertext'] as const) {
    for (let bit = 0; bit < sealed[part].length * 8; bit++) {
      const bytes = Buffer.from(sealed[part]);
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      expect(codeOf(() => vault.open({ ...sealed, [part]: bytes }, ROW))).toBe('not_authentic');
    }
  }
});

test('a truncated ciphertext, also one without its tag, is detected', () => {
  const vault = openVault(NEW);
  const sealed = vault.seal(SECRET, ROW);
  for (const length of [0, 5, 12, 20, 28, sealed.ciphertext.length - 1]) {
    const cut: Sealed = { ...sealed, ciphertext: sealed.ciphertext.subarray(0, length) };
    expect(codeOf(() => vault.open(cut, ROW))).toBe('not_authentic');
  }
});

test('an unknown key id is named, so that the operator can add the key again', () => {
  const sealed = openVault(OLD).seal(SECRET, ROW);
  expect(codeOf(() => openVault(NEW).open(sealed, ROW))).toBe('unknown_key');
  expect(codeOf(() => openVault(`${NEW},${OLD}`).open({ ...sealed, keyId: '2026' }, ROW))).toBe('not_authentic');
});

test('after a rotation the first key seals, older keys still open, and a rewrapped row needs only the new key', () => {
  const sealed = openVault(OLD).seal(SECRET, ROW);
  const both = openVault(`${NEW}, ${OLD}`);
  expect(both.open(sealed, ROW)).toBe(SECRET);
  expect(both.seal(SECRET, ROW).keyId).toBe('2026');

  const moved = both.rewrap(sealed, ROW);
  expect(moved).toMatchObject({ keyId: '2026', ciphertext: sealed.ciphertext });
  expect(openVault(NEW).open(moved, ROW)).toBe(SECRET);
  expect(both.rewrap(moved, ROW)).toBe(moved);
});

describe('an envelope of the first release, bound to tenant, application and credential', () => {
  const encrypt = (key: Buffer, plaintext: Buffer, identity: string[]): Buffer => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(JSON.stringify(identity)));
    const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  };
  const firstForm = (masterKey: string): Sealed => {
    const [keyId = '', base64 = ''] = masterKey.split(':');
    const dataKey = randomBytes(32);
    return {
      keyId,
      wrappedKey: encrypt(Buffer.from(base64, 'base64'), dataKey, ['vault/1', 'data-key', keyId, 't1', 'a1', 'c1']),
      ciphertext: encrypt(dataKey, Buffer.from(SECRET), ['vault/1', 'secret', '', 't1', 'a1', 'c1']),
    };
  };

  test.each([
    ['the newest key', NEW, NEW],
    ['an older key', OLD, `${NEW},${OLD}`],
  ])('opens under %s, and rewrap binds key and secret in the current format', (_, master, keys) => {
    const vault = openVault(keys);
    const old = firstForm(master);
    expect(vault.open(old, ROW)).toBe(SECRET);
    const moved = vault.rewrap(old, ROW);
    expect(moved.keyId).toBe('2026');
    expect(moved.ciphertext.equals(old.ciphertext)).toBe(false);
    expect(openVault(NEW).open(moved, ROW)).toBe(SECRET);
    expect(vault.rewrap(moved, ROW)).toBe(moved);
  });

  test('opens only for its own credential and kind of secret', () => {
    const vault = openVault(NEW);
    const old = firstForm(NEW);
    for (const other of [{ kind: 'webhook_endpoint' as const }, { tenantId: 't2' }, { ownerId: 'a2' }, { id: 'c2' }])
      expect(codeOf(() => vault.open(old, { ...ROW, ...other }))).toBe('not_authentic');
  });

  test('does not open when mixed with a current envelope', () => {
    const vault = openVault(NEW);
    const [old, today] = [firstForm(NEW), vault.seal(SECRET, ROW)];
    expect(codeOf(() => vault.open({ ...old, ciphertext: today.ciphertext }, ROW))).toBe('not_authentic');
    expect(codeOf(() => vault.open({ ...today, ciphertext: old.ciphertext }, ROW))).toBe('not_authentic');
  });
});

test('the same secret sealed twice gives unrelated ciphertexts', () => {
  const vault = openVault(NEW);
  const [a, b] = [vault.seal(SECRET, ROW), vault.seal(SECRET, ROW)];
  expect(a.ciphertext.equals(b.ciphertext)).toBe(false);
  expect(a.wrappedKey.equals(b.wrappedKey)).toBe(false);
});

test.each(['', 'kid', 'kid:', 'kid:c2hvcnQ=', `${NEW},${NEW}`, 'k i d:AAAA'])(
  'malformed keys are rejected and not shown: %s',
  (keys) => {
    expect(codeOf(() => openVault(keys))).toBe('malformed_keys');
  },
);
