import { readdir, readFile, readlink } from 'node:fs/promises';

/** Returns the TCP ports on which a process listens, including ports that no option controls; empty without /proc. */
export async function listeningPorts(pid: number): Promise<number[]> {
  const folder = `/proc/${pid}/fd`;
  const files = await readdir(folder).catch(() => []);
  const links = await Promise.all(files.map((file) => readlink(`${folder}/${file}`).catch(() => '')));
  const sockets = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => ''))); // prettier-ignore
  const rows = tables.flatMap((table) => table.split('\n').map((row) => row.trim().split(/\s+/)));
  const ports = rows.flatMap(([, local = '', , state, , , , , , inode = '']) =>
    state === LISTENING && sockets.has(inode) ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : [],
  );
  return [...new Set(ports)];
}

/** TCP_LISTEN of the kernel, in hexadecimal. */
const LISTENING = '0A';
