import { parseConfig, type Config } from '../config.ts';
import { freePort } from '../embedded/ports.ts';

const LOOPBACK = '127.0.0.1';

interface Options {
  /** Keeps internal paths on the loopback address also where their port is set: edge and agent are on this machine. */
  isAllInOne?: boolean;
  usualPort?: number | undefined;
}

/**
 * Reads the settings. Where the guards of production apply and no INTERNAL_PORT is set, internal paths get a free port of
 * the loopback address instead of the public listener.
 */
export async function settle(
  env: Readonly<Record<string, string | undefined>>,
  { isAllInOne = false, usualPort }: Options = {},
): Promise<Config> {
  const config = parseConfig(env);
  if (config.isDevelopment || (config.INTERNAL_PORT !== undefined && !isAllInOne)) return config;
  const port = config.INTERNAL_PORT ?? (await freePort(usualPort));
  return parseConfig({ ...env, INTERNAL_PORT: String(port) }, { internalHost: LOOPBACK });
}
