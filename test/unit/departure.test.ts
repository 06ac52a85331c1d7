import { danglingFinding, danglingRecords, departureAt } from '../../src/domain/connection/departure.ts';
import type { CheckedRecord } from '../../src/domain/observation/check.ts';
import type { ObservedType } from '../../src/domain/observation/observation.ts';
import type { RecordType } from '../../src/domain/record.ts';

const DAY = 86_400_000;

test('a departure is checked after 1, 7 and 30 days, once each, and a late check counts for those before it', () => {
  expect(departureAt(0, null, 0, 1)).toEqual({ isDue: false, nextMs: DAY });
  expect(departureAt(0, null, DAY, 1)).toEqual({ isDue: true, nextMs: 6 * DAY });
  expect(departureAt(0, DAY, DAY, 1)).toEqual({ isDue: false, nextMs: 6 * DAY });
  expect(departureAt(0, DAY, 8 * DAY, 1)).toEqual({ isDue: true, nextMs: 22 * DAY });
  expect(departureAt(0, null, 40 * DAY, 1)).toEqual({ isDue: true, nextMs: null });
  expect(departureAt(0, 40 * DAY, 400 * DAY, 1)).toEqual({ isDue: false, nextMs: null });
  expect(departureAt(0, null, DAY / 10, 10)).toEqual({ isDue: true, nextMs: (6 * DAY) / 10 });
});

const checked = (
  type: RecordType,
  value: string,
  observed: [ObservedType, string][],
  propagated = false,
): CheckedRecord => ({
  host: 'shop.com',
  type,
  value,
  ttl: 300,
  priority: null,
  propagated,
  observed_value: null,
  observed: observed.map(([seen, text]) => ({ type: seen, value: text, ttl: 60, priority: null })),
});

test.each([
  ['a CNAME to the edge', checked('CNAME', 'edge.net', [['CNAME', 'edge.net']]), ['CNAME edge.net']],
  ['a CNAME elsewhere', checked('CNAME', 'edge.net', [['CNAME', 'other.net']]), []],
  ['one of two addresses', checked('A', '192.0.2.1', [['A', '192.0.2.1'], ['A', '192.0.2.9']]), ['A 192.0.2.1']], // prettier-ignore
  ['a flattened alias', checked('ALIAS', 'edge.net', [['A', '192.0.2.1']], true), ['A 192.0.2.1']],
  ['addresses that are not the target’s', checked('ALIAS', 'edge.net', [['A', '192.0.2.9']]), []],
  ['nothing', checked('CNAME', 'edge.net', []), []],
  ['a TXT record', checked('TXT', 'x', [['TXT', 'x']], true), []],
] as const)('of %s, exactly what points here is dangling', (_what, record, expected) => {
  const found = danglingRecords({ records: [record] });
  expect(found.map(({ type, value }) => `${type} ${value}`)).toEqual(expected);
  if (found.length > 0) expect(danglingFinding('shop.com', found).fix).toContain(`${expected[0] ?? ''} at shop.com`);
});
