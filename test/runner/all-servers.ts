import { obtainGoModules, obtainPythonPackages } from '../../tools/clients/generators.ts';
import { obtainDomainConnectZone } from '../support/servers/domainconnectzone.ts';
import { obtainHypercorn } from '../support/servers/h2c-origin.ts';
import { obtainAioquic } from '../support/servers/http3.ts';
import { obtainMoto } from '../support/servers/moto.ts';
import { obtainOlderNodes } from '../support/servers/node-versions.ts';
import { announce, asCount, type Count } from './run-step.ts';
import { obtainSquawk } from '../support/servers/squawk.ts';
import { allServers } from '../support/servers/test-servers.ts';

/**
 * Fetches or builds every server before the first test, so that no test waits or competes with a compiler. Counts as
 * one check.
 */
export async function obtainAllServers(): Promise<Count> {
  announce('Servers');
  const missing: string[] = [];
  const packages = [
    obtainMoto,
    obtainDomainConnectZone,
    obtainAioquic,
    obtainHypercorn,
    obtainSquawk,
    obtainOlderNodes,
    obtainPythonPackages,
    obtainGoModules,
  ];
  for (const obtain of [...allServers({ onProgress: say }), ...packages])
    await obtain().catch((error: unknown) => missing.push(String(error)));
  missing.forEach(say);
  say(missing.length === 0 ? 'passed' : 'FAILED');
  return asCount(missing.length === 0);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
