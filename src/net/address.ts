import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { CLOUD_HOSTS, GLOBAL_UNICAST_IPV6, NAT64_IPV6, SPECIAL_IPV4, SPECIAL_IPV6 } from './special-networks.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

export type Network = readonly [address: Address, prefix: number];

/** Networks that may be dialled although they are not public. */
export type Networks = readonly Network[];

/** Parses `10.0.0.0/8`, `fd00::/8` or a single address. Returns undefined for anything else. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', prefix, more] = text.split('/');
  const parsed = parseAddress(address);
  if (parsed === undefined || more !== undefined) return undefined;
  const bits = parsed.kind() === 'ipv4' ? 32 : 128;
  if (prefix === undefined) return [parsed, bits];
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits ? [parsed, Number(prefix)] : undefined;
}

export const networkText = ([address, prefix]: Network): string => `${address.toString()}/${prefix}`;

const networks = (texts: readonly string[]): Networks => texts.map((text) => ipaddr.parseCIDR(text));

/** RFC 1918 and RFC 4193. */
export const PRIVATE_NETWORKS = networks(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']);
export const LOOPBACK_NETWORKS = networks(['127.0.0.0/8', '::1/128']);
/** Every address; for tests only. */
export const EVERY_NETWORK = networks(['0.0.0.0/0', '::/0']);
export const NO_NETWORKS: Networks = [];

const special = networks([...SPECIAL_IPV4, ...SPECIAL_IPV6].map(([network]) => network));
const cloudHosts = networks(CLOUD_HOSTS.map(([network]) => network));
const [globalUnicast, nat64] = [ipaddr.parseCIDR(GLOBAL_UNICAST_IPV6), ipaddr.parseCIDR(NAT64_IPV6)];

/** Parses an address. An IPv4-mapped one (`::ffff:127.0.0.1`) becomes IPv4, because the kernel dials the same host. */
const parseAddress = (text: string): Address | undefined =>
  isIP(text) === 0 ? undefined : ipaddr.process(text.replace(DOTTED_END, inGroups));

/** The library reads `::127.0.0.1` as `::ffff:127.0.0.1`, a different address. It reads groups correctly. */
const DOTTED_END = /(?<=:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/;
const inGroups = (_dotted: string, ...bytes: string[]): string => {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};

/** Returns the canonical spelling of an address. Other text is returned unchanged. */
export const canonicalAddress = (text: string): string => parseAddress(text)?.toString() ?? text;

/** Returns the network of one subscriber: an IPv4 address, or a /64 of IPv6. Other text is returned unchanged. */
export function subscriberNetwork(text: string): string {
  const address = parseAddress(text);
  return address instanceof ipaddr.IPv6 ? `${address.parts.slice(0, 4).join(':')}/64` : (address?.toString() ?? text);
}

export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && isPublic(address);
}

export function isAllowedAddress(text: string, allowed: Networks): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  if (isPublic(address)) return true;
  const isCloudHost = includes(cloudHosts, address);
  return includes(isCloudHost ? allowed.filter(isSingleAddress) : allowed, address);
}

export const isLoopbackAddress = (text: string): boolean => isAmong(LOOPBACK_NETWORKS, text);

/** Whether an address reaches the machine that dials it: a loopback address or the unspecified address. */
export const isLocalAddress = (text: string): boolean => isAmong(localNetworks, text);
const localNetworks = [...LOOPBACK_NETWORKS, ...networks(['0.0.0.0/8', '::/128'])];

function isAmong(list: Networks, text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && includes(list, address);
}

/** Returns the addresses at which packets to this one can arrive: itself, and the IPv4 address inside NAT64. */
export function destinationsOf(text: string): string[] {
  const address = parseAddress(text);
  if (address === undefined) return [];
  return [address, ...(includes([nat64], address) ? [embeddedIpv4(address)] : [])].map(String);
}

function isPublic(address: Address): boolean {
  if (includes([nat64], address)) return isPublic(embeddedIpv4(address));
  if (address.kind() === 'ipv6' && !includes([globalUnicast], address)) return false;
  return !includes(special, address) && !includes(cloudHosts, address);
}

const embeddedIpv4 = (address: Address): ipaddr.IPv4 => new ipaddr.IPv4(address.toByteArray().slice(-4));

const includes = (list: Networks, address: Address): boolean =>
  list.some(([network, prefix]) => network.kind() === address.kind() && address.match([network, prefix] as never));

const isSingleAddress = ([address, prefix]: Network): boolean => prefix === (address.kind() === 'ipv4' ? 32 : 128);
