import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '../..');

const Compose = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      image: z.string().optional(),
      command: z.union([z.string(), z.array(z.string())]).optional(),
      environment: z.record(z.string(), z.string()).default({}),
      deploy: z.looseObject({ replicas: z.number().optional() }).optional(),
      env_file: z.string().optional(),
      secrets: z.array(z.string()).default([]),
      networks: z
        .union([z.array(z.string()), z.record(z.string(), z.unknown()).transform((named) => Object.keys(named))])
        .default([]),
      ports: z.array(z.string()).default([]),
    }),
  ),
});
export type Compose = z.infer<typeof Compose>;

/** docker-compose.yml as it stands, for the schema. */
export const composeDocument = (): unknown =>
  parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as unknown;

export const readCompose = (): Compose => Compose.parse(composeDocument());

/** `${NAME:-else}`, `${NAME:+then}`, `${NAME:?}` and `$$`, as compose reads them. */
export const interpolate = (text: string, env: NodeJS.ProcessEnv): string =>
  text.replaceAll(
    /\$\$|\$\{(\w+)(?::([-+?])([^}]*))?\}/g,
    (match, name: string | undefined, how: string | undefined, other: string | undefined) => {
      if (name === undefined) return match.slice(1);
      const value = env[name] ?? '';
      if (how === '+') return value === '' ? '' : (other ?? '');
      if (value === '' && how === '?') throw new Error(`docker-compose.yml needs ${name}.`);
      return value === '' && how === '-' ? (other ?? '') : value;
    },
  );

/** What a service is given: its own block over the .env that it names, as compose merges them. */
export function environmentOf(service: string, dotEnv: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { environment = {}, env_file } = readCompose().services[service] ?? { env_file: undefined };
  const own = Object.entries(environment).map(([name, value]) => [name, interpolate(value, dotEnv)] as const);
  return { ...(env_file === undefined ? {} : dotEnv), ...Object.fromEntries(own) };
}
