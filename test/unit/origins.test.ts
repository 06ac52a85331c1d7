import { createOrigins, keptWay, plainWay } from '../../src/edge/origins.ts';

test('an origin whose name leads to the edge itself is refused, and by another address it is not', async () => {
  const leadsBack = createOrigins({ allowPrivate: true, ownAddresses: ['127.0.0.1', '::1'] });
  for (const origin of ['http://localhost:8080', 'http://127.0.0.1', 'http://[::ffff:127.0.0.1]:8080'])
    await expect(leadsBack(origin)).rejects.toMatchObject({ code: 'blocked_address' });

  const elsewhere = createOrigins({ allowPrivate: true, ownAddresses: ['192.0.2.10'] });
  expect(plainWay(await elsewhere('http://127.0.0.1:8080'))).toMatchObject({ dial: '127.0.0.1:8080', scheme: 'http' });
});

test('an address stays an address for the edge; a name with TLS or with several addresses becomes one of its own', () => {
  const names = { port: 443, host: 'h', name: 'shop.example' };
  const one = ['192.0.2.1'] as const;
  const several = ['192.0.2.1', '192.0.2.2'] as const;
  expect(keptWay({ ...names, addresses: one, scheme: 'https', name: '192.0.2.1' }).dial).toBe('192.0.2.1:443');
  expect(keptWay({ ...names, addresses: ['2001:db8::1'], scheme: 'https', name: '[2001:db8::1]' }).dial).toBe('[2001:db8::1]:443'); // prettier-ignore
  expect(keptWay({ ...names, addresses: one, scheme: 'http' }).dial).toBe('192.0.2.1:443');
  expect(keptWay({ ...names, addresses: several, scheme: 'http' }).dial).toMatch(/^v4-c0000201\.v4-c0000202\.\w{32}\.edge\.invalid\.:443$/); // prettier-ignore
  expect(keptWay({ ...names, addresses: one, scheme: 'https' }).dial).toMatch(/^v4-c0000201\.\w{32}\.edge\.invalid\.:443$/); // prettier-ignore
});
