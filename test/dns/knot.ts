import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answersDns } from '../support/dns-ask.ts';
import type { TsigSecret } from '../support/servers/bind.ts';
import { startServer, type ServerProcess } from '../support/servers/server-process.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** A second implementation of an authoritative server, which does not follow a CNAME out of a zone. */
export async function startKnot(
  address: string,
  port: number,
  zones: Record<string, string>,
  /** Key that may update and transfer every zone. */
  key: TsigSecret = { name: 'unused', secret: '' },
): Promise<ServerProcess> {
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
    'key:',
    `  - id: ${key.name}`,
    '    algorithm: hmac-sha256',
    `    secret: "${key.secret}"`,
    'acl:',
    '  - id: updates',
    `    key: ${key.name}`,
    '    action: [update, transfer]',
    'database:',
    `    storage: "${folder}"`,
    'template:',
    '  - id: default',
    `    storage: "${join(folder, 'zones')}"`,
    '    file: "%s.zone"',
    '    semantic-checks: off',
    '    acl: updates',
    'zone:',
    ...Object.keys(zones).map((zone) => `  - domain: ${zone}`),
  ];
  await writeFile(join(folder, 'knot.conf'), config.join('\n'));
  return startServer('knotd', ['-c', join(folder, 'knot.conf')], () => answersDns({ address, port }));
}
