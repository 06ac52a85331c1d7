import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { answersDns } from '../dns-ask.ts';
import { freeDnsPort } from '../fixtures/dns-port.ts';
import { startServer } from './server-process.ts';
import { POWERDNS_SCHEMA } from '../../runner/system-files.ts';
import { tempFolder } from '../temp-folder.ts';

const API_KEY = 'laboratory';

/** A real authoritative server whose zones the tests edit while it runs. */
export interface PowerDns {
  address: string;
  port: number;
  apiUrl: string;
  apiKey: string;
  /** Creates a zone. `signed` turns DNSSEC on. */
  zone(name: string, nameservers: string[], options?: { negativeTtl?: number; signed?: boolean }): Promise<void>;
  /** Replaces a record set; without values, deletes it. Values are in presentation format, as in a zone file. */
  set(zone: string, name: string, type: string, ...values: string[]): Promise<void>;
  /** Returns every record of a zone as the server's API returns it, without the SOA, whose serial changes. */
  dump(zone: string): Promise<string[]>;
  /** Returns the DS records (SHA-256) that a parent would publish for a signed zone. */
  ds(zone: string): Promise<string[]>;
  stop(): Promise<void>;
}

export async function startPowerDns(address: string, port: number): Promise<PowerDns> {
  const folder = await tempFolder();
  const apiPort = await freeDnsPort();
  const database = new DatabaseSync(join(folder, 'pdns.sqlite3'));
  database.exec(await readFile(POWERDNS_SCHEMA, 'utf8'));
  database.close();
  const settings = {
    launch: 'gsqlite3',
    'gsqlite3-database': join(folder, 'pdns.sqlite3'),
    'gsqlite3-dnssec': 'yes',
    'local-address': address,
    'local-port': port,
    api: 'yes',
    'api-key': API_KEY,
    webserver: 'yes',
    'webserver-address': '127.0.0.1',
    'webserver-port': apiPort,
    'socket-dir': folder,
    'cache-ttl': 0,
    'query-cache-ttl': 0,
    'negquery-cache-ttl': 0,
    'zone-cache-refresh-interval': 0,
    'distributor-threads': 1,
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  await writeFile(join(folder, 'pdns.conf'), lines.join('\n'));
  const server = await startServer('pdns_server', [`--config-dir=${folder}`], () => answersDns({ address, port }));

  /** Calls the API. Its database refuses a change that meets another one, so a 500 is tried again. */
  async function call(method: string, path: string, body?: unknown, attempts = 20): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${apiPort}/api/v1/servers/localhost${path}`, {
      method,
      headers: { 'X-API-Key': API_KEY },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status === 500 && attempts > 1) {
      await pause(100);
      return call(method, path, body, attempts - 1);
    }
    if (!response.ok) throw new Error(`PowerDNS refused ${method} ${path}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  const rrset = (name: string, type: string, values: string[], ttl = 60) => ({
    name: `${name}.`,
    type,
    ttl,
    changetype: values.length > 0 ? 'REPLACE' : 'DELETE',
    records: values.map((content) => ({ content, disabled: false })),
  });

  return {
    address,
    port,
    apiUrl: `http://127.0.0.1:${apiPort}`,
    apiKey: API_KEY,
    async zone(name, nameservers, { negativeTtl = 60, signed = false } = {}) {
      await call('POST', '/zones', {
        name: `${name}.`,
        kind: 'Native',
        nameservers: nameservers.map((ns) => `${ns}.`),
      });
      const soa = `${nameservers[0]}. hostmaster.${name}. 1 3600 600 86400 ${negativeTtl}`;
      await call('PATCH', `/zones/${name}.`, { rrsets: [rrset(name, 'SOA', [soa], negativeTtl)] });
      if (signed) await call('PUT', `/zones/${name}.`, { dnssec: true });
    },
    async set(zone, name, type, ...values) {
      await call('PATCH', `/zones/${zone}.`, { rrsets: [rrset(name, type, values)] });
    },
    async dump(zone) {
      const { rrsets } = (await call('GET', `/zones/${zone}.`)) as {
        rrsets: { name: string; type: string; ttl: number; records: object[] }[];
      };
      return rrsets
        .filter(({ type }) => type !== 'SOA')
        .flatMap(({ name, type, ttl, records }) => records.map((record) => JSON.stringify([name, type, ttl, record])))
        .sort();
    },
    async ds(zone) {
      const keys = (await call('GET', `/zones/${zone}./cryptokeys`)) as { ds?: string[] }[];
      return keys.flatMap((key) => key.ds ?? []).filter((ds) => ds.split(' ')[2] === '2');
    },
    stop: () => server.stop(),
  };
}
