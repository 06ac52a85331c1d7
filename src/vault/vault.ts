import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Encrypts ("seals") tenants' secrets by envelope encryption. Each secret has its own data key, and a master key
 * encrypts ("wraps") the data key. A rotation of the master key therefore encrypts only 32 bytes per secret. Data key
 * and secret are encrypted with AES-256-GCM and bound to the secret's identity, so a copy in another tenant's row
 * cannot be decrypted.
 */
export interface Vault {
  seal(plaintext: string, secret: SecretIdentity): Sealed;
  open(sealed: Sealed, secret: SecretIdentity): string;
  /** Wraps the data key with the newest master key and the current binding. Returns `sealed` if nothing changes. */
  rewrap(sealed: Sealed, secret: SecretIdentity): Sealed;
}

/** Kind and owner of a secret. The identity is authenticated together with the ciphertext, but not stored in it. */
export interface SecretIdentity {
  kind: 'credential' | 'webhook_endpoint' | 'certificate_key' | 'acme_account' | 'edge_secret';
  tenantId: string;
  /** Owner within the tenant: an application, or a connection. */
  ownerId: string;
  id: string;
}

export interface Sealed {
  keyId: string;
  /** Nonce, tag and ciphertext of the data key. */
  wrappedKey: Buffer;
  /** Nonce, tag and ciphertext of the secret. */
  ciphertext: Buffer;
}

export type VaultErrorCode = 'unknown_key' | 'not_authentic' | 'malformed_keys';

/** The message never contains a secret and there is no cause, so the error may be logged. */
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

/** Opens a vault with master keys, as `kid:base64,…`; a kid is a key id. The first key encrypts; all keys decrypt. */
export function openVault(keys: string): Vault {
  const masters = parseKeys(keys);
  const [newest] = masters.keys();
  if (newest === undefined) throw new VaultError('malformed_keys', 'CREDENTIAL_KEYS contains no key.');

  const masterOf = (keyId: string): Buffer => {
    const master = masters.get(keyId);
    if (master) return master;
    throw new VaultError(
      'unknown_key',
      `The master key "${keyId}" is not in CREDENTIAL_KEYS. Add it again to decrypt its rows.`,
    );
  };
  const wrap = (keyId: string, dataKey: Buffer, bound: Binding): Buffer =>
    encrypt(masterOf(keyId), dataKey, bound('data-key', keyId));
  const unwrap = (sealed: Sealed, bound: Binding): Buffer =>
    decrypt(masterOf(sealed.keyId), sealed.wrappedKey, bound('data-key', sealed.keyId));

  const seal: Vault['seal'] = (plaintext, secret) => {
    const dataKey = randomBytes(KEY_BYTES);
    const bound = bindingOf(secret);
    return {
      keyId: newest,
      wrappedKey: wrap(newest, dataKey, bound),
      ciphertext: encrypt(dataKey, Buffer.from(plaintext, 'utf8'), bound('secret', '')),
    };
  };

  /** Returns the data key, and the binding with which it was encrypted. Decryption fails with any other binding. */
  const openKey = (sealed: Sealed, secret: SecretIdentity): { dataKey: Buffer; bound: Binding; isOld: boolean } => {
    const [current, first] = [bindingOf(secret), firstBindingOf(secret)];
    try {
      return { dataKey: unwrap(sealed, current), bound: current, isOld: false };
    } catch (error) {
      if (first === undefined || !(error instanceof VaultError) || error.code !== 'not_authentic') throw error;
      return { dataKey: unwrap(sealed, first), bound: first, isOld: true };
    }
  };

  const open: Vault['open'] = (sealed, secret) => {
    const { dataKey, bound } = openKey(sealed, secret);
    return decrypt(dataKey, sealed.ciphertext, bound('secret', '')).toString('utf8');
  };

  return {
    seal,
    open,
    rewrap: (sealed, secret) => {
      const { dataKey, bound, isOld } = openKey(sealed, secret);
      // The secret is bound to its identity too, so another form of the identity requires encrypting it again.
      if (isOld) return seal(open(sealed, secret), secret);
      return sealed.keyId === newest ? sealed : { ...sealed, keyId: newest, wrappedKey: wrap(newest, dataKey, bound) };
    },
  };
}

/** Returns the additional authenticated data (AAD) for AES-GCM, which binds a ciphertext to the secret's identity. */
type Binding = (part: 'data-key' | 'secret', keyId: string) => Buffer;

/** Returns the current binding: a JSON list, so that different ids never produce the same text. */
const bindingOf =
  ({ kind, tenantId, ownerId, id }: SecretIdentity): Binding =>
  (part, keyId) =>
    Buffer.from(JSON.stringify(['vault/2', part, keyId, kind, tenantId, ownerId, id]));

/** Returns the binding of the first release, whose only secrets were credentials; undefined for other secrets. */
const firstBindingOf = ({ kind, tenantId, ownerId, id }: SecretIdentity): Binding | undefined =>
  kind === 'credential'
    ? (part, keyId) => Buffer.from(JSON.stringify(['vault/1', part, keyId, tenantId, ownerId, id]))
    : undefined;

function encrypt(key: Buffer, plaintext: Buffer, identity: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(identity);
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function decrypt(key: Buffer, sealed: Buffer, identity: Buffer): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const body = sealed.subarray(NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(identity).setAuthTag(tag);
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch {
    throw new VaultError('not_authentic', 'The secret was altered, or belongs to another row.');
  }
}

/** Returns the ids of the keys in a setting, the newest first. */
export const keyIdsOf = (text: string): string[] => [...parseKeys(text).keys()];

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
