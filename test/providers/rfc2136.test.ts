import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { additionOf } from '../../src/domain/zone/zone-record.ts';
import type { Credential } from '../../src/providers/contract.ts';
import { providerHttp } from '../../src/providers/toolkit/http.ts';
import { rfc2136 } from '../../src/providers/rfc2136/adapter.ts';
import { type Bind, startBind } from '../support/servers/bind.ts';
import { conformance } from './conformance.ts';
import { aloneWith } from './processes.ts';
import type { DnsLab, LabZone } from './lab.ts';
import { startTcpFaultProxy } from './tcp-fault-proxy.ts';

const ZONES = Array.from({ length: 60 }, (_, i) => `zone${i}.example.test`);

conformance('rfc2136, on a real BIND,', async (): Promise<DnsLab> => {
  const bind = await startBind(ZONES);
  const proxy = await startTcpFaultProxy(bind.port);
  const http = providerHttp();
  const unused = [...ZONES];

  const open = (zone: string, more: Credential = {}) =>
    rfc2136.open(
      {
        server: '127.0.0.1',
        port: String(proxy.port),
        zone,
        key_name: bind.key.name,
        secret: bind.key.secret,
        ...more,
      },
      { ...aloneWith(http), allowPrivate: true },
    );
  const asStranger = ({ name }: LabZone) =>
    open(name, { key_name: bind.strangerKey.name, secret: bind.strangerKey.secret });

  return {
    descriptor: rfc2136.descriptor,
    freshZone: async (records = []) => {
      const name = unused.pop() ?? '';
      const commands = records.map((seed) => {
        const host = seed.name === '' ? name : `${seed.name}.${name}`;
        return `update add ${host} ${seed.ttl} ${seed.type} ${seed.rdata}`;
      });
      if (commands.length > 0) await bind.update(name, commands);
      return { name, open: () => open(name), dump: () => bind.dump(name) };
    },
    strangerTo: ({ name }) => open(name, { key_name: 'nobody' }),
    refusals: [
      { name: 'unknown key (BADKEY)', code: 'auth_failed', provoke: ({ name }) => open(name, { key_name: 'nobody' }) },
      {
        name: 'wrong secret (BADSIG)',
        code: 'auth_failed',
        provoke: ({ name }) => open(name, { secret: bind.strangerKey.secret }),
      },
      { name: 'a key without the permission (REFUSED)', code: 'forbidden_scope', provoke: asStranger },
      { name: 'nobody listens', code: 'transient', provoke: ({ name }) => open(name, { port: '1' }) },
    ],
    disturb: (disturbance) => {
      proxy.disturbance = disturbance;
    },
    secrets: [bind.key.secret, bind.strangerKey.secret],
    logLines: () => '',
    stop: async () => {
      await proxy.stop();
      await http.close();
      await bind.stop();
    },
  };
});

describe('an unexpected zone', () => {
  let bind: Bind;
  const http = providerHttp();
  beforeAll(async () => {
    bind = await startBind(['example.test']);
  });
  afterAll(async () => {
    await http.close();
    await bind.stop();
  });
  const open = (more: Credential = {}) =>
    rfc2136.open(
      {
        server: '127.0.0.1',
        port: String(bind.port),
        zone: 'example.test',
        key_name: bind.key.name,
        secret: bind.key.secret,
        ...more,
      },
      { ...aloneWith(http), allowPrivate: true },
    );

  test('a zone that the server does not serve is not found', async () => {
    const account = open({ zone: 'elsewhere.test' });
    expect(await account.findZone('www.elsewhere.test')).toBeUndefined();
    await expect(account.verify()).rejects.toMatchObject({ code: 'zone_not_found' });
  });

  test('verification detects a key that may not update', async () => {
    const account = open({ key_name: bind.strangerKey.name, secret: bind.strangerKey.secret });
    await expect(account.verify()).rejects.toMatchObject({ code: 'forbidden_scope' });
  });

  test('a delegation is seen, and no CNAME is set next to it', async () => {
    await bind.update('example.test', ['update add sub.example.test 900 NS ns.elsewhere.test.']);
    const zone = { id: 'example.test', name: 'example.test', nameservers: [] };
    expect(await open().records(zone, ['sub.example.test'])).toMatchObject([
      { type: 'NS', value: 'ns.elsewhere.test' },
    ]);
  });

  test('next to a type that we do not read, a refused CNAME removes nothing of the owner', async () => {
    const host = 'strange.example.test';
    await bind.update('example.test', [
      `update add ${host} 900 A 192.0.2.1`,
      String.raw`update add ${host} 900 TYPE65400 \# 2 ABCD`,
    ]);
    const before = await bind.dump('example.test');
    const zone = { id: 'example.test', name: 'example.test', nameservers: [] };
    const [theirs] = await open().records(zone, [host]);
    const ours = { host, type: 'CNAME', value: 'edge.example.net', ttl: 300, priority: null } as const;

    const attempt = open().apply(zone, { add: [ours], remove: [theirs!] });

    await expect(attempt).rejects.toMatchObject({ code: 'conflict', mayHaveChanged: true });
    expect(await bind.dump('example.test')).toEqual(before);
  });

  test('capitals of owner names and targets are restored', async () => {
    const host = 'capitals.example.test';
    await bind.update('example.test', [`update add Capitals.Example.test 900 CNAME Old.Example.NET.`]);
    const before = await bind.dump('example.test');
    const zone = { id: 'example.test', name: 'example.test', nameservers: [] };
    const ours = { host, type: 'A', value: '192.0.2.9', ttl: 300, priority: null } as const;

    const { removed } = await open().apply(zone, { add: [ours], remove: await open().records(zone, [host]) });
    await open().apply(zone, { add: removed.flatMap((record) => additionOf(record) ?? []), remove: [ours] });

    expect(await bind.dump('example.test')).toEqual(before);
  });

  test('an SPF record of the old type is seen, and no CNAME is set next to it', async () => {
    await bind.update('example.test', ['update add spf.example.test 900 SPF "v=spf1 -all"']);
    const zone = { id: 'example.test', name: 'example.test', nameservers: [] };
    expect(await open().records(zone, ['spf.example.test'])).toMatchObject([{ type: 'OTHER' }]);
  });

  test('an unsigned refusal of a server is accepted, and the server is not asked repeatedly', async () => {
    const server = await refusingServer();
    await expect(open({ port: String(server.port) }).verify()).rejects.toMatchObject({
      code: 'forbidden_scope',
      retryable: false,
    });
    await server.stop();
  });

  test('a reply that was altered in transit is not trusted', async () => {
    const proxy = await startTcpFaultProxy(bind.port);
    try {
      const account = open({ port: String(proxy.port) });
      expect(await account.findZone('example.test')).toMatchObject({ name: 'example.test' });
      proxy.disturbance = 'forgery';
      await expect(account.findZone('example.test')).rejects.toMatchObject({ code: 'transient' });
    } finally {
      await proxy.stop();
    }
  });

  test('malformed credentials are refused before any request', () => {
    expect(() => open({ secret: 'not base64!' })).toThrow(/base64/);
    expect(() => open({ algorithm: 'hmac-md5' })).toThrow(/hmac-sha256/);
    expect(() => open({ port: '0' })).toThrow(/port/);
  });

  test('a tenant’s server at a private address is not dialled', async () => {
    const credential = { server: 'localhost', zone: 'example.test', key_name: 'k', secret: 'AAAA' };
    const account = rfc2136.open(credential, aloneWith(http));
    await expect(account.verify()).rejects.toMatchObject({ code: 'validation' });
  });
});

/** Answers every message over TCP with REFUSED and no signature, like servers that know neither key nor zone. */
async function refusingServer(): Promise<{ port: number; stop(): Promise<void> }> {
  const server = createServer((socket) => {
    let pending = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
        const end = 2 + pending.readUInt16BE(0);
        const header = Buffer.from(pending.subarray(2, 14));
        header.writeUInt16BE(header.readUInt16BE(2) | 0x8005, 2);
        header.fill(0, 4);
        socket.write(Buffer.concat([Buffer.from([0, 12]), header]));
        pending = pending.subarray(end);
      }
    });
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
