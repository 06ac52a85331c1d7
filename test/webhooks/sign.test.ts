import fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { verifyWebhook } from '../../client/webhooks.ts';
import { rotated, secretsAt } from '../../src/domain/webhook/secret.ts';
import { mintWebhookSecret, signatureHeaders } from '../../src/webhooks/sign.ts';
import { withSeed } from '../support/tries.ts';

const only = (secret: string) => ({ current: secret, next: null });
const now = () => Math.floor(Date.now() / 1_000);

test('the client, standardwebhooks and svix accept our signatures over unicode bodies, and reject modified bodies', () =>
  withSeed(async (seed) => {
    const bodies = fc.sample(fc.json({ stringUnit: 'binary', maxDepth: 3 }), { numRuns: 300, seed });
    for (const text of bodies) {
      const secret = mintWebhookSecret();
      const body = Buffer.from(text);
      const headers = signatureHeaders({ eventId: crypto.randomUUID(), body, timestamp: now() }, only(secret));

      expect(await verifyWebhook(body, headers, secret)).toEqual(JSON.parse(body.toString()));
      expect(new StandardWebhook(secret).verify(body, headers)).toEqual(JSON.parse(body.toString()));
      new SvixWebhook(secret).verify(body, headers);

      const changed = Buffer.concat([body, Buffer.from(' ')]);
      await expect(verifyWebhook(changed, headers, secret)).rejects.toMatchObject({ code: 'bad_signature' });
      expect(() => new StandardWebhook(secret).verify(changed, headers)).toThrow('No matching signature');
    }
  }));

test('during a rotation X-Svc-Signature uses the old secret until the new one is due, and webhook-signature has both', async () => {
  const [old, fresh] = [mintWebhookSecret(), mintWebhookSecret()];
  const secrets = rotated(only(old), fresh, new Date(10_000), 0);
  const [body, timestamp] = [Buffer.from('{}'), now()];
  const before = signatureHeaders({ eventId: 'e', body, timestamp }, secretsAt(secrets, 9_999));
  const after = signatureHeaders({ eventId: 'e', body, timestamp }, secretsAt(secrets, 10_000));

  await verifyWebhook(body, before, old);
  await verifyWebhook(body, before, [fresh, old]);
  await expect(verifyWebhook(body, before, fresh)).rejects.toMatchObject({ code: 'bad_signature' });
  for (const secret of [old, fresh]) new StandardWebhook(secret).verify(body, before);
  await verifyWebhook(body, after, fresh);
  await expect(verifyWebhook(body, after, old)).rejects.toMatchObject({ code: 'bad_signature' });
});

test('after a leak the old secret ends immediately, and so does a pending one', () => {
  const waiting = rotated(only('old'), 'next', new Date(10_000), 0);
  expect(rotated(waiting, 'fresh', new Date(0), 0)).toEqual(only('fresh'));
  expect(rotated(waiting, 'later', new Date(60_000), 20_000)).toMatchObject({
    current: 'next',
    next: { secret: 'later' },
  });
});

test('a timestamp five minutes off is rejected, in either direction', async () => {
  const secret = mintWebhookSecret();
  for (const shift of [-301, 301]) {
    const headers = signatureHeaders({ eventId: 'e', body: Buffer.from('{}'), timestamp: now() + shift }, only(secret));
    await expect(verifyWebhook('{}', headers, secret)).rejects.toMatchObject({ code: 'too_old' });
  }
});
