import fc from 'fast-check';
import {
  EVERY_NETWORK,
  isAllowedAddress,
  isLocalAddress,
  isLoopbackAddress,
  isPublicAddress,
  LOOPBACK_NETWORKS,
  NO_NETWORKS,
  parseNetwork,
  PRIVATE_NETWORKS,
} from '../../src/net/address.ts';

/** Rows of the registry: the first and last address of the block, and its neighbors outside where they are public. */
const IPV4: [network: string, inside: [string, string], outside: string[]][] = [
  ['0.0.0.0/8', ['0.0.0.0', '0.255.255.255'], ['1.0.0.0']],
  ['10.0.0.0/8', ['10.0.0.0', '10.255.255.255'], ['9.255.255.255', '11.0.0.0']],
  ['100.64.0.0/10', ['100.64.0.0', '100.127.255.255'], ['100.63.255.255', '100.128.0.0']],
  ['127.0.0.0/8', ['127.0.0.0', '127.255.255.255'], ['126.255.255.255', '128.0.0.0']],
  ['169.254.0.0/16', ['169.254.0.0', '169.254.255.255'], ['169.253.255.255', '169.255.0.0']],
  ['172.16.0.0/12', ['172.16.0.0', '172.31.255.255'], ['172.15.255.255', '172.32.0.0']],
  ['192.0.0.0/24', ['192.0.0.0', '192.0.0.255'], ['191.255.255.255', '192.0.1.0']],
  ['192.0.0.0/29, 192.0.0.8/32, 192.0.0.9/32', ['192.0.0.7', '192.0.0.9'], []],
  ['192.0.0.10/32, 192.0.0.170/32, 192.0.0.171/32', ['192.0.0.10', '192.0.0.171'], []],
  ['192.0.2.0/24', ['192.0.2.0', '192.0.2.255'], ['192.0.1.255', '192.0.3.0']],
  ['192.31.196.0/24', ['192.31.196.0', '192.31.196.255'], ['192.31.195.255', '192.31.197.0']],
  ['192.52.193.0/24', ['192.52.193.0', '192.52.193.255'], ['192.52.192.255', '192.52.194.0']],
  ['192.88.99.0/24', ['192.88.99.0', '192.88.99.255'], ['192.88.98.255', '192.88.100.0']],
  ['192.168.0.0/16', ['192.168.0.0', '192.168.255.255'], ['192.167.255.255', '192.169.0.0']],
  ['192.175.48.0/24', ['192.175.48.0', '192.175.48.255'], ['192.175.47.255', '192.175.49.0']],
  ['198.18.0.0/15', ['198.18.0.0', '198.19.255.255'], ['198.17.255.255', '198.20.0.0']],
  ['198.51.100.0/24', ['198.51.100.0', '198.51.100.255'], ['198.51.99.255', '198.51.101.0']],
  ['203.0.113.0/24', ['203.0.113.0', '203.0.113.255'], ['203.0.112.255', '203.0.114.0']],
  ['224.0.0.0/4', ['224.0.0.0', '239.255.255.255'], ['223.255.255.255']],
  ['240.0.0.0/4', ['240.0.0.0', '255.255.255.254'], []],
  ['255.255.255.255/32', ['255.255.255.255', '255.255.255.255'], []],
  ['168.63.129.16/32 (Azure)', ['168.63.129.16', '168.63.129.16'], ['168.63.129.15', '168.63.129.17']],
];

const IPV6: typeof IPV4 = [
  ['::/128', ['::', '::'], []],
  ['::1/128', ['::1', '::1'], []],
  ['::/96 (IPv4-compatible)', ['::127.0.0.1', '::8.8.8.8'], []],
  ['::ffff:0:0:0/96 (IPv4-translated)', ['::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'], []],
  ['64:ff9b:1::/48', ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'], []],
  ['100::/64', ['100::', '100::ffff:ffff:ffff:ffff'], []],
  ['100:0:0:1::/64', ['100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'], []],
  ['2001::/23', ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'], ['2000:ffff::', '2001:200::']],
  ['2001::/32 (Teredo)', ['2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'], []],
  ['2001:1::1/128, ::2/128, ::3/128', ['2001:1::1', '2001:1::3'], []],
  ['2001:2::/48', ['2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'], []],
  ['2001:3::/32', ['2001:3::', '2001:3:ffff:ffff:ffff:ffff:ffff:ffff'], []],
  ['2001:4:112::/48', ['2001:4:112::', '2001:4:112:ffff:ffff:ffff:ffff:ffff'], []],
  ['2001:10::/28', ['2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'], []],
  ['2001:20::/28', ['2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'], []],
  ['2001:30::/28', ['2001:30::', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff'], []],
  ['2001:db8::/32', ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'], ['2001:db7:ffff::', '2001:db9::']],
  ['2002::/16 (6to4)', ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], ['2001:ffff::', '2003::']],
  ['2620:4f:8000::/48', ['2620:4f:8000::', '2620:4f:8000:ffff::'], ['2620:4f:7fff::', '2620:4f:8001::']],
  ['3fff::/20', ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'], ['3ffe:ffff::', '3fff:1000::']],
  ['4000::/2 and on (not assigned)', ['4000::', '5eff::'], ['3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff']],
  ['5f00::/16', ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], []],
  ['fc00::/7', ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], []],
  ['fd00:ec2::254/128 (AWS)', ['fd00:ec2::254', 'fd20:ce::254'], []],
  ['fe80::/10', ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], []],
  ['fec0::/10', ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], []],
  ['ff00::/8', ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], []],
];

test.each([...IPV4, ...IPV6])('%s is not public, and its neighbors are', (_network, inside, outside) => {
  for (const address of inside) expect([address, isPublicAddress(address)]).toEqual([address, false]);
  for (const address of outside) expect([address, isPublicAddress(address)]).toEqual([address, true]);
});

test.each(['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808'])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each(['', 'localhost', '2130706433', '0x7f.1', '010.0.0.1', '127.1', '8.8.8', '[::1]', '8.8.8.8/32'])(
  '%j is not an address, so it is not public',
  (text) => expect(isPublicAddress(text)).toBe(false),
);

const ipv4 = fc.ipV4();
const asGroups = (address: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};

test('an IPv4 address embedded in an IPv6 address is judged as IPv4, in each notation', () => {
  fc.assert(
    fc.property(ipv4, (address) => {
      for (const prefix of ['::ffff:', '0:0:0:0:0:FFFF:', '64:ff9b::', '0064:FF9B:0:0:0:0:'])
        for (const spelling of [`${prefix}${address}`, `${prefix}${asGroups(address)}`])
          expect([spelling, isPublicAddress(spelling)]).toEqual([spelling, isPublicAddress(address)]);
    }),
  );
});

test('other IPv6 forms that embed an IPv4 address are never public', () => {
  fc.assert(
    fc.property(ipv4, (address) => {
      const groups = asGroups(address);
      for (const text of [
        `::${address}`,
        `::ffff:0:${groups}`,
        `2002:${groups}::1`,
        `2001:0:${groups}::1`,
        `64:ff9b:1::${groups}`,
      ])
        // prettier-ignore
        expect([text, isPublicAddress(text)]).toEqual([text, false]);
    }),
  );
});

const of = (...texts: string[]) => texts.map((text) => parseNetwork(text)!);

test.each([
  ['10.1.2.3', PRIVATE_NETWORKS, true],
  ['192.168.1.1', PRIVATE_NETWORKS, true],
  ['172.16.0.1', PRIVATE_NETWORKS, true],
  ['fd12::1', PRIVATE_NETWORKS, true],
  ['::ffff:10.1.2.3', PRIVATE_NETWORKS, true],
  ['64:ff9b::a01:203', PRIVATE_NETWORKS, false],
  ['127.0.0.1', PRIVATE_NETWORKS, false],
  ['::1', PRIVATE_NETWORKS, false],
  ['169.254.1.1', PRIVATE_NETWORKS, false],
  ['fe80::1', PRIVATE_NETWORKS, false],
  ['100.64.0.1', PRIVATE_NETWORKS, false],
  ['127.0.0.1', LOOPBACK_NETWORKS, true],
  ['::1', LOOPBACK_NETWORKS, true],
  ['0.0.0.0', LOOPBACK_NETWORKS, false],
  ['10.1.2.3', of('10.1.0.0/16'), true],
  ['10.2.2.3', of('10.1.0.0/16'), false],
  ['169.254.1.1', of('169.254.0.0/16'), true],
  ['8.8.8.8', NO_NETWORKS, true],
  ['10.0.0.1', NO_NETWORKS, false],
  ['not an address', EVERY_NETWORK, false],
])('%s under %j may be dialled: %s', (address, allowed, expected) => {
  expect(isAllowedAddress(address, allowed)).toBe(expected);
});

test.each([
  '169.254.169.254',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  '::ffff:169.254.169.254',
])(
  'the cloud metadata address %s is allowed only if it is listed itself, never through a network that contains it',
  (address) => {
    expect(isAllowedAddress(address, [...PRIVATE_NETWORKS, ...EVERY_NETWORK])).toBe(false);
    expect(isAllowedAddress(address, of(address.replace('::ffff:', '')))).toBe(true);
  },
);

test.each([
  '10.0.0.0/33',
  'fd00::/129',
  '10.0.0.0/',
  '10.0.0/8',
  'true',
  '',
  '10.0.0.0/8/8',
  '10.0.0.0/-1',
  'localhost',
])('%j is not a network', (text) => expect(parseNetwork(text)).toBeUndefined());

test.each([
  ['127.0.0.1', true, true],
  ['127.9.9.9', true, true],
  ['::1', true, true],
  ['::ffff:127.0.0.1', true, true],
  ['0.0.0.0', false, true],
  ['::', false, true],
  ['10.0.0.1', false, false],
  ['localhost', false, false],
])('%s is a loopback address: %s; it reaches this machine: %s', (address, isLoopback, isLocal) => {
  expect([isLoopbackAddress(address), isLocalAddress(address)]).toEqual([isLoopback, isLocal]);
});
