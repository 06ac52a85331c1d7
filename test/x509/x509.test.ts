import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificatesIn, describe as describeCertificate } from '../../src/x509/certificate.ts';
import { keyOfPem, newPrivateKey } from '../../src/x509/keys.ts';
import { renewalId } from '../../src/x509/renewal-id.ts';
import { pemOf, signingRequest } from '../../src/x509/request.ts';
import { tempFolder } from '../support/temp-folder.ts';

const openssl = (...args: string[]): string =>
  execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** A certificate of RFC 9773's appendix A, whose id the RFC gives. */
const OF_THE_RFC = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----`;

describe('a signing request', () => {
  test('names every host, is signed by its key, and openssl accepts it', async () => {
    const key = await newPrivateKey();
    const folder = await tempFolder();
    const file = join(folder, 'request.pem');
    await writeFile(
      file,
      pemOf('CERTIFICATE REQUEST', await signingRequest(key, ['shop.example.com', '*.example.com'])),
    );
    expect(openssl('req', '-in', file, '-noout', '-verify', '-text')).toMatch(
      /Subject: CN = shop\.example\.com[\s\S]*DNS:shop\.example\.com, DNS:\*\.example\.com/,
    );
    expect(openssl('req', '-in', file, '-noout', '-pubkey').trim()).toBe(publicKeyOf(key, folder));
  });

  test('of a name that is too long for a common name has it in the extension only', async () => {
    const long = `${'a'.repeat(60)}.example.com`;
    const file = join(await tempFolder(), 'request.pem');
    await writeFile(file, pemOf('CERTIFICATE REQUEST', await signingRequest(await newPrivateKey(), [long])));
    const text = openssl('req', '-in', file, '-noout', '-text');
    expect(text).toMatch(/Subject: *\n/);
    expect(text).toContain(`DNS:${long}`);
  });
});

function publicKeyOf(key: string, folder: string): string {
  const file = join(folder, 'key.pem');
  execFileSync('openssl', ['pkey', '-out', file], { input: key });
  return openssl('pkey', '-in', file, '-pubout').trim();
}

test('the id of a certificate for renewal is the one in RFC 9773', () => {
  const [certificate] = certificatesIn(OF_THE_RFC);
  expect(renewalId(certificate!)).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE');
});

test('a certificate is described by its serial number, names, validity and issuer', async () => {
  const folder = await tempFolder();
  const [key, file] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const args =
    '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3 -set_serial 0x8765 -subj /CN=Lab'.split(' ');
  openssl('req', ...args, '-addext', 'subjectAltName=DNS:Shop.example.com,IP:127.0.0.1', '-keyout', key, '-out', file);
  const chain = `Some text\n${readFileSync(file, 'utf8')}\n${OF_THE_RFC}`;
  const [first, second, ...others] = certificatesIn(chain);

  expect(describeCertificate(first!)).toMatchObject({ serial: '8765', names: ['shop.example.com'], ca: 'Lab' });
  const { notBefore, notAfter } = describeCertificate(first!);
  expect(notAfter.getTime() - notBefore.getTime()).toBe(3 * 86_400_000);
  expect(describeCertificate(second!).ca).toBe('Example CA');
  expect(others).toEqual([]);
  expect(() => keyOfPem('no key')).toThrow();
});
