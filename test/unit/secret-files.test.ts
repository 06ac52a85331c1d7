import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseConfig } from '../../src/config.ts';
import { SECRETS, withSecretFiles } from '../../src/secret-files.ts';
import { tempFolder } from '../support/temp-folder.ts';

test.each(SECRETS)('%s can be a file, and the environment keeps only the file’s name', async (name) => {
  const file = join(await tempFolder(), 'secret');
  await writeFile(file, 'the value\n');
  const env = { [`${name}_FILE`]: file, PATH: '/bin' };
  expect(withSecretFiles(env)).toEqual({ [name]: 'the value', PATH: '/bin' });
  expect(env).not.toHaveProperty(name);
});

test('an empty file name means that no file is set', () => {
  expect(withSecretFiles({ CURSOR_KEY_FILE: '', CURSOR_KEY: 'x' })).toEqual({ CURSOR_KEY: 'x' });
});

test('a secret that is set twice or cannot be read is rejected in one sentence', () => {
  expect(() => withSecretFiles({ CURSOR_KEY_FILE: '/nowhere', CURSOR_KEY: 'x' })).toThrow(
    'CURSOR_KEY and CURSOR_KEY_FILE are both set. Remove one of them.',
  );
  expect(() => withSecretFiles({ CURSOR_KEY_FILE: '/nowhere' })).toThrow(
    'CURSOR_KEY_FILE: /nowhere cannot be read (ENOENT).',
  );
});

test.each(['plain', 'with@:/?#%41 everything'])('a separate password completes its URL: %s', (password) => {
  const config = parseConfig({
    API_DATABASE_URL: 'postgres://api@db:5432/service',
    API_DATABASE_PASSWORD: password,
    WORKER_DATABASE_URL: 'postgres://worker:own@db:5432/service',
    WORKER_DATABASE_PASSWORD: password,
  });
  expect(decodeURIComponent(new URL(config.API_DATABASE_URL!).password)).toBe(password);
  expect(new URL(config.WORKER_DATABASE_URL!).password).toBe('own');
});
