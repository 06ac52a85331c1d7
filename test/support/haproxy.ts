import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, isListening } from '../../src/embedded/ports.ts';
import { startServer } from './server-process.ts';
import { tempFolder } from './temp-folder.ts';

/** HAProxy before an edge: it passes TCP on and says by PROXY protocol who the visitor is. */
export async function startHaproxy(edgePort: number): Promise<{ port: number; stop(): Promise<void> }> {
  const port = await freePort();
  const file = join(await tempFolder(), 'haproxy.cfg');
  const text = `defaults
  mode tcp
  timeout connect 5s
  timeout client 30s
  timeout server 30s
listen edge
  bind 127.0.0.1:${port}
  server edge 127.0.0.1:${edgePort} send-proxy-v2
`;
  await writeFile(file, text);
  const server = await startServer('/usr/sbin/haproxy', ['-db', '-f', file], () => isListening(port));
  return { port, stop: server.stop };
}
