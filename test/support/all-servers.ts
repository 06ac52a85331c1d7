import { obtainServer, SERVERS, type ServerName } from '../../src/embedded/servers.ts';
import { announce, asCount, type Count } from './run-step.ts';

/** Fetches or builds every server before the first test, so that no test waits, or competes with a compiler. One check. */
export async function obtainAllServers(): Promise<Count> {
  announce('Servers');
  const missing: string[] = [];
  for (const name of Object.keys(SERVERS) as ServerName[])
    await obtainServer(name, { onProgress: say }).catch((error: unknown) => missing.push(String(error)));
  missing.forEach(say);
  say(missing.length === 0 ? 'passed' : 'FAILED');
  return asCount(missing.length === 0);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
