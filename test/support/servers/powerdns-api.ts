import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { freePorts, isListening } from '../../../src/embedded/ports.ts';
import { startServer } from './server-process.ts';
import { POWERDNS_SCHEMA } from '../../runner/system-files.ts';
import { tempFolder } from '../temp-folder.ts';

const API_KEY = 'powerdns-laboratory-key';

/** A real PowerDNS Authoritative Server with its HTTP API (Debian: pdns-server, pdns-backend-sqlite3). */
export interface PowerDnsApi {
  apiUrl: string;
  apiKey: string;
  createZone(name: string, rrsets?: readonly PowerDnsSet[]): Promise<void>;
  /** Returns every record set of a zone as the server prints it, without the SOA, whose serial changes. */
  dump(name: string): Promise<string[]>;
  stop(): Promise<void>;
}

export interface PowerDnsSet {
  name: string;
  type: string;
  ttl: number;
  records: readonly { content: string; disabled: boolean }[];
  comments?: readonly { content: string; account: string }[];
}

export async function startPowerDnsApi(): Promise<PowerDnsApi> {
  const folder = await tempFolder();
  const [dnsPort, apiPort] = await freePorts([undefined, undefined]);
  await writeFile(join(folder, 'pdns.conf'), settings(folder, dnsPort, apiPort));
  const database = new DatabaseSync(join(folder, 'pdns.sqlite3'));
  database.exec(await readFile(POWERDNS_SCHEMA, 'utf8'));
  database.close();
  const server = await startServer('pdns_server', [`--config-dir=${folder}`], () => isListening(apiPort));

  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const zones = `${apiUrl}/api/v1/servers/localhost/zones`;
  const headers = { 'x-api-key': API_KEY, 'content-type': 'application/json' };
  return {
    apiUrl,
    apiKey: API_KEY,
    createZone: async (name, rrsets = []) => {
      const body = { name: `${name}.`, kind: 'Native', nameservers: ['ns1.dns.test.'], rrsets };
      const answer = await fetch(zones, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`PowerDNS refused the zone ${name}: ${await answer.text()}`);
    },
    dump: async (name) => {
      const zone = (await (await fetch(`${zones}/${name}.`, { headers })).json()) as { rrsets: PowerDnsSet[] };
      return zone.rrsets
        .filter((set) => set.type !== 'SOA')
        .flatMap((set) =>
          set.records.map((record) => JSON.stringify([set.name, set.type, set.ttl, record, commentsOf(set)])),
        )
        .sort();
    },
    stop: server.stop,
  };
}

/** Comments without the time of their last change, which cannot be restored. */
const commentsOf = ({ comments = [] }: PowerDnsSet) => comments.map(({ content, account }) => [content, account]);

/** Caches are off, so that a change is served immediately. The server sends no queries. */
const settings = (folder: string, dnsPort: number, apiPort: number): string => `
launch=gsqlite3
gsqlite3-database=${folder}/pdns.sqlite3
gsqlite3-pragma-synchronous=0
local-address=127.0.0.1
local-port=${dnsPort}
socket-dir=${folder}
daemon=no
guardian=no
disable-syslog=yes
security-poll-suffix=
receiver-threads=1
distributor-threads=1
cache-ttl=0
query-cache-ttl=0
negquery-cache-ttl=0
zone-cache-refresh-interval=0
api=yes
api-key=${API_KEY}
webserver=yes
webserver-address=127.0.0.1
webserver-port=${apiPort}
webserver-allow-from=127.0.0.1
`;
