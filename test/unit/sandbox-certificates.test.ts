import fc from 'fast-check';
import { renewalFindings } from '../../src/domain/certificate/certificate.ts';
import { sandboxCertificates } from '../../src/sandbox/certificates.ts';

const DAY = 86_400_000;
const certificates = sandboxCertificates({ examine: () => Promise.resolve([]) });
const subject = {
  tenantId: 'tenant',
  hostname: 'shop.auto.test',
  challenge: { name: '_c.shop.auto.test', value: 'token' },
  desiredRecords: [],
  liveAt: null,
  nameservers: null,
};
const shownAt = async (now: number) => {
  const health = await certificates.inspect(subject, now, AbortSignal.abort());
  return health!.shown!;
};

test('a sandbox certificate is renewed in time, over any period', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1.7e12, max: 4e12 }), async (now) => {
      const shown = await shownAt(now);
      expect(renewalFindings('shop.auto.test', shown, now)).toEqual([]);
      expect(shown.notAfter.getTime()).toBeGreaterThanOrEqual(now + 30 * DAY);
      expect((await shownAt(now + 60 * DAY)).notAfter > shown.notAfter).toBe(true);
    }),
  );
});

test('the certificate shown is the certificate obtained', async () => {
  const now = Date.now();
  const outcome = await certificates.obtain(subject, now, AbortSignal.abort());
  expect(outcome).toMatchObject({ outcome: 'issued', certificate: await shownAt(now) });
});
