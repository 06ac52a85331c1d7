import { createObserver } from '../../src/dns/observer.ts';
import type { Observer } from '../../src/domain/observation/observer.ts';
import { TTL_DEFAULT, type DnsRecord, type RecordType } from '../../src/domain/record.ts';
import { freeDnsPort, loopbackAddresses } from './dns-port.ts';
import { startPowerDns, type PowerDns } from './powerdns.ts';
import { startRecursor } from './recursor.ts';

/** The DNS of a small world under `.test`: a real authoritative server, a real caching resolver, and observer on both. */
export interface Laboratory {
  powerdns: PowerDns;
  recursor: { address: string; port: number };
  observer: Observer;
  /** A new domain with a name of its own, served by the laboratory's server. */
  domain(options?: { negativeTtl?: number; signed?: boolean }): Promise<string>;
  stop(): Promise<void>;
}

export const EDGE = { target: 'edge.saas.test', ipv4: '192.0.2.80', ipv6: '2001:db8::80' };
const NAMESERVER = 'ns1.lab.test';

export async function startLaboratory(): Promise<Laboratory> {
  const [authority = '', resolver = ''] = loopbackAddresses(2);
  const port = await freeDnsPort([authority]);
  const powerdns = await startPowerDns(authority, port);
  await powerdns.zone('test', [NAMESERVER]);
  await powerdns.set('test', NAMESERVER, 'A', authority);
  await powerdns.zone('saas.test', [NAMESERVER]);
  await powerdns.set('saas.test', EDGE.target, 'A', EDGE.ipv4);
  await powerdns.set('saas.test', EDGE.target, 'AAAA', EDGE.ipv6);
  const recursor = { address: resolver, port: await freeDnsPort([resolver]) };
  const process = await startRecursor(recursor.address, recursor.port, { forward: { test: powerdns } });
  const observer = createObserver(eyesOn(recursor, port));
  return {
    powerdns,
    recursor,
    observer,
    async domain(options) {
      const name = `customer-${crypto.randomUUID().slice(0, 8)}.test`;
      await powerdns.zone(name, [NAMESERVER], options);
      return name;
    },
    async stop() {
      await observer.close();
      await Promise.all([process.stop(), powerdns.stop()]);
    },
  };
}

/** An observer through a resolver of its own that validates by these DS records, which the zones above publish too. */
export async function eyesTrusting(
  { powerdns }: Laboratory,
  anchors: Record<string, string>,
): Promise<{ observer: Observer; stop(): Promise<void> }> {
  for (const [zone, ds] of Object.entries(anchors))
    await powerdns.set(zone.split('.').slice(1).join('.'), zone, 'DS', ds);
  const [address = ''] = loopbackAddresses(1);
  const recursor = await startRecursor(address, await freeDnsPort([address]), { forward: { test: powerdns }, anchors });
  const observer = createObserver(eyesOn(recursor, powerdns.port));
  return {
    observer,
    async stop() {
      await observer.close();
      await recursor.stop();
    },
  };
}

/** Options for observer in a laboratory: loopback is allowed, and silence is noticed quickly. */
export const eyesOn = (resolver: { address: string; port: number }, authoritativePort: number) => ({
  resolvers: [`${resolver.address}:${resolver.port}`],
  authoritativePort,
  allowPrivate: true,
  timeouts: { udpMs: 300, tcpMs: 500 },
});

export const wantedRecord = (
  host: string,
  type: RecordType,
  value: string,
  priority: number | null = null,
): DnsRecord => ({
  host,
  type,
  value,
  ttl: TTL_DEFAULT,
  priority,
});
