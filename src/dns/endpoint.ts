import ipaddr from 'ipaddr.js';
import { z } from 'zod';

export interface Endpoint {
  address: string;
  port: number;
}

const DNS_PORT = 53;

/** Parses `ip`, `ip:port` or `[ipv6]:port`. A resolver is given by address, because nothing could resolve its name. */
export const endpointSchema = z.string().transform((text, context): Endpoint => {
  const parts = /^\[(?<v6>[^\]]+)\](?::(?<p6>\d+))?$|^(?<v4>[^:]+):(?<p4>\d+)$|^(?<bare>.+)$/.exec(text.trim())?.groups;
  const address = parts?.['v6'] ?? parts?.['v4'] ?? parts?.['bare'] ?? '';
  const port = Number(parts?.['p6'] ?? parts?.['p4'] ?? DNS_PORT);
  if (isIp(address) && port >= 1 && port <= 65_535) return { address, port };
  context.addIssue({ code: 'custom', message: `"${text}" is not an IP address with an optional port (1.2.3.4:53)` });
  return z.NEVER;
});

const isIp = (text: string): boolean => ipaddr.IPv6.isValid(text) || ipaddr.IPv4.isValidFourPartDecimal(text);

/** Address ranges of Cloudflare's proxy (cloudflare.com/ips). A proxied name hides the records of its owner. */
const PROXIES = {
  Cloudflare: [
    '103.21.244.0/22',
    '103.22.200.0/22',
    '103.31.4.0/22',
    '104.16.0.0/13',
    '104.24.0.0/14',
    '108.162.192.0/18',
    '131.0.72.0/22',
    '141.101.64.0/18',
    '162.158.0.0/15',
    '172.64.0.0/13',
    '173.245.48.0/20',
    '188.114.96.0/20',
    '190.93.240.0/20',
    '197.234.240.0/22',
    '198.41.128.0/17',
    '2400:cb00::/32',
    '2405:8100::/32',
    '2405:b500::/32',
    '2606:4700::/32',
    '2803:f800::/32',
    '2a06:98c0::/29',
    '2c0f:f248::/32',
  ].map((range) => ipaddr.parseCIDR(range)),
};

/** Returns the proxy network that contains all these addresses, or null. */
export function proxyOf(addresses: string[]): string | null {
  if (addresses.length === 0) return null;
  const parsed = addresses.map((address) => ipaddr.parse(address));
  const within = (ranges: [ipaddr.IPv4 | ipaddr.IPv6, number][]) =>
    parsed.every((address) => ranges.some((range) => address.kind() === range[0].kind() && address.match(range)));
  return Object.entries(PROXIES).find(([, ranges]) => within(ranges))?.[0] ?? null;
}
