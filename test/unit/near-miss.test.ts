import { nearMiss } from '../../src/domain/near-miss.ts';

const COMMANDS = ['tenant create', 'tenant list', 'usage report', 'status'];

test.each([
  ['tenant craete', 'tenant create'],
  ['Tenant List', 'tenant list'],
  ['tenants list', 'tenant list'],
  ['statsu', 'status'],
  ['usage repot', 'usage report'],
])('%s probably means %s', (given, meant) => {
  expect(nearMiss(given, COMMANDS)).toBe(meant);
});

test.each(['deploy', 'tenant', '', 'st'])('%s is like nothing known', (given) => {
  expect(nearMiss(given, COMMANDS)).toBeUndefined();
});
