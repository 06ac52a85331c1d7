import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { openVault, type Row, type Sealed, VaultError } from '../../src/vault/vault.ts';

const OLD = `2025:${randomBytes(32).toString('base64')}`;
const NEW = `2026:${randomBytes(32).toString('base64')}`;
const ROW: Row = { tenantId: 't1', applicationId: 'a1', credentialId: 'c1' };
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

test('any secret opens again in its own row', () => {
  const vault = openVault(NEW);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (secret) => vault.open(vault.seal(secret, ROW), ROW) === secret),
  );
});

test.each<[string, Partial<Row>]>([
  ['tenant', { tenantId: 't2' }],
  ['application', { applicationId: 'a2' }],
  ['credential', { credentialId: 'c2' }],
])('a ciphertext copied to another %s does not open', (_, other) => {
  const vault = openVault(NEW);
  const sealed = vault.seal(SECRET, ROW);
  expect(codeOf(() => vault.open(sealed, { ...ROW, ...other }))).toBe('not_authentic');
  expect(codeOf(() => openVault(`${OLD},${NEW}`).rewrap(sealed, { ...ROW, ...other }))).toBe('not_authentic');
});

test('ids that are cut differently are different rows', () => {
  const vault = openVault(NEW);
  const sealed = vault.seal(SECRET, { tenantId: 'a', applicationId: 'bc', credentialId: 'd' });
  expect(codeOf(() => vault.open(sealed, { tenantId: 'ab', applicationId: 'c', credentialId: 'd' }))).toBe(
    'not_authentic',
  );
});

test('one flipped bit anywhere is noticed', () => {
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

test('a truncated ciphertext, also one without its tag, is noticed', () => {
  const vault = openVault(NEW);
  const sealed = vault.seal(SECRET, ROW);
  for (const length of [0, 5, 12, 20, 28, sealed.ciphertext.length - 1]) {
    const cut: Sealed = { ...sealed, ciphertext: sealed.ciphertext.subarray(0, length) };
    expect(codeOf(() => vault.open(cut, ROW))).toBe('not_authentic');
  }
});

test('a key id that is not configured is named, so that the operator can add it again', () => {
  const sealed = openVault(OLD).seal(SECRET, ROW);
  expect(codeOf(() => openVault(NEW).open(sealed, ROW))).toBe('unknown_key');
  expect(codeOf(() => openVault(`${NEW},${OLD}`).open({ ...sealed, keyId: '2026' }, ROW))).toBe('not_authentic');
});

test('rotation: the first key seals, older ones still open, and a rewrapped row needs only the new one', () => {
  const sealed = openVault(OLD).seal(SECRET, ROW);
  const both = openVault(`${NEW}, ${OLD}`);
  expect(both.open(sealed, ROW)).toBe(SECRET);
  expect(both.seal(SECRET, ROW).keyId).toBe('2026');

  const moved = both.rewrap(sealed, ROW);
  expect(moved).toMatchObject({ keyId: '2026', ciphertext: sealed.ciphertext });
  expect(openVault(NEW).open(moved, ROW)).toBe(SECRET);
  expect(both.rewrap(moved, ROW)).toBe(moved);
});

test('the same secret sealed twice has nothing in common', () => {
  const vault = openVault(NEW);
  const [a, b] = [vault.seal(SECRET, ROW), vault.seal(SECRET, ROW)];
  expect(a.ciphertext.equals(b.ciphertext)).toBe(false);
  expect(a.wrappedKey.equals(b.wrappedKey)).toBe(false);
});

test.each(['', 'kid', 'kid:', 'kid:c2hvcnQ=', `${NEW},${NEW}`, 'k i d:AAAA'])(
  'malformed keys are refused without being shown: %s',
  (keys) => {
    expect(codeOf(() => openVault(keys))).toBe('malformed_keys');
  },
);
