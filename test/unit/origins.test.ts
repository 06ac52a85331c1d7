import { EVERY_NETWORK } from '../../src/net/address.ts';
import { OriginAttempts } from '../../src/edge/origin-attempts.ts';
import { createOrigins, pooledUpstream, directUpstream, type Origin } from '../../src/edge/origins.ts';

const OURS = 8080;
const own = {
  isOwn: (address: string, port: number) => /^(127\.0\.0\.1|::1|::ffff:7f00:1)$/.test(address) && port === OURS,
};

test('an origin that is one of our own listeners is refused in each notation, and another port is not', async () => {
  const origins = createOrigins({ allowed: EVERY_NETWORK, own });
  for (const origin of [
    'http://localhost:8080',
    'http://127.0.0.1:8080',
    'https://[::1]:8080',
    'http://[::ffff:127.0.0.1]:8080',
  ])
    await expect(origins(origin)).rejects.toMatchObject({ code: 'blocked_address' });
  expect(directUpstream(await origins('http://127.0.0.1:8081'))).toMatchObject({
    dial: '127.0.0.1:8081',
    scheme: 'http',
  });
});

test('an origin that was resolved earlier is refused as soon as one of our listeners is known at its address', async () => {
  const listeners = new Set<number>();
  const origins = createOrigins({ allowed: EVERY_NETWORK, own: { isOwn: (_address, port) => listeners.has(port) } });
  await origins('http://127.0.0.1:8080');
  listeners.add(8080);
  await expect(origins('http://127.0.0.1:8080')).rejects.toMatchObject({ code: 'blocked_address' });
});

test('cached addresses cover for silent name servers only while those addresses are allowed', async () => {
  const checked = { addressesOf: () => ['10.0.0.1'] as const, recordAddresses: () => undefined };
  const silent = { nameServers: ['127.0.0.1:9'], checked };
  const url = 'http://origin.shop-site.com';
  expect(await createOrigins({ ...silent, allowed: EVERY_NETWORK })(url)).toMatchObject({ addresses: ['10.0.0.1'] });
  await expect(createOrigins({ ...silent, allowed: [] })(url)).rejects.toMatchObject({ code: 'blocked_address' });
});

test('an address is passed to the edge as it is; a hostname with TLS or with several addresses becomes a dial name', () => {
  const names = { port: 443, host: 'h', name: 'shop.example' };
  const one = ['192.0.2.1'] as const;
  const several = ['192.0.2.1', '192.0.2.2'] as const;
  const upstreamOf = (origin: Origin, canTryAnother = true) =>
    pooledUpstream(origin, (one) => new OriginAttempts(() => undefined).namesFor(one, 'app', canTryAnother));
  expect(upstreamOf({ ...names, addresses: one, scheme: 'https', name: '192.0.2.1' }).dial).toBe('192.0.2.1:443');
  expect(upstreamOf({ ...names, addresses: ['2001:db8::1'], scheme: 'https', name: '[2001:db8::1]' }).dial).toBe('[2001:db8::1]:443'); // prettier-ignore
  expect(upstreamOf({ ...names, addresses: one, scheme: 'http' }).dial).toBe('192.0.2.1:443');
  expect(upstreamOf({ ...names, addresses: several, scheme: 'http' }).dial).toMatch(/^v4-c000020[12]\.\w{32}\.edge\.invalid\.:443$/); // prettier-ignore
  const { scheme, next } = upstreamOf({ ...names, addresses: several, scheme: 'http' });
  expect(scheme).toBe('http-spread');
  expect(next).toMatch(/^v4-c000020[12]\.e-[0-9a-f]{8}\.\w{32}\.edge\.invalid\.:443$/);
  const earlier = upstreamOf({ ...names, addresses: several, scheme: 'https' }, false);
  expect(earlier.scheme).toBe('https-kept');
  expect(earlier.dial).toMatch(/^v4-c0000201\.v4-c0000202\.\w{32}\./);
  expect(earlier.next).toBeUndefined();
  expect(upstreamOf({ ...names, addresses: one, scheme: 'https' }).dial).toMatch(/^v4-c0000201\.\w{32}\.edge\.invalid\.:443$/); // prettier-ignore
});
