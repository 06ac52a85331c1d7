import { parseConfig, type Config } from '../config.ts';
import { freePort } from '../embedded/ports.ts';

const LOOPBACK = '127.0.0.1';

interface Options {
  /** Keeps internal paths on the loopback address, because edge and agent run on this machine. */
  isAllInOne?: boolean;
  usualPort?: number | undefined;
}

/** Reads the settings. An all-in-one process, and any process in production, gets a loopback port for internal paths. */
export async function settle(
  env: Readonly<Record<string, string | undefined>>,
  { isAllInOne = false, usualPort }: Options = {},
): Promise<Config> {
  const config = parseConfig(env);
  if (!isAllInOne && (config.isDevelopment || config.INTERNAL_PORT !== undefined)) return config;
  const port = config.INTERNAL_PORT ?? (await freePort(usualPort));
  return parseConfig({ ...env, INTERNAL_PORT: String(port) }, { internalHost: LOOPBACK });
}
