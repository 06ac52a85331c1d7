import { join, resolve } from 'node:path';
import { z } from 'zod';
import { parseConfig, readEnvironment } from '../config.ts';
import { defaultDataDir } from '../embedded/folders.ts';
import { readJson } from '../main/local-keys.ts';
import { CommandError, UsageError } from './errors.ts';

const Demo = z.object({ base_url: z.string(), test: z.object({ application_id: z.uuid(), key: z.string() }) });

export interface ApiAccess {
  baseUrl: string;
  dataDir: string;
  /** Returns the body of a successful answer. Throws the message of an error answer. */
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown>;
}

export const API_OPTIONS = {
  'base-url': { type: 'string', value: 'URL', help: 'Address of the service. Defaults to the one on this machine' },
  key: { type: 'string', value: 'KEY', help: "API key. Defaults to the demo tenant's test key" },
} as const;

const Refusal = z.object({ error: z.object({ message: z.string() }) });

/** Uses `--base-url` and `--key`, or the demo tenant's test key of the `npm start` on this machine. */
export async function openApiAccess(
  values: Readonly<Record<string, string | boolean | undefined>>,
): Promise<ApiAccess> {
  const config = parseConfig(readEnvironment());
  const dataDir = resolve(config.DATA_DIR ?? defaultDataDir());
  const demo = Demo.safeParse(await readJson(join(dataDir, 'demo.json')).catch(() => undefined)).data;
  const given = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined);
  const baseUrl = (given('base-url') ?? demo?.base_url ?? '').replace(/\/+$/, '');
  const key = given('key') ?? demo?.test.key;
  if (baseUrl === '' || key === undefined)
    throw new UsageError(`No service has run in ${dataDir}. Give its address with --base-url and --key.`);
  return {
    baseUrl,
    dataDir,
    async call(method, path, body) {
      const response = await fetch(`${baseUrl}/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }).catch((error: unknown) => {
        throw new CommandError(`The service does not answer at ${baseUrl}.`, { cause: error });
      });
      const answer: unknown = await response.json().catch(() => undefined);
      if (response.ok) return answer;
      const refusal = Refusal.safeParse(answer);
      throw new CommandError(refusal.success ? refusal.data.error.message : `The service answered ${response.status}.`);
    },
  };
}
