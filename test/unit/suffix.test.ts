import { endpointSchema, proxyOf } from '../../src/dns/endpoint.ts';
import { observerOptions } from '../../src/dns/options.ts';
import { delegatedDomain, isPublicSuffix, kindOf, registrableDomain } from '../../src/dns/suffix.ts';

test.each([
  ['shop.example.com', 'example.com', 'example.com', 'subdomain'],
  ['example.co.uk', 'example.co.uk', 'example.co.uk', 'apex'],
  ['me.github.io', 'me.github.io', 'github.io', 'apex'],
  ['www.me.github.io', 'me.github.io', 'github.io', 'subdomain'],
  ['_service-challenge.shop.customer.test', 'customer.test', 'customer.test', 'subdomain'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example', 'xn--bcher-kva.example', 'apex'],
])('%s belongs to %s, is delegated as %s, and is %s', (name, registrable, delegated, kind) => {
  expect([registrableDomain(name), delegatedDomain(name), kindOf(name)]).toEqual([registrable, delegated, kind]);
});

test('public suffixes cannot be verified, including the private division', () => {
  expect(['com', 'co.uk', 'github.io', 'test'].map(isPublicSuffix)).toEqual([true, true, true, true]);
  expect(['example.com', 'me.github.io'].map(isPublicSuffix)).toEqual([false, false]);
});

test.each([
  ['9.9.9.9', { address: '9.9.9.9', port: 53 }],
  ['127.0.0.1:5300', { address: '127.0.0.1', port: 5300 }],
  ['2620:fe::fe', { address: '2620:fe::fe', port: 53 }],
  ['[2620:fe::fe]:5300', { address: '2620:fe::fe', port: 5300 }],
])('a resolver can be written as %s', (text, endpoint) => {
  expect(endpointSchema.parse(text)).toEqual(endpoint);
});

test.each(['', 'dns.example', '1.2.3', '1.2.3.4:0', '1.2.3.4:70000', '[1::', 'localhost:53'])(
  'a resolver cannot be written as %p',
  (text) => {
    expect(endpointSchema.safeParse(text).success).toBe(false);
  },
);

test('an observer without resolvers names the missing setting', () => {
  expect(observerOptions.safeParse({ resolvers: [] }).error?.issues[0]?.message).toContain('DNS_RESOLVERS');
  expect(observerOptions.parse({ resolvers: ['9.9.9.9'] })).toMatchObject({
    authoritativePort: 53,
    allowPrivate: false,
  });
});

test('a hostname is proxied if all of its addresses belong to the proxy', () => {
  expect(proxyOf(['104.16.1.1', '2606:4700::1'])).toBe('Cloudflare');
  expect(proxyOf(['104.16.1.1', '192.0.2.1'])).toBeNull();
  expect(proxyOf([])).toBeNull();
});
