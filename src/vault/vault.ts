import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Keeps tenants' credentials. Each row has a data key of its own, which encrypts the secret; a master key encrypts the
 * data key. Rotating the master key therefore rewraps 32 bytes for each row and never touches a secret. Both layers are
 * AES-256-GCM and bound to the row's identity: a ciphertext copied into another tenant's row does not open.
 */
export interface Vault {
  seal(plaintext: string, row: Row): Sealed;
  open(sealed: Sealed, row: Row): string;
  /** The same secret under the newest master key; the row as it is if that is the one it has. */
  rewrap(sealed: Sealed, row: Row): Sealed;
}

/** Whose secret it is. Authenticated with the ciphertext, not stored in it. */
export interface Row {
  tenantId: string;
  applicationId: string;
  credentialId: string;
}

export interface Sealed {
  /** The master key that wraps the data key. */
  keyId: string;
  /** Nonce, tag and ciphertext of the data key. */
  wrappedKey: Buffer;
  /** Nonce, tag and ciphertext of the secret. */
  ciphertext: Buffer;
}

export type VaultErrorCode = 'unknown_key' | 'not_authentic' | 'malformed_keys';

/** Never says what it could not open, and has no cause: it may be logged. */
export class VaultError extends Error {
  readonly code: VaultErrorCode;

  constructor(code: VaultErrorCode, message: string) {
    super(message);
    this.name = 'VaultError';
    this.code = code;
  }
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `keys` is `kid:base64,…`: the first one encrypts, all of them decrypt, so that an old key can stay until all rows moved. */
export function openVault(keys: string): Vault {
  const masters = parseKeys(keys);
  const [newest] = masters.keys();
  if (newest === undefined) throw new VaultError('malformed_keys', 'CREDENTIAL_KEYS names no key.');

  const masterOf = (keyId: string): Buffer => {
    const master = masters.get(keyId);
    if (master) return master;
    throw new VaultError(
      'unknown_key',
      `The master key "${keyId}" is not in CREDENTIAL_KEYS. Add it again to open its rows.`,
    );
  };
  const wrap = (keyId: string, dataKey: Buffer, row: Row): Buffer =>
    encrypt(masterOf(keyId), dataKey, identity('data-key', keyId, row));
  const unwrap = (sealed: Sealed, row: Row): Buffer =>
    decrypt(masterOf(sealed.keyId), sealed.wrappedKey, identity('data-key', sealed.keyId, row));

  return {
    seal: (plaintext, row) => {
      const dataKey = randomBytes(KEY_BYTES);
      return {
        keyId: newest,
        wrappedKey: wrap(newest, dataKey, row),
        ciphertext: encrypt(dataKey, Buffer.from(plaintext, 'utf8'), identity('secret', '', row)),
      };
    },
    open: (sealed, row) =>
      decrypt(unwrap(sealed, row), sealed.ciphertext, identity('secret', '', row)).toString('utf8'),
    rewrap: (sealed, row) =>
      sealed.keyId === newest
        ? sealed
        : { ...sealed, keyId: newest, wrappedKey: wrap(newest, unwrap(sealed, row), row) },
  };
}

/** A JSON list, so that no two rows have the same text however their ids are cut. */
const identity = (layer: 'data-key' | 'secret', keyId: string, row: Row): Buffer =>
  Buffer.from(JSON.stringify(['vault/1', layer, keyId, row.tenantId, row.applicationId, row.credentialId]));

function encrypt(key: Buffer, plaintext: Buffer, identityOfRow: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(identityOfRow);
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function decrypt(key: Buffer, sealed: Buffer, identityOfRow: Buffer): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const body = sealed.subarray(NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(identityOfRow).setAuthTag(tag);
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch {
    throw new VaultError(
      'not_authentic',
      'The credential was altered, or belongs to another row. It cannot be opened.',
    );
  }
}

function parseKeys(text: string): Map<string, Buffer> {
  const keys = new Map<string, Buffer>();
  for (const part of text.split(',')) {
    const [, keyId = '', base64 = ''] = /^\s*([\w.-]+):([A-Za-z0-9+/]+={0,2})\s*$/.exec(part) ?? [];
    const key = Buffer.from(base64, 'base64');
    if (keyId === '' || key.length !== KEY_BYTES || keys.has(keyId)) {
      throw new VaultError(
        'malformed_keys',
        'CREDENTIAL_KEYS must be a list of kid:base64 with different kids and 32 bytes each.',
      );
    }
    keys.set(keyId, key);
  }
  return keys;
}
