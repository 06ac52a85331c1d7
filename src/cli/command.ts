import type { ParseArgsOptionDescriptor } from 'node:util';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { normalizeHostname } from '../domain/hostname.ts';
import { SCOPES, type Scope } from '../domain/scope.ts';
import { UsageError } from './errors.ts';
import type { ApiAccess } from './api-access.ts';
import type { ServiceAccess } from './service-access.ts';

export type Values = Readonly<Record<string, string | boolean | undefined>>;

/** Output of a command: JSON for programs, lines for people. */
export interface Output {
  json: unknown;
  lines: readonly string[];
  /** Exit code for scripts. Defaults to 0. docs/operations.md lists the codes. */
  exitCode?: number;
}

/** Exit codes in addition to 0 (success), 1 (command failed) and 2 (usage error). */
export const EXIT = { wrong: 3, unknown: 4 } as const;

export interface Option extends ParseArgsOptionDescriptor {
  /** Placeholder of the value in the help, such as `ID`. Absent for options without a value. */
  value?: string;
  help: string;
}

/** Properties of a command for the help and the argument parser. Every command accepts `--json` and `--help`. */
export interface Described {
  /** Name as typed, such as `tenant create`. */
  name: string;
  /** One sentence for the list of commands, without its full stop. */
  summary: string;
  /** Further sentences for the command's own help. */
  details?: string;
  options: Readonly<Record<string, Option>>;
  /** Name of the positional argument, if the command takes one. */
  positional?: string;
  requires: readonly string[];
  /** Command lines for the help, without the program. A test parses each. */
  examples: readonly [string, ...string[]];
}

export const TENANT = {
  tenant: { type: 'string', value: 'ID', help: 'The tenant, as `tenant list` shows it' },
} as const;
export const APPLICATION = { application: { type: 'string', value: 'ID', help: 'The application' } } as const;
export const HOSTNAME = { hostname: { type: 'string', value: 'NAME', help: 'The hostname' } } as const;
export const REASON = { reason: { type: 'string', value: 'TEXT', help: 'Your reason, for the audit log' } } as const;

/** An operator's command, which works on the database of the service. */
export interface Command extends Described {
  run(values: Values, access: ServiceAccess): Promise<Output>;
}

export interface PlainCommand extends Described {
  runPlain(values: Values): Promise<Output>;
}

export interface SettingsCommand extends Described {
  /** Role whose settings are required in production. Defaults to all settings. */
  role?: 'migration' | 'setup';
  runBySettings(values: Values, config: Config): Promise<Output>;
}

export interface ApiCommand extends Described {
  runByApi(values: Values, api: ApiAccess): Promise<Output>;
}

export function idIn(values: Values, option: string): string {
  const id = z.uuid().safeParse(required(values, option));
  if (!id.success) throw new UsageError(`--${option} must be an id, as tenant create prints it.`);
  return id.data;
}

const Reason = z.string().trim().regex(/^[^\p{Cc}]{1,500}$/u); // prettier-ignore

/** Returns the operator's reason for the audit log. */
export function reasonIn(values: Values): string {
  const reason = Reason.safeParse(required(values, 'reason'));
  if (!reason.success) throw new UsageError('--reason must be 1 to 500 printable characters.');
  return reason.data;
}

/** Returns the scopes that a command names, without repetitions. */
export function scopesIn(values: Values, byDefault: readonly Scope[]): readonly Scope[] {
  if (values['scopes'] === undefined) return byDefault;
  const scopes = z.array(z.enum(SCOPES)).min(1).safeParse(required(values, 'scopes').split(','));
  if (!scopes.success) throw new UsageError(`--scopes must be a list of ${SCOPES.join(',')}.`);
  return [...new Set(scopes.data)];
}

/** Returns a normalized hostname. Accepts upper case, Unicode and a trailing dot. */
export function hostnameIn(values: Values, option: string): string {
  const name = normalizeHostname(required(values, option), { test: true, wildcard: true });
  if (!name.ok) throw new UsageError(name.message);
  return name.hostname;
}

export function required(values: Values, option: string): string {
  const value = values[option];
  const isPositional = option === option.toUpperCase();
  if (typeof value !== 'string' || value === '')
    throw new UsageError(`${isPositional ? '' : '--'}${option} is missing.`);
  return value;
}

export const problemLines = (message: string, fix: string | null): string[] => [
  `! ${message}`,
  ...(fix === null ? [] : [`  ${fix}`]),
];
