import { expectedPlan } from '../../src/domain/zone/expected-plan.ts';
import type { Finding } from '../../src/domain/observation/finding.ts';
import { nextPollSeconds } from '../../src/domain/connection/next-poll.ts';
import { inPanel, panelSteps } from '../../src/domain/connection/panel.ts';
import { recordStatus } from '../../src/domain/observation/record-status.ts';
import type { DnsRecord, RecordType } from '../../src/domain/record.ts';
import { descriptors } from '../../src/providers/registry.ts';

const record = (type: RecordType, host: string, value: string): DnsRecord => ({
  host,
  type,
  value,
  ttl: 300,
  priority: null,
});
const www = record('CNAME', 'www.shop.com', 'edge.saas.com');
const apex = record('ALIAS', 'shop.com', 'edge.saas.com');
const text = record('TXT', '_service-challenge.www.shop.com', 'token');
const panelOf = (slug: string) => descriptors().find((one) => one.slug === slug)!;

describe("records in the form that a provider's panel expects", () => {
  test.each([
    ['cloudflare', apex, { panel_host: '@', panel_type: 'CNAME', panel_value: 'edge.saas.com' }],
    ['namecom', apex, { panel_host: '@', panel_type: 'ANAME', panel_value: 'edge.saas.com' }],
    ['porkbun', apex, { panel_host: '', panel_type: 'ALIAS', panel_value: 'edge.saas.com' }],
    ['hetzner', www, { panel_host: 'www', panel_type: 'CNAME', panel_value: 'edge.saas.com.' }],
    ['hetzner', text, { panel_host: '_service-challenge.www', panel_type: 'TXT', panel_value: '"token"' }],
    ['rfc2136', www, { panel_host: 'www.shop.com', panel_type: 'CNAME', panel_value: 'edge.saas.com.' }],
  ])('at %s', (slug, wanted, typed) => {
    const { panel, capabilities } = panelOf(slug);
    const flattens = capabilities.apex_alias === 'flattening';
    expect(inPanel(wanted, 'shop.com', panel, { flattens })).toEqual(typed);
  });

  test('where the zone is not the registrable domain, hosts are relative to the zone', () => {
    expect(inPanel(record('A', 'a.eu.shop.com', '192.0.2.1'), 'eu.shop.com').panel_host).toBe('a');
  });

  test('every provider with a panel has steps, and a blank host field gets a step of its own', () => {
    for (const { panel, name, control_panel_url } of descriptors()) {
      const blank = panelSteps(panel, name, [inPanel(apex, 'shop.com', panel)]);
      const plain = panelSteps(panel, name, [inPanel(www, 'shop.com', panel)]);
      expect(plain.length > 0).toBe(control_panel_url !== null);
      expect(blank.length - plain.length).toBe(control_panel_url !== null && panel.apex_host === 'blank' ? 1 : 0);
    }
  });
});

describe('the status of a record to add', () => {
  const finding = (code: Finding['code'], about: DnsRecord): Finding => ({
    code,
    severity: 'error',
    message: '',
    fix: null,
    record: about,
  });
  const OTHER = { type: 'TXT', value: 'other' } as const;
  const seen = (propagated: boolean, observed: { type: 'TXT'; value: string }[]) => [{ ...www, propagated, observed }];

  test.each([
    ['unchecked before any check', [], [], 'unchecked'],
    ['found once it has propagated', [], seen(true, [OTHER]), 'found'],
    [
      'spreading while resolvers have the old answer cached',
      [finding('cached_until', www)],
      seen(false, [OTHER]),
      'spreading',
    ],
    ['wrong if another value exists next to it', [finding('extra_values', www)], seen(true, [OTHER]), 'wrong'],
    ['a conflict with an existing record', [finding('cname_conflict', www)], seen(false, []), 'conflict'],
    ['unaffected by a finding about another record', [finding('missing', text)], seen(true, [OTHER]), 'found'],
  ] as const)('is %s', (_what, findings, checked, status) => {
    expect(recordStatus(www, { findings, checked })).toBe(status);
  });
});

test('the expected plan is derived from DNS: other values next to ours stay', () => {
  const spf = record('TXT', 'shop.com', 'v=spf1 -all');
  const mine = record('TXT', 'shop.com', 'ours');
  const plan = expectedPlan([mine, www], [spf, record('A', 'www.shop.com', '192.0.2.1')], 'refuse');
  expect(plan).toMatchObject({
    creates: [{ value: 'ours' }],
    keeps: [],
    conflicts: [{ wanted: www, reason: 'points_elsewhere' }],
  });
  expect(plan.untouched.map(({ value }) => value)).toEqual(['v=spf1 -all', '192.0.2.1']);
  expect(expectedPlan([www], [www], 'refuse')).toMatchObject({ creates: [], keeps: [www], untouched: [] });
});

test('the polling hint follows the next check, and is never below two seconds', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
  const hints = [-5, 0, 3, 15, 3_600].map((s) => nextPollSeconds('pending_ownership', inSeconds(s), now));
  expect(hints).toEqual([2, 2, 4, 16, 30]);
  expect(nextPollSeconds('dns_writing', inSeconds(60), now)).toBe(2);
  expect(nextPollSeconds('live', inSeconds(3), now)).toBe(60);
});
