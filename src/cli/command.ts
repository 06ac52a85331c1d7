import type { ParseArgsOptionDescriptor } from 'node:util';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { normalizeHostname } from '../domain/hostname.ts';
import { UsageError } from './errors.ts';
import type { ApiAccess } from './api-access.ts';
import type { ServiceAccess } from './service-access.ts';

export type Values = Readonly<Record<string, string | boolean | undefined>>;

/** What a command gives: JSON for programs, lines for people. */
export interface Output {
  json: unknown;
  lines: readonly string[];
  /** What the command found, for scripts: 0 unless it says otherwise. docs/operations.md lists them. */
  exitCode?: number;
}

/** What exit codes say beside 0 (all is well), 1 (refused) and 2 (not understood). */
export const EXIT = { wrong: 3, unknown: 4 } as const;

/** What the help and the reading of arguments know of a command. `--json` is understood everywhere. */
interface Described {
  /** As typed, such as `tenant create`. */
  name: string;
  /** What follows the name, for the help. */
  usage: string;
  summary: string;
  options: Readonly<Record<string, ParseArgsOptionDescriptor>>;
  /** What a word without dashes is the value of, where one is understood. */
  positional?: string;
  /** Options that must be there. */
  requires: readonly string[];
}

/** The operator's: works on the database of the service. */
export interface Command extends Described {
  run(values: Values, access: ServiceAccess): Promise<Output>;
}

/** One that needs nothing of a service, so that it can be used before there are settings. */
export interface PlainCommand extends Described {
  runPlain(values: Values): Promise<Output>;
}

/** One that needs no database, so that it can be used before there is one. */
export interface SettingsCommand extends Described {
  /** Which settings production demands: all of them, unless the command says otherwise. */
  role?: 'migration';
  runBySettings(values: Values, config: Config): Promise<Output>;
}

/** The integrator's: talks to the API with a key, like every other client. */
export interface ApiCommand extends Described {
  runByApi(values: Values, api: ApiAccess): Promise<Output>;
}

export function idIn(values: Values, option: string): string {
  const id = z.uuid().safeParse(required(values, option));
  if (!id.success) throw new UsageError(`--${option} must be an id, such as tenant create prints.`);
  return id.data;
}

const REASON = z.string().trim().regex(/^[^\p{Cc}]{1,500}$/u); // prettier-ignore

/** Why the operator does it, for the audit. */
export function reasonIn(values: Values): string {
  const reason = REASON.safeParse(required(values, 'reason'));
  if (!reason.success) throw new UsageError('--reason must be 1 to 500 printable characters.');
  return reason.data;
}

/** A hostname as connections have it: what an operator copies from a browser or a ticket is understood too. */
export function hostnameIn(values: Values, option: string): string {
  const name = normalizeHostname(required(values, option), { test: true });
  if (!name.ok) throw new UsageError(name.message);
  return name.hostname;
}

/** The value of an option that the command requires. */
export function required(values: Values, option: string): string {
  const value = values[option];
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${option} is missing.`);
  return value;
}

/** A problem, and below it the fix if there is one. */
export const problemLines = (message: string, fix: string | null): string[] => [
  `! ${message}`,
  ...(fix === null ? [] : [`  ${fix}`]),
];
