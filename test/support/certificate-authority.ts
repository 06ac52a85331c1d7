import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from './temp-folder.ts';

export interface IssuedCertificate {
  chain: string;
  key: string;
}

interface Wanted {
  /** Arguments of openssl for the key; ECDSA P-256 by default. */
  key?: readonly string[];
  days?: number;
  digest?: string;
  /** Sign for this request instead of a new key. */
  csr?: string;
  /** Sign with this certificate's key instead of the intermediate's, as a thief of one could. */
  by?: IssuedCertificate;
}

/** A certificate authority with a root and an intermediate, made by openssl. */
export interface TestAuthority {
  /** File with the root certificate. */
  rootFile: string;
  /** Issues a certificate for DNS names. Its chain has the intermediate, and not the root. */
  issue(names: readonly string[], wanted?: Wanted): IssuedCertificate;
}

const P256 = ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];

export async function startTestAuthority(name = 'Test authority'): Promise<TestAuthority> {
  const folder = await tempFolder();
  const at = (file: string) => join(folder, file);
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  const text = (file: string) => readFileSync(at(file), 'utf8');
  const days = ['-days', '3650'];
  const isAuthority = ['-addext', 'basicConstraints=critical,CA:TRUE'];
  openssl('req', '-x509', '-newkey', ...P256, '-nodes', ...days, '-subj', `/CN=${name} root`, ...isAuthority, '-keyout', 'root.key', '-out', 'root.pem'); // prettier-ignore
  openssl('req', '-x509', '-newkey', ...P256, '-nodes', ...days, '-subj', `/CN=${name}`, ...isAuthority, '-CA', 'root.pem', '-CAkey', 'root.key', '-keyout', 'issuer.key', '-out', 'issuer.pem'); // prettier-ignore
  let count = 0;
  return {
    rootFile: at('root.pem'),
    issue(names, { key = P256, days: lasts = 90, digest = 'sha256', csr, by } = {}) {
      const id = `${++count}`;
      if (by !== undefined) {
        writeFileSync(at(`${id}.by.pem`), by.chain);
        writeFileSync(at(`${id}.by.key`), by.key);
      }
      const issuer = by === undefined ? 'issuer' : `${id}.by`;
      if (csr === undefined)
        openssl('req', '-newkey', ...key, '-nodes', '-subj', '/CN=leaf', '-keyout', `${id}.key`, '-out', `${id}.csr`);
      else writeFileSync(at(`${id}.csr`), csr);
      writeFileSync(at(`${id}.ext`), `subjectAltName=${names.map((one) => `DNS:${one}`).join()}\n`);
      openssl('x509', '-req', '-in', `${id}.csr`, '-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`, '-set_serial', String(1_000 + count), `-${digest}`, '-extfile', `${id}.ext`, '-days', String(lasts), '-out', `${id}.pem`); // prettier-ignore
      return { chain: text(`${id}.pem`) + text(`${issuer}.pem`), key: csr === undefined ? text(`${id}.key`) : '' };
    },
  };
}
