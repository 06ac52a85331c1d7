import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, isListening } from '../../../src/embedded/ports.ts';
import { startServer } from './server-process.ts';
import { tempFolder } from '../temp-folder.ts';

/** A real BIND on loopback that accepts TSIG-signed updates (Debian: bind9, bind9-dnsutils for dig and nsupdate). */
export interface Bind {
  port: number;
  /** Key that may update every zone. */
  key: TsigSecret;
  /** Key that the server knows, but that has no permission. */
  strangerKey: TsigSecret;
  zones: readonly string[];
  /** Runs nsupdate commands for a zone, as another program of the customer would. */
  update(zone: string, commands: readonly string[]): Promise<void>;
  /** Returns every record of a zone as dig prints it, without the SOA, whose serial changes. */
  dump(zone: string): Promise<string[]>;
  stop(): Promise<void>;
}

export interface TsigSecret {
  name: string;
  secret: string;
}

export async function startBind(
  zones: readonly string[],
  options: { port?: number; nameserver?: string } = {},
): Promise<Bind> {
  const folder = await tempFolder();
  const { port = await freePort(), nameserver = 'ns1.dns.test' } = options;
  const at = { address: '127.0.0.1', port };
  const key = { name: 'updater', secret: randomBytes(32).toString('base64') };
  const strangerKey = { name: 'stranger', secret: randomBytes(32).toString('base64') };
  for (const zone of zones) await writeFile(join(folder, `${zone}.zone`), zoneFile(nameserver));
  await writeFile(join(folder, 'named.conf'), settings(folder, port, zones, [key, strangerKey]));
  const args = ['-f', '-n', '1', '-c', join(folder, 'named.conf')];
  const server = await startServer('named', args, () => isListening(port));
  return {
    port,
    key,
    strangerKey,
    zones,
    update: (zone, commands) => nsupdate(at, key, [`zone ${zone}`, ...commands, 'send']),
    dump: (zone) => dumpZone(at, key, zone),
    stop: server.stop,
  };
}

interface Address {
  address: string;
  port: number;
}

/** Returns every record of a zone as dig prints it, without the SOA. */
export async function dumpZone({ address, port }: Address, key: TsigSecret, zone: string): Promise<string[]> {
  const from = [`@${address}`, '-p', String(port), '-y', `hmac-sha256:${key.name}:${key.secret}`];
  const format = ['+nocmd', '+nocomments', '+nostats', '+tcp'];
  const { stdout } = await promisify(execFile)('dig', [...from, zone, 'AXFR', ...format]);
  const lines = stdout.split('\n').map((line) => line.replace(/\s+/, ' ').trim());
  return lines.filter((line) => line !== '' && !/\s(IN\s+SOA|ANY\s+TSIG)\s/.test(line)).sort();
}

/** Runs nsupdate, another program that changes the zone. */
export async function nsupdate(
  { address, port }: Address,
  key: TsigSecret,
  commands: readonly string[],
): Promise<void> {
  const child = spawn('nsupdate', ['-v', '-y', `hmac-sha256:${key.name}:${key.secret}`], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  child.stdin.end([`server ${address} ${port}`, ...commands, ''].join('\n'));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`nsupdate failed: ${errors.join('')}`);
}

const zoneFile = (nameserver: string): string => `$TTL 3600
@ SOA ${nameserver}. hostmaster.dns.test. 1 3600 600 86400 60
@ NS ${nameserver}.
`;

const settings = (folder: string, port: number, zones: readonly string[], keys: readonly TsigSecret[]): string => `
options {
  directory "${folder}";
  pid-file none;
  session-keyfile none;
  listen-on port ${port} { 127.0.0.1; };
  listen-on-v6 { none; };
  recursion no;
  dnssec-validation no;
  allow-transfer { 127.0.0.1; };
  tcp-clients 300;
  max-records-per-type 0;
};
controls { };
${keys.map(({ name, secret }) => `key "${name}" { algorithm hmac-sha256; secret "${secret}"; };`).join('\n')}
${zones
  .map((zone) => `zone "${zone}" { type primary; file "${zone}.zone"; allow-update { key "${keys[0]?.name}"; }; };`)
  .join('\n')}
`;
