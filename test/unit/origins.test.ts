import { createOrigins } from '../../src/edge/origins.ts';

test('an origin whose name leads to the edge itself is refused, and by another address it is not', async () => {
  const leadsBack = createOrigins({ allowPrivate: true, ownAddresses: ['127.0.0.1', '::1'] });
  for (const origin of ['http://localhost:8080', 'http://127.0.0.1', 'http://[::ffff:127.0.0.1]:8080'])
    await expect(leadsBack(origin)).rejects.toMatchObject({ code: 'blocked_address' });

  const elsewhere = createOrigins({ allowPrivate: true, ownAddresses: ['192.0.2.10'] });
  await expect(elsewhere('http://127.0.0.1:8080')).resolves.toMatchObject({ dial: '127.0.0.1:8080', scheme: 'http' });
});
