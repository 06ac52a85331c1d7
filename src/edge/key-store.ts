import { compactDecrypt } from 'jose';
import { createSecretKey, randomUUID, type KeyObject, type X509Certificate } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { certificatesIn, describe } from '../x509/certificate.ts';

/** A certificate with its key, as Caddy takes it. */
export interface UsableCertificate {
  id: string;
  notBefore: number;
  notAfter: number;
  certificate: X509Certificate;
  /** Chain and key as PEM. */
  pem: Buffer;
}

const Plain = z.object({ id: z.uuid(), chain: z.string(), key: z.string() });
const SUFFIX = '.jwe';

/** Returns what the store holds from the decrypted text; null if it belongs to another id. */
type Decode<T> = (id: string, text: string) => T | null;

/**
 * An edge's keys: certificates, or secrets for signatures. On disk they stay encrypted for the edge's key pair, so that a
 * stolen folder reveals no key while the private half is elsewhere (EDGE_KEY_FILE). Each is decrypted when it arrives or
 * is first used.
 */
export class KeyStore<T = UsableCertificate> {
  private readonly folder: string;
  private readonly privateKey: KeyObject;
  private readonly ids: Set<string>;
  private readonly opened = new Map<string, T | null>();
  private readonly decode: Decode<T>;

  private constructor(folder: string, privateKey: KeyObject, ids: Set<string>, decode: Decode<T>) {
    this.folder = folder;
    this.privateKey = privateKey;
    this.ids = ids;
    this.decode = decode;
  }

  static async open<T>(folder: string, privateKey: KeyObject, decode: Decode<T>): Promise<KeyStore<T>> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const files = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX));
    return new KeyStore(folder, privateKey, new Set(files.map((name) => name.slice(0, -SUFFIX.length))), decode);
  }

  get size(): number {
    return this.ids.size;
  }

  has(id: string): boolean {
    return this.ids.has(id);
  }

  /** Saves what was encrypted for this edge. It survives a crash once this resolves. */
  async save(id: string, sealed: string): Promise<void> {
    const aside = join(this.folder, `${randomUUID()}.new`);
    const file = await open(aside, 'w', 0o600);
    await file
      .writeFile(sealed)
      .then(() => file.datasync())
      .finally(() => file.close());
    await rename(aside, this.fileOf(id));
    this.ids.add(id);
    this.opened.delete(id);
  }

  /** Deletes keys that are no longer used. */
  async keepOnly(used: ReadonlySet<string>): Promise<void> {
    for (const id of [...this.ids].filter((one) => !used.has(one))) {
      this.ids.delete(id);
      this.opened.delete(id);
      await rm(this.fileOf(id), { force: true });
    }
  }

  /** Returns the key; null if this edge does not have it or cannot read it. A known answer needs no promise. */
  get(id: string): T | null | Promise<T | null> {
    const known = this.opened.get(id);
    return known === undefined ? this.read(id) : known;
  }

  /** Reads the file, which another process of this edge may have written. */
  private async read(id: string): Promise<T | null> {
    const sealed = await readFile(this.fileOf(id), 'utf8').catch(() => undefined);
    if (sealed === undefined) return null;
    const usable = await this.decrypt(id, sealed).catch(() => null);
    this.opened.set(id, usable);
    return usable;
  }

  private async decrypt(id: string, sealed: string): Promise<T | null> {
    const { plaintext } = await compactDecrypt(sealed, this.privateKey);
    return this.decode(id, new TextDecoder().decode(plaintext));
  }

  private fileOf(id: string): string {
    return join(this.folder, `${z.uuid().parse(id)}${SUFFIX}`);
  }
}

/** Reads a certificate with its key. */
export function usableCertificate(id: string, text: string): UsableCertificate | null {
  const plain = Plain.parse(JSON.parse(text));
  const [certificate] = certificatesIn(plain.chain);
  if (plain.id !== id || certificate === undefined) return null;
  const { notBefore, notAfter } = describe(certificate);
  const pem = Buffer.from(`${plain.chain.trimEnd()}\n${plain.key.trimEnd()}\n`);
  return { id, notBefore: notBefore.getTime(), notAfter: notAfter.getTime(), certificate, pem };
}

const PlainSecret = z.object({ id: z.uuid(), key: z.base64() });

/** Reads the key of a secret for signatures. */
export function signingKey(id: string, text: string): KeyObject | null {
  const plain = PlainSecret.parse(JSON.parse(text));
  return plain.id === id ? createSecretKey(plain.key, 'base64') : null;
}
