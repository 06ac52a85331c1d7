import { moveFleet } from '../support/fixtures/fleet-move.ts';

test('a fleet moves from an old Caddy by one record of the tenant: no request fails, no customer acts, nothing is ordered', async () => {
  const { names, planned, answered, failures, servedBefore, servedAfter, orders, changedZones } = await moveFleet({
    names: 12,
    perSecond: 10,
  });

  expect([...failures]).toEqual([]);
  expect(planned).toMatchObject({ created: names });
  expect([servedBefore, servedAfter, orders, changedZones]).toEqual([names, names, 0, 0]);
  expect([...answered.keys()].toSorted()).toEqual(['edge', 'old host']);
}, 600_000);
