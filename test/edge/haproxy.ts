import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, isListening } from '../../src/embedded/ports.ts';
import { startServer } from '../support/servers/server-process.ts';
import { tempFolder } from '../support/temp-folder.ts';

/**
 * Starts HAProxy in front of an edge. It forwards TCP and passes the visitor's address by PROXY protocol. With
 * `speaksHttpFor` it terminates HTTP instead, opens its own connection for that hostname, and sets X-Forwarded-For.
 */
export async function startHaproxy(
  edgePort: number,
  { speaksHttpFor }: { speaksHttpFor?: string } = {},
): Promise<{ port: number; stop(): Promise<void> }> {
  const port = await freePort();
  const file = join(await tempFolder(), 'haproxy.cfg');
  const [mode, serverOptions] =
    speaksHttpFor === undefined
      ? ['tcp', 'send-proxy-v2']
      : ['http', `ssl verify none sni str(${speaksHttpFor})\n  option forwardfor`];
  const text = `defaults
  mode ${mode}
  timeout connect 5s
  timeout client 30s
  timeout server 30s
listen edge
  bind 127.0.0.1:${port}
  server edge 127.0.0.1:${edgePort} ${serverOptions}
`;
  await writeFile(file, text);
  const server = await startServer('haproxy', ['-db', '-f', file], () => isListening(port));
  return { port, stop: server.stop };
}
