import { readFileSync } from 'node:fs';

/** Settings that contain a secret. Each can be read from a file: NAME_FILE is the path of a file with the value. */
export const SECRETS = [
  'CREDENTIAL_KEYS',
  'WIDGET_TOKEN_KEYS',
  'CURSOR_KEY',
  'DATABASE_PASSWORD',
  'MIGRATION_DATABASE_PASSWORD',
  'API_DATABASE_PASSWORD',
  'WORKER_DATABASE_PASSWORD',
  'EDGE_TOKEN',
  'ACME_EAB_HMAC_KEY',
  'TEMPORAL_API_KEY',
  'TEMPORAL_CODEC_KEYS',
  'ACME_DELEGATION_CREDENTIALS',
  'ACME_DELEGATION_KEY',
  'DOMAIN_CONNECT_KEYS',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'CONSOLE_OIDC_CLIENT_SECRET',
] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Replaces each NAME_FILE by NAME in a copy, so that neither child processes nor `docker inspect` show the value. */
export function withSecretFiles(env: Environment): Record<string, string | undefined> {
  const result = { ...env };
  for (const name of SECRETS) {
    const path = env[`${name}_FILE`] ?? '';
    Reflect.deleteProperty(result, `${name}_FILE`);
    if (path === '') continue;
    if ((env[name] ?? '') !== '')
      throw new SecretFileError(`${name} and ${name}_FILE are both set. Remove one of them.`);
    result[name] = contentOf(name, path);
  }
  return result;
}

export class SecretFileError extends Error {}

function contentOf(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    throw new SecretFileError(`${name}_FILE: ${path} cannot be read (${code}).`, { cause });
  }
}
