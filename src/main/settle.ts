import { parseConfig, type Config } from '../config.ts';
import { freePort } from '../embedded/ports.ts';

const LOOPBACK = '127.0.0.1';

interface Options {
  /** Keeps internal paths on the loopback address, because edge and agent run on this machine. */
  isAllInOne?: boolean;
  usualPort?: number | undefined;
}

/** Reads the settings. In production, internal paths get a loopback port instead of the public listener. */
export async function settle(
  env: Readonly<Record<string, string | undefined>>,
  { isAllInOne = false, usualPort }: Options = {},
): Promise<Config> {
  const config = parseConfig(env);
  if (config.isDevelopment || (config.INTERNAL_PORT !== undefined && !isAllInOne)) return config;
  const port = config.INTERNAL_PORT ?? (await freePort(usualPort));
  return parseConfig({ ...env, INTERNAL_PORT: String(port) }, { internalHost: LOOPBACK });
}
