import { ConfigError, parseConfig, readEnvironment } from '../config.ts';
import { prepareDatabase } from './database.ts';
import { isDatabaseProblem } from './database-problem.ts';
import { openCore, type Core } from './core.ts';
import { Lifecycle, untilStopped } from './lifecycle.ts';
import { databaseExchange, openOwnListeners } from './own-listeners.ts';
import { providerUrls } from './provider-urls.ts';
import { settle } from './settle.ts';
import { openTraces } from './traces.ts';

/** Runs the API or a worker against the operator's database and Temporal. */
export async function runProcess(
  name: 'api' | 'worker',
  start: (core: Core, databaseUrl: string, lifecycle: Lifecycle) => Promise<{ died?: Promise<string> }>,
): Promise<void> {
  const lifecycle = new Lifecycle();
  try {
    const env = readEnvironment();
    const config = name === 'api' ? await settle(env) : parseConfig(env);
    providerUrls(env); // refuses wrong settings before anything is changed
    await openTraces(env, config, name, lifecycle);
    const urls = await prepareDatabase(config);
    const own = await openOwnListeners(config, lifecycle, { exchange: databaseExchange(urls[name]) });
    const core = openCore(config, env, name, own);
    lifecycle.add('clients', { stop: () => core.close() });
    const parts = await start(core, urls[name], lifecycle);
    core.log.info(`The ${name} is ready.`);
    const end = await untilStopped(parts.died ?? new Promise(() => undefined));
    core.log.info(end, `The ${name} stops: finishing what is under way.`);
    await lifecycle.stop(core.log);
    process.exitCode = 'died' in end ? 1 : 0;
  } catch (error) {
    await lifecycle.stop();
    console.error(sentenceOf(error));
    process.exitCode = 1;
  }
}

/** Returns one sentence for an error that the operator can fix; other errors keep their stack. */
export function sentenceOf(error: unknown): unknown {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof Error && ['StartError', 'PortTaken', 'TracingSettingError'].includes(error.name))
    return error.message;
  return isDatabaseProblem(error) ?? error;
}
