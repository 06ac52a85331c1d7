import { appendFile, chmod, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { newEdgeToken } from '../db/edge/registered-edges.ts';
import { newKey, newPassword } from '../main/new-secret.ts';
import { newPrivateKey } from '../x509/keys.ts';
import { selfSigned } from '../x509/self-signed.ts';
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

export const makeSecrets = (): Record<string, string> =>
  Object.fromEntries([
    ...KEYS.map((name) => [name, newKey()] as const),
    ...PASSWORDS.map((name) => [name, newPassword()] as const),
    ['EDGE_TOKEN', newEdgeToken()] as const,
  ]);

/** Names by which an agent on the same machine or in the same compose project reaches the feed. */
const FEED_NAMES = ['api', 'localhost'] as const;
const FEED_DAYS = 3_650;

/** Creates the certificate of the feed and its key. Agents get a copy of the certificate, and so trust nothing else. */
export async function makeFeedTls(names: readonly string[] = []): Promise<Record<string, string>> {
  const key = await newPrivateKey();
  const cert = await selfSigned(key, [...FEED_NAMES, ...names], { from: new Date(), days: FEED_DAYS });
  return { EDGE_FEED_CERT: cert.trimEnd(), EDGE_FEED_KEY: key.trimEnd() };
}

/** Writes the certificate of the feed and its key next to a .env file, and names them there. */
export async function addFeedTls(file: string, names: readonly string[]): Promise<{ folder: string }> {
  const folder = join(dirname(resolve(file)), 'secrets');
  const settings = await readFile(file, 'utf8').catch(() => {
    throw new CommandError(`There is no ${file}. Run keys make first.`);
  });
  const made = await makeFeedTls(names);
  for (const [name, value] of Object.entries(made)) await writeSecret(folder, name, value).catch(refuse(join(folder, name))); // prettier-ignore
  const missing = Object.keys(made).filter((name) => !new RegExp(`^${name}_FILE=`, 'm').test(settings));
  await appendFile(file, missing.map(lineOf).join(''));
  return { folder };
}

const lineOf = (name: string): string => `${name}_FILE=./secrets/${name}\n`;

async function writeSecret(folder: string, name: string, value: string): Promise<void> {
  await writeFile(join(folder, name), `${value}\n`, { flag: 'wx' });
  await chmod(join(folder, name), 0o444); // independent of the umask
}

const SETTINGS = `# Hostname that customers' records point to (required in production), and public URL of the API.
EDGE_CNAME_TARGET=
#BASE_URL=https://api.example.com
# acme: certificates from Let's Encrypt, which must reach ports 80 and 443. internal: the edge's own CA, for trials.
EDGE=acme
`;

/** Returns the text of a .env file that contains the secrets. */
export const inlineSettings = (secrets: Record<string, string>): string =>
  [SETTINGS, ...Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`)].join('');

/** Writes .env and `secrets`. Containers run under other accounts, so all can read the files, but not the folder. */
export async function writeSettings(file: string, secrets: Record<string, string>): Promise<{ folder: string }> {
  const folder = join(dirname(resolve(file)), 'secrets');
  const settings = await open(file, 'wx', 0o600).catch(refuse(file));
  try {
    await mkdir(folder, { mode: 0o700 }).catch(refuse(folder));
    for (const [name, value] of Object.entries(secrets)) await writeSecret(folder, name, value);
    const lines = Object.keys(secrets).map(lineOf);
    await settings.writeFile([SETTINGS, '# Secrets, one file each. Back them up separately from the database.\n', ...lines].join('')); // prettier-ignore
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
      throw new CommandError(
        `${path} already exists. It may hold keys that protect your data, so it was not replaced.`,
      );
    throw new CommandError(`${path} cannot be written (${error.code ?? error.message}).`, { cause: error });
  };
