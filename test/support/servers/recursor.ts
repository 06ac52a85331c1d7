import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { answersDns } from '../dns-ask.ts';
import { startServer, type ServerProcess } from './server-process.ts';
import { tempFolder } from '../temp-folder.ts';

export interface Recursor extends ServerProcess {
  address: string;
  port: number;
  /** Drops a name and every name below it from the cache. */
  flush(name: string): Promise<void>;
}

/** A real caching resolver that resolves only the lab's zones, and validates the zones with a trust anchor. */
export async function startRecursor(
  address: string,
  port: number,
  {
    forward,
    anchors = {},
  }: { forward: Record<string, { address: string; port: number }>; anchors?: Record<string, string> },
): Promise<Recursor> {
  const folder = await tempFolder();
  const zones = Object.entries(forward).map(([zone, server]) => `${zone}=${server.address}:${server.port}`);
  const trust = Object.entries(anchors).map(([zone, ds]) => `addTA('${zone}', "${ds}")`);
  await writeFile(join(folder, 'recursor.lua'), ['clearTA()', ...trust].join('\n'));
  const settings = {
    'local-address': address,
    'local-port': port,
    // With RD, because a recursor without it would query the servers of the zones at port 53.
    'forward-zones-recurse': zones.join(','),
    'allow-from': '127.0.0.0/8',
    'dont-query': '',
    'socket-dir': folder,
    'lua-config-file': join(folder, 'recursor.lua'),
    dnssec: 'validate',
    'hint-file': 'no',
    'max-negative-ttl': 3_600,
    // Otherwise the gaps of a signed zone would deny names that a test adds a moment later.
    'aggressive-nsec-cache-size': 0,
    threads: 1,
    'security-poll-suffix': '',
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  await writeFile(join(folder, 'recursor.conf'), lines.join('\n'));
  const args = [`--config-dir=${folder}`, '--daemon=no', '--disable-syslog=yes', '--write-pid=no'];
  const server = await startServer('pdns_recursor', args, () => answersDns({ address, port }));
  return {
    ...server,
    address,
    port,
    async flush(name) {
      await promisify(execFile)('rec_control', [`--socket-dir=${folder}`, 'wipe-cache', `${name}$`]);
    },
  };
}
