import fc from 'fast-check';
import { STATES } from '../../src/domain/connection/connection.ts';
import { movingStatus, readyToPoint, whileReady, type MoveFacts } from '../../src/domain/connection/ready.ts';
import type { RecordsCheck } from '../../src/domain/observation/check.ts';
import { RECORD_STATUSES } from '../../src/domain/observation/record-status.ts';

const facts: fc.Arbitrary<MoveFacts> = fc.record({
  state: fc.constantFrom(...STATES),
  before_dns: fc.boolean(),
  live_at: fc.constantFrom(null, new Date()),
  falls_back: fc.boolean(),
  ready_to_point: fc.boolean(),
  records_when_ready: fc.constantFrom(null, '', '["shop.example.com A 192.0.2.1"]'),
});
const statuses = fc.constantFrom(...RECORD_STATUSES.filter((status) => status !== 'later' && status !== 'ready'));

test('a record that points here waits for the certificate only while one is awaited, and what was found stays found', () => {
  fc.assert(
    fc.property(facts, statuses, (row, status) => {
      const shown = movingStatus(status, row);
      if (status === 'found' || status === 'spreading') expect(shown).toBe(status);
      if (shown === 'later') expect(readyToPoint(row)).toBe(false);
      if (shown === 'ready') expect(readyToPoint(row)).toBe(true);
      if (readyToPoint(row) === null) expect(shown).toBe(status);
    }),
  );
});

test('once its owner has changed the old record, a mistake in the new one is shown', () => {
  const row = {
    state: 'propagating',
    before_dns: true,
    live_at: null,
    falls_back: false,
    ready_to_point: true,
  } as const;
  expect(movingStatus('wrong', { ...row, records_when_ready: '["shop.example.com A 192.0.2.1"]' })).toBe('ready');
  expect(movingStatus('wrong', { ...row, records_when_ready: '' })).toBe('wrong');
});

test('a certificate that no order can obtain holds nothing back', () => {
  const row = { state: 'propagating', before_dns: true, live_at: null, ready_to_point: false, records_when_ready: null } as const; // prettier-ignore
  expect([readyToPoint({ ...row, falls_back: false }), movingStatus('missing', { ...row, falls_back: false })]).toEqual([false, 'later']); // prettier-ignore
  expect([readyToPoint({ ...row, falls_back: true }), movingStatus('missing', { ...row, falls_back: true })]).toEqual([null, 'missing']); // prettier-ignore
});

test('an address that the operator adds to the edge is not a change by the owner', () => {
  const old = { type: 'A', value: '203.0.113.7', priority: null, ttl: 300 } as const;
  const check = (...addresses: string[]): RecordsCheck => ({
    verdict: 'mismatch',
    sentence: '',
    findings: [],
    providers: null,
    nameservers: null,
    evidence: null,
    records: addresses.map((value) => ({ ...old, host: 'shop.com', value, propagated: false, observed_value: old.value, observed: [old] })), // prettier-ignore
  });
  const row = { ready_to_point: true, ready_at: new Date(0), records_when_ready: null };
  const { records_when_ready = null } = whileReady(row, check('192.0.2.1'), 1_000).change;

  expect(whileReady({ ...row, records_when_ready }, check('192.0.2.1', '192.0.2.2'), 2_000)).toMatchObject({
    isPaused: true,
    begins: false,
  });
  // The text of an earlier release repeats what several wanted records found.
  const repeated = JSON.stringify(['shop.com A 203.0.113.7', 'shop.com A 203.0.113.7']);
  expect(whileReady({ ...row, records_when_ready: repeated }, check('192.0.2.1'), 2_000).isPaused).toBe(true);
});
