import {
  cachedFor,
  isFailing,
  isPartOf,
  isSamePlan,
  judgeObserved,
  untilNextProbe,
  whyNoCutover,
  withProbe,
  wrongWith,
  type CutoverPlan,
  type ProbeResult,
} from '../../src/domain/connection/cutover.ts';

const old = { host: 'shop.brand.com', type: 'A', value: '192.0.2.1', ttl: 3_600, priority: null } as const;
const target = { host: 'shop.brand.com', type: 'CNAME', value: 'edge.example.net', ttl: 300, priority: null } as const;
const plan: CutoverPlan = { provider: 'powerdns', zone: 'brand.com', removes: [old], adds: [target] };

const probe = (verdict: ProbeResult['verdict'], via: ProbeResult['via'] = 'dns'): ProbeResult => ({
  at: '2026-01-01T00:00:00.000Z',
  via,
  address: null,
  status: null,
  verdict,
  message: null,
});
const probes = (...verdicts: ProbeResult['verdict'][]) => verdicts.map((verdict) => probe(verdict));

describe('a connection that can be cut over', () => {
  const holding = {
    hostname: 'shop.brand.com',
    state: 'dns_writing',
    point: 'hold',
    ready_to_point: true,
    error_code: null,
  } as const;

  test('holds with its certificate, or waits because of conflicting records', () => {
    expect(whyNoCutover(holding)).toBeNull();
    for (const state of ['propagating', 'stalled'] as const)
      expect(whyNoCutover({ ...holding, state, point: 'auto', error_code: 'record_conflict' })).toBeNull();
  });

  test('is no other', () => {
    expect(whyNoCutover({ ...holding, ready_to_point: false })).toMatch('certificate');
    expect(whyNoCutover({ ...holding, point: 'auto' })).toMatch('neither holds');
    expect(whyNoCutover({ ...holding, state: 'live' })).toMatch('neither holds');
    expect(whyNoCutover({ ...holding, state: 'propagating', error_code: null })).toMatch('neither holds');
    expect(whyNoCutover({ ...holding, state: 'live', error_code: 'record_conflict' })).toMatch('neither holds');
  });
});

describe('the plan', () => {
  test('is the same with another TTL, in another order and spelling', () => {
    const other = { ...plan, removes: [{ ...old, ttl: 60 }], adds: [{ ...target, value: 'EDGE.example.net.' }] };
    expect(isSamePlan(plan, other)).toBe(true);
  });

  test('is another one with another value, one value more or less, or in another zone', () => {
    const more = { ...plan, removes: [old, { ...old, value: '192.0.2.2' }] };
    const others = [{ ...plan, removes: [{ ...old, value: '192.0.2.2' }] }, more, { ...plan, removes: [] }, { ...plan, zone: 'com' }]; // prettier-ignore
    for (const other of others) expect([isSamePlan(plan, other), isSamePlan(other, plan)]).toEqual([false, false]);
    expect([isPartOf(plan, more), isPartOf(more, plan)]).toEqual([true, false]);
    expect(isPartOf({ removes: [], adds: [] }, plan)).toBe(true);
  });
});

describe('a response', () => {
  const any = { path: '/', expect_status: null, expect_text: null };

  test.each([[200], [204], [302], [399]])('%i is fine by default', (status) => {
    expect(wrongWith(any, status, '')).toBeNull();
  });

  test.each([[199], [400], [404], [502]])('%i is not', (status) => {
    expect(wrongWith(any, status, '')).toBe(`The site answered ${status} instead of 200 to 399.`);
  });

  test('must have the expected status and text', () => {
    expect(wrongWith({ ...any, expect_status: 401 }, 401, '')).toBeNull();
    expect(wrongWith({ ...any, expect_status: 401 }, 200, '')).toMatch('instead of 401');
    expect(wrongWith({ ...any, expect_text: 'Welcome' }, 200, 'Welcome back')).toBeNull();
    expect(wrongWith({ ...any, expect_text: 'Welcome' }, 200, 'Being set up')).toMatch('without the expected text');
  });
});

describe('a site that is observed', () => {
  const movedAt = Date.UTC(2026, 0, 1);
  const observed = (verdicts: ProbeResult['verdict'][], observe_for = 600) => ({
    plan,
    probes: probes(...verdicts),
    moved_at: new Date(movedAt),
    observe_for,
  });
  const judge = (verdicts: ProbeResult['verdict'][], seconds: number) =>
    judgeObserved(observed(verdicts), movedAt + seconds * 1_000);

  test('fails when three probes in a row did, and probes without a verdict do not count', () => {
    expect(isFailing(probes('failed', 'failed'), 'dns')).toBe(false);
    expect(isFailing(probes('failed', 'failed', 'ok', 'failed'), 'dns')).toBe(false);
    expect(isFailing(probes('ok', 'failed', 'failed', 'failed'), 'dns')).toBe(true);
    expect(isFailing(probes('failed', 'unknown', 'failed', 'unknown', 'failed'), 'dns')).toBe(true);
    expect(isFailing([probe('failed', 'edge'), ...probes('failed', 'failed')], 'dns')).toBe(false);
  });

  test('is done after its time, if the last probe succeeded', () => {
    expect(judge(['ok'], 599)).toBe('observing');
    expect(judge(['ok'], 600)).toBe('done');
    expect(judge(['ok', 'failed'], 600)).toBe('observing');
    expect(judge(['failed', 'failed', 'failed'], 10)).toBe('reverted');
  });

  test('is reverted if resolvers never return it', () => {
    expect(judge(['unknown'], 600 + 3_600)).toBe('observing');
    expect(judge(['unknown'], 600 + 3_600 + 600)).toBe('reverted');
  });

  test('is requested again shortly after a failure, and less often as time passes', () => {
    const wait = (verdict: ProbeResult['verdict'], seconds: number) =>
      untilNextProbe(observed([verdict]), movedAt + seconds * 1_000);
    expect([wait('failed', 9_000), wait('ok', 1), wait('ok', 900), wait('ok', 9_000)]).toEqual([
      2_000, 5_000, 15_000, 60_000,
    ]);
  });

  test('can be cached elsewhere for the longest TTL, and for some minutes where nothing was published', () => {
    expect(cachedFor(plan)).toBe(3_600_000);
    expect(cachedFor({ ...plan, removes: [] })).toBe(300_000);
  });

  test('keeps its last twenty probes', () => {
    const many = Array.from({ length: 20 }, () => probe('failed'));
    const kept = withProbe(many, probe('ok'));
    expect([kept.length, kept.at(-1)?.verdict]).toEqual([20, 'ok']);
  });
});
