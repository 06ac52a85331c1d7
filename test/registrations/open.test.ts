import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseConfig } from '../../src/config.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { openRegistrations } from '../../src/main/registrations.ts';
import { EVERY_NETWORK } from '../../src/net/address.ts';
import { startRdapServer } from '../support/doubles/rdap-server.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { startDnsLab, type DnsLab } from '../support/fixtures/dns-lab.ts';
import { tempFolder } from '../support/temp-folder.ts';

let database: TestDatabase;
let pool: Pool;
let lab: DnsLab;
beforeAll(async () => {
  [database, lab] = await Promise.all([createTestDatabase(), startDnsLab()]);
  pool = await createPool(database.url, { max: 2, name: 'registrations' });
});
afterAll(async () => {
  await Promise.all([pool.end(), lab.stop()]);
  await database.drop();
});

const open = (env: Record<string, string>) =>
  openRegistrations(parseConfig(env), { pool, observer: lab.observer, dial: { allowed: EVERY_NETWORK } });

test('without RDAP_BOOTSTRAP_FILE no registration is checked', async () => {
  expect(await open({})).toBeNull();
});

test('a bootstrap file that is missing or something else ends the start with one sentence', async () => {
  const file = join(await tempFolder(), 'dns.json');
  await expect(open({ RDAP_BOOTSTRAP_FILE: file })).rejects.toThrow(
    /^RDAP_BOOTSTRAP_FILE: .* cannot be read \(ENOENT\)\.$/,
  );
  await writeFile(file, '<html>');
  await expect(open({ RDAP_BOOTSTRAP_FILE: file })).rejects.toThrow(/^RDAP_BOOTSTRAP_FILE: .* is not a bootstrap file/);
});

test('NXDOMAIN is what the name servers above a domain answer', async () => {
  const server = await startRdapServer();
  const opened = await open({ RDAP_BOOTSTRAP_FILE: await server.bootstrapFile('test') });
  const domain = await lab.domain();
  const isDenied = (name: string) => opened!.isDenied(name, AbortSignal.timeout(20_000));
  expect([await isDenied(domain), await isDenied(`no-${domain}`)]).toEqual([false, true]);
  await Promise.all([opened!.http.close(), server.stop()]);
});
