import type { Finding } from '../../src/domain/observation/finding.ts';
import { timelineEntry, type TimelineFacts } from '../../src/domain/connection/timeline.ts';

const finding = (code: Finding['code'], severity: Finding['severity'], message: string): Finding => ({
  code,
  severity,
  message,
  fix: null,
});
const facts = (changes: Partial<TimelineFacts> = {}): TimelineFacts => ({
  state: 'propagating',
  error_code: 'record_conflict',
  findings: [finding('missing', 'error', 'There is no CNAME.')],
  cleanup: 'none',
  ...changes,
});
const reason = { kind: 'reason', from: null, to: null };

test('moves are recorded, and a check in progress is not', () => {
  expect(timelineEntry(facts(), facts({ state: 'stalled' }))).toEqual({
    kind: 'move',
    from: 'propagating',
    to: 'stalled',
  });
  expect(timelineEntry(facts({ state: 'pending_ownership' }), facts({ state: 'verifying' }))).toBeNull();
  expect(timelineEntry(facts({ state: 'verifying' }), facts({ state: 'pending_ownership' }))).toBeNull();
});

test('another error is another reason, and so is the same error with another message', () => {
  const wrong = (value: string) => facts({ findings: [finding('wrong_value', 'error', `It has ${value}.`)] });
  expect(timelineEntry(facts(), wrong('a'))).toEqual(reason);
  expect(timelineEntry(wrong('a'), wrong('b'))).toEqual(reason);
  expect(timelineEntry(wrong('a'), wrong('a'))).toBeNull();
  expect(timelineEntry(facts(), facts({ error_code: 'proxied' }))).toEqual(reason);
  expect(timelineEntry(facts({ state: 'archived' }), facts({ state: 'archived', cleanup: 'failed' }))).toEqual(reason);
});

test('warnings whose text changes with every check do not flood the timeline', () => {
  const warned = (message: string) => facts({ findings: [finding('nameserver_unreachable', 'warning', message)] });
  const cached = (until: string) => facts({ findings: [finding('cached_until', 'info', until)] });
  expect(timelineEntry(warned('ns1'), warned('ns2'))).toBeNull();
  expect(timelineEntry(cached('12:00'), cached('12:01'))).toBeNull();
  expect(timelineEntry(cached('12:00'), warned('ns1'))).toEqual(reason);
});
