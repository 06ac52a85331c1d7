/** Networks outside the public internet: IANA's special-purpose registries, multicast and deprecated ranges. */
export const SPECIAL_IPV4 = [
  ['0.0.0.0/8', 'this network (RFC 791)'],
  ['10.0.0.0/8', 'private use (RFC 1918)'],
  ['100.64.0.0/10', 'shared address space (RFC 6598), Alibaba Cloud’s metadata at 100.100.100.200'],
  ['127.0.0.0/8', 'loopback (RFC 1122)'],
  ['169.254.0.0/16', 'link local (RFC 3927), the metadata of most clouds at 169.254.169.254'],
  ['172.16.0.0/12', 'private use (RFC 1918)'],
  ['192.0.0.0/24', 'IETF protocol assignments (RFC 6890), Oracle Cloud’s metadata at 192.0.0.192'],
  ['192.0.2.0/24', 'documentation (RFC 5737)'],
  ['192.31.196.0/24', 'AS112 (RFC 7535)'],
  ['192.52.193.0/24', 'AMT (RFC 7450)'],
  ['192.88.99.0/24', '6to4 relay anycast, deprecated (RFC 7526)'],
  ['192.168.0.0/16', 'private use (RFC 1918)'],
  ['192.175.48.0/24', 'AS112 direct delegation (RFC 7534)'],
  ['198.18.0.0/15', 'benchmarking (RFC 2544)'],
  ['198.51.100.0/24', 'documentation (RFC 5737)'],
  ['203.0.113.0/24', 'documentation (RFC 5737)'],
  ['224.0.0.0/4', 'multicast (RFC 5771)'],
  ['240.0.0.0/4', 'reserved, and limited broadcast (RFC 1112, RFC 8190)'],
] as const;

/** The only part of IPv6 from which IANA assigns unicast addresses. Everything outside is special or unassigned. */
export const GLOBAL_UNICAST_IPV6 = '2000::/3';

/** Exceptions within the global unicast range. */
export const SPECIAL_IPV6 = [
  ['2001::/23', 'IETF protocol assignments (RFC 2928): Teredo, benchmarking, AMT, AS112, ORCHID, DRIP'],
  ['2001:db8::/32', 'documentation (RFC 3849)'],
  ['2002::/16', '6to4 (RFC 3056), which carries any IPv4 address'],
  ['2620:4f:8000::/48', 'AS112 direct delegation (RFC 7534)'],
  ['3fff::/20', 'documentation (RFC 9637)'],
] as const;

/** NAT64 (RFC 6052). A gateway forwards packets to the IPv4 address in the last 32 bits. */
export const NAT64_IPV6 = '64:ff9b::/96';

/** Addresses of clouds' metadata and host agents. Only a network of exactly this address allows one. */
export const CLOUD_HOSTS = [
  ['168.63.129.16/32', 'Azure’s host'],
  ['169.254.169.254/32', 'metadata of AWS, Azure, Google Cloud, Oracle Cloud, DigitalOcean, Hetzner and others'],
  ['169.254.170.2/32', 'credentials of AWS ECS tasks'],
  ['169.254.170.23/32', 'credentials of AWS EKS pods'],
  ['192.0.0.192/32', 'metadata of Oracle Cloud'],
  ['100.100.100.200/32', 'metadata of Alibaba Cloud'],
  ['fd00:ec2::254/128', 'metadata of AWS'],
  ['fd00:ec2::23/128', 'credentials of AWS EKS pods'],
  ['fd20:ce::254/128', 'metadata of Google Cloud'],
  ['fd00:42::42/128', 'metadata of Scaleway'],
] as const;
