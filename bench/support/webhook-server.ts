import { Lifecycle } from '../../src/main/lifecycle.ts';
import { runWorker } from '../../src/main/parts.ts';
import { openBenchWorker } from './graph.ts';

/** Runs the service's worker in a separate process. It may post to this machine. */
const [databaseUrl = '', temporalAddress = '', credentialKeys = '', cacheDir = ''] = process.argv.slice(2);
const env = {
  TEMPORAL_ADDRESS: temporalAddress,
  CREDENTIAL_KEYS: credentialKeys,
  WIDGET_TOKEN_KEYS: credentialKeys,
  CURSOR_KEY: credentialKeys,
  WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8',
  DNS_RESOLVERS: '127.0.0.1:9',
  LOG_LEVEL: 'error',
  LOG_FORMAT: 'json',
};
const lifecycle = new Lifecycle();
const graph = await openBenchWorker(env, databaseUrl);
lifecycle.add('connections', { stop: () => graph.close() });
await runWorker(graph, lifecycle, cacheDir);
process.on('disconnect', () => void lifecycle.stop().then(() => process.exit(0)));
process.send?.('ready');
