import { chmod, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { newKey, newPassword } from '../main/new-secret.ts';
import { CommandError } from './errors.ts';

const KEYS = ['CREDENTIAL_KEYS', 'WIDGET_TOKEN_KEYS', 'CURSOR_KEY'] as const;
const PASSWORDS = [
  'POSTGRES_PASSWORD',
  'API_DATABASE_PASSWORD',
  'WORKER_DATABASE_PASSWORD',
  'TEMPORAL_DATABASE_PASSWORD',
  'POSTGRES_SUPERUSER_PASSWORD',
  'GRAFANA_PASSWORD',
] as const;

/** The secrets that docker-compose.yml needs, made anew. */
export const makeSecrets = (): Record<string, string> =>
  Object.fromEntries([
    ...KEYS.map((name) => [name, newKey()] as const),
    ...PASSWORDS.map((name) => [name, newPassword()] as const),
  ]);

const SETTINGS = `# The hostname that customers' records point at, and the address of the API. Production needs the first.
EDGE_CNAME_TARGET=
#BASE_URL=https://api.example.com
# acme: certificates from Let's Encrypt, which must reach ports 80 and 443. internal: from a CA of the edge's own, to try it.
EDGE=acme
`;

/** The text of a .env file that holds the secrets themselves. */
export const inlineSettings = (secrets: Record<string, string>): string =>
  [SETTINGS, ...Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`)].join('');

/**
 * Writes a .env file and next to it the folder secrets, which holds one file for each secret. Containers read a secret
 * under accounts of their own, so its file is readable to all and the folder only to its owner. Nothing is replaced.
 */
export async function writeSettings(file: string, secrets: Record<string, string>): Promise<{ folder: string }> {
  const folder = join(dirname(resolve(file)), 'secrets');
  const settings = await open(file, 'wx', 0o600).catch(refuse(file));
  try {
    await mkdir(folder, { mode: 0o700 }).catch(refuse(folder));
    for (const [name, value] of Object.entries(secrets)) {
      await writeFile(join(folder, name), `${value}\n`, { flag: 'wx' });
      await chmod(join(folder, name), 0o444); // whatever the umask is
    }
    const lines = Object.keys(secrets).map((name) => `${name}_FILE=./secrets/${name}\n`);
    await settings.writeFile([SETTINGS, '# Secrets, one file each. Back them up apart from the database.\n', ...lines].join('')); // prettier-ignore
  } catch (error) {
    await rm(file);
    throw error;
  } finally {
    await settings.close();
  }
  return { folder };
}

const refuse =
  (path: string) =>
  (error: NodeJS.ErrnoException): never => {
    if (error.code === 'EEXIST')
      throw new CommandError(`${path} exists. A lost key locks out what it protects, so nothing is replaced.`);
    throw new CommandError(`${path} cannot be written (${error.code ?? error.message}).`, { cause: error });
  };
