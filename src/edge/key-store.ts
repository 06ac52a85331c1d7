import { compactDecrypt } from 'jose';
import { randomUUID, type KeyObject, type X509Certificate } from 'node:crypto';
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

/**
 * An edge's certificates. On disk they stay encrypted for the edge's key pair, so that a stolen folder reveals no key
 * while the private half is elsewhere (EDGE_KEY_FILE). Each is decrypted when it arrives or is first used.
 */
export class KeyStore {
  private readonly folder: string;
  private readonly privateKey: KeyObject;
  private readonly ids: Set<string>;
  private readonly opened = new Map<string, UsableCertificate | null>();

  private constructor(folder: string, privateKey: KeyObject, ids: Set<string>) {
    this.folder = folder;
    this.privateKey = privateKey;
    this.ids = ids;
  }

  static async open(folder: string, privateKey: KeyObject): Promise<KeyStore> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const files = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX));
    return new KeyStore(folder, privateKey, new Set(files.map((name) => name.slice(0, -SUFFIX.length))));
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

  /** Deletes certificates that no hostname uses. */
  async keepOnly(used: ReadonlySet<string>): Promise<void> {
    for (const id of [...this.ids].filter((one) => !used.has(one))) {
      this.ids.delete(id);
      this.opened.delete(id);
      await rm(this.fileOf(id), { force: true });
    }
  }

  /** Returns the certificate; null if this edge does not have it or cannot read it. A known answer needs no promise. */
  get(id: string): UsableCertificate | null | Promise<UsableCertificate | null> {
    const known = this.opened.get(id);
    return known === undefined ? this.read(id) : known;
  }

  /** Reads the file, which another process of this edge may have written. */
  private async read(id: string): Promise<UsableCertificate | null> {
    const sealed = await readFile(this.fileOf(id), 'utf8').catch(() => undefined);
    if (sealed === undefined) return null;
    const usable = await this.decrypt(id, sealed).catch(() => null);
    this.opened.set(id, usable);
    return usable;
  }

  private async decrypt(id: string, sealed: string): Promise<UsableCertificate | null> {
    const { plaintext } = await compactDecrypt(sealed, this.privateKey);
    const plain = Plain.parse(JSON.parse(new TextDecoder().decode(plaintext)));
    const [certificate] = certificatesIn(plain.chain);
    if (plain.id !== id || certificate === undefined) return null;
    const { notBefore, notAfter } = describe(certificate);
    const pem = Buffer.from(`${plain.chain.trimEnd()}\n${plain.key.trimEnd()}\n`);
    return { id, notBefore: notBefore.getTime(), notAfter: notAfter.getTime(), certificate, pem };
  }

  private fileOf(id: string): string {
    return join(this.folder, `${z.uuid().parse(id)}${SUFFIX}`);
  }
}
