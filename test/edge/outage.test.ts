import { liveThroughOutage } from '../support/fixtures/outage-lab.ts';

/** `npm run trial:outage` runs the same trial for longer. */
test('with everything killed except Caddy and its agent, every request is answered, also after both restart', async () => {
  const outage = await liveThroughOutage(9);
  expect(outage.failures).toEqual([]);
  expect(outage.requests).toBeGreaterThan(100);
  expect([...outage.archived].toSorted()).toEqual([0, 410]);
  expect(outage.newCertificates).toBe(0);
}, 120_000);
