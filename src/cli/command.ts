import type { ParseArgsOptionDescriptor } from 'node:util';
import { z } from 'zod';
import { UsageError } from './errors.ts';
import type { ApiAccess } from './api-access.ts';
import type { ServiceAccess } from './service-access.ts';

export type Values = Readonly<Record<string, string | boolean | undefined>>;

/** What a command gives: JSON for programs, lines for people. */
export interface Output {
  json: unknown;
  lines: readonly string[];
}

/** A line of the command table. `--json` is understood everywhere. */
interface Described {
  /** As typed, such as `tenant create`. */
  name: string;
  /** What follows the name, for the help. */
  usage: string;
  summary: string;
  options: Readonly<Record<string, ParseArgsOptionDescriptor>>;
  /** Options that must be there. */
  requires: readonly string[];
  /** What may follow the name without a dash, for the sentence that says it is missing. */
  positional?: string;
}

/** The operator's: works on the database of the service. */
export interface Command extends Described {
  over?: 'database';
  run(values: Values, access: ServiceAccess): Promise<Output>;
}

/** The integrator's: talks to the API with a key, like every other client. */
export interface ApiCommand extends Described {
  over: 'api';
  run(values: Values, api: ApiAccess): Promise<Output>;
}

export function idIn(values: Values, option: string): string {
  const id = z.uuid().safeParse(required(values, option));
  if (!id.success) throw new UsageError(`--${option} must be an id, such as tenant create prints.`);
  return id.data;
}

/** The value of an option that the command requires. */
export function required(values: Values, option: string): string {
  const value = values[option];
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${option} is missing.`);
  return value;
}
