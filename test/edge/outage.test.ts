import { liveThroughOutage } from '../support/fixtures/outage-lab.ts';

/** `npm run trial:outage` does the same for longer. */
test('with everything but Caddy and its agent killed, every request is answered, also after both were restarted', async () => {
  const outage = await liveThroughOutage(9);
  expect(outage.failures).toEqual([]);
  expect(outage.requests).toBeGreaterThan(100);
  expect([...outage.archived].toSorted()).toEqual([0, 410]);
  expect(outage.newCertificates).toBe(0);
}, 120_000);
