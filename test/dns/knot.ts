import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answersDns } from '../support/dns-ask.ts';
import { startServer, type ServerProcess } from '../support/servers/server-process.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** A second implementation of an authoritative server, which does not follow a CNAME out of a zone. */
export async function startKnot(address: string, port: number, zones: Record<string, string>): Promise<ServerProcess> {
  const folder = await tempFolder();
  await mkdir(join(folder, 'zones'));
  for (const [zone, text] of Object.entries(zones)) await writeFile(join(folder, 'zones', `${zone}.zone`), text);
  const config = [
    'server:',
    `    rundir: "${folder}"`,
    `    listen: ${address}@${port}`,
    '    background-workers: 1',
    '    udp-workers: 1',
    '    tcp-workers: 1',
    'database:',
    `    storage: "${folder}"`,
    'template:',
    '  - id: default',
    `    storage: "${join(folder, 'zones')}"`,
    '    file: "%s.zone"',
    '    semantic-checks: off',
    'zone:',
    ...Object.keys(zones).map((zone) => `  - domain: ${zone}`),
  ];
  await writeFile(join(folder, 'knot.conf'), config.join('\n'));
  return startServer('knotd', ['-c', join(folder, 'knot.conf')], () => answersDns({ address, port }));
}
