import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { parseConfig } from '../../src/config.ts';
import { ensureLogin } from '../../src/db/logins.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { withSecretFiles } from '../../src/secret-files.ts';
import { runCli } from '../support/fixtures/cli.ts';
import { asSuperuser, createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
const make = (file: string) => runCli(['keys', 'make', '--file', file], { NODE_ENV: 'production' });

describe('keys make', () => {
  test('writes settings that production accepts, and secrets that only the owner of their folder can read', async () => {
    const folder = await tempFolder();
    expect((await make(join(folder, '.env'))).code).toBe(0);
    expect(await modeOf(join(folder, '.env'))).toBe(0o600);
    expect(await modeOf(join(folder, 'secrets'))).toBe(0o700);
    const text = await readFile(join(folder, '.env'), 'utf8');
    const files = await readdir(join(folder, 'secrets'));
    for (const file of files) {
      expect(await modeOf(join(folder, 'secrets', file))).toBe(0o444);
      expect(text).toContain(`${file}_FILE=./secrets/${file}\n`);
      expect(text).not.toContain((await readFile(join(folder, 'secrets', file), 'utf8')).trim());
    }
    const settings = parseEnv(text.replaceAll('./secrets', join(folder, 'secrets')));
    const env = withSecretFiles({ ...settings, NODE_ENV: 'production', INTERNAL_PORT: '9090' });
    expect(() => parseConfig(env)).toThrow(/^EDGE_CNAME_TARGET must be set/);
    expect(() => parseConfig({ ...env, EDGE_CNAME_TARGET: 'edge.example.com' })).not.toThrow();
  });

  test('replaces no existing file or secret, and leaves no incomplete files', async () => {
    const [withFile, withSecrets] = [await tempFolder(), await tempFolder()];
    await writeFile(join(withFile, '.env'), 'MINE=1\n');
    const refused = await make(join(withFile, '.env'));
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('.env already exists')]);
    expect(await readdir(withFile)).toEqual(['.env']);
    expect(await readFile(join(withFile, '.env'), 'utf8')).toBe('MINE=1\n');

    await mkdir(join(withSecrets, 'secrets'));
    const again = await make(join(withSecrets, '.env'));
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('secrets already exists')]);
    expect(await readdir(withSecrets)).toEqual(['secrets']);
  });

  test('prints settings with new values each time for -', async () => {
    const [first, second] = [parseEnv((await make('-')).out), parseEnv((await make('-')).out)];
    const complete = { ...first, EDGE_CNAME_TARGET: 'edge.example.com', NODE_ENV: 'production', INTERNAL_PORT: '9090' };
    expect(() => parseConfig(complete)).not.toThrow();
    const secrets = Object.keys(first).filter((name) => /_(KEYS?|PASSWORD)$/.test(name));
    expect(secrets).toHaveLength(9);
    for (const name of secrets) expect(first[name]).not.toBe(second[name]);
  });
});

describe('with a database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  test('migrate waits for a database that is still starting', async () => {
    const { hostname, port } = new URL(database.url);
    const address = new URL(database.url);
    address.port = String(await freePort());
    const cli = join(import.meta.dirname, '../../src/cli/main.ts');
    const child = spawn(process.execPath, [cli, 'migrate'], {
      env: { PATH: process.env['PATH'], MIGRATION_DATABASE_URL: address.href },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const exited = once(child, 'exit');
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await until(() => said.includes('Waiting for the database'), 30_000);
    const proxy = createServer((client) => {
      const upstream = connect(Number(port), hostname);
      client.pipe(upstream).pipe(client);
      for (const socket of [client, upstream]) socket.on('error', () => undefined);
    });
    proxy.listen(Number(address.port), '127.0.0.1');
    expect(await exited).toEqual([0, null]);
    proxy.close();
  });

  test('a command whose login lacks a permission names the login to use, and never advises to grant more', async () => {
    const api = new URL(database.url);
    api.username = `api_${crypto.randomUUID().slice(0, 8)}`;
    api.password = 'a-password';
    await ensureLogin(database.url, 'api', api.href);
    try {
      const { code, err } = await runCli(['tenant', 'create', '--name', 'First'], { DATABASE_URL: api.href });
      expect([code, err]).toEqual([1, expect.stringContaining('WORKER_DATABASE_URL')]);
      expect(err).not.toContain('CREATEROLE');
    } finally {
      await asSuperuser(`DROP ROLE "${api.username}"`);
    }
  });
});
