import fc from 'fast-check';
import { baseOf, challengeHost, isWildcard } from '../../src/domain/certificate/dns-validation.ts';
import { challengeName } from '../../src/domain/connection/challenge.ts';
import { tries } from '../support/tries.ts';
import {
  MAX_HOSTNAME,
  normalizeHostname,
  randomBelow,
  strictHostname,
  wildcardAbove,
} from '../../src/domain/hostname.ts';

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
const name = fc
  .tuple(fc.array(label, { minLength: 1, maxLength: 4 }), fc.constantFrom('com', 'co.uk', 'dev'))
  .map(([labels, suffix]) => [...labels, suffix].join('.'));
const anything = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  name,
  fc.webUrl(),
  fc.ipV4(),
  fc.ipV6(),
  fc.domain(),
);
const RUNS = { numRuns: tries(100_000, 5_000) };

test('normalizing never throws: any text gives a hostname or a reason with a message', () => {
  fc.assert(
    fc.property(anything, fc.boolean(), (text, test) => {
      const result = normalizeHostname(text, { test });
      if (!result.ok) expect([result.code.length > 0, result.message.endsWith('.')]).toEqual([true, true]);
      else expect(result.hostname).toMatch(/^[a-z0-9.-]+$/);
    }),
    RUNS,
  );
});

test('normalizing is idempotent, and its result is already in the strict form', () => {
  fc.assert(
    fc.property(anything, (text) => {
      const result = normalizeHostname(text);
      if (!result.ok) return;
      expect(normalizeHostname(result.hostname)).toEqual(result);
      expect(strictHostname(result.hostname)).toEqual(result);
    }),
    RUNS,
  );
});

test('normalizing never widens: the result equals what the URL standard parses', () => {
  fc.assert(
    fc.property(anything, (text) => {
      const result = normalizeHostname(text);
      if (!result.ok) return;
      const meant = URL.parse(`http://${text.trim()}/`)?.hostname.replace(/\.$/, '');
      expect(meant).toBe(result.hostname);
    }),
    RUNS,
  );
});

test('case, surrounding blanks and one trailing dot do not matter; a second dot does', () => {
  fc.assert(
    fc.property(name, (plain) => {
      const result = normalizeHostname(plain);
      expect(normalizeHostname(`  ${plain.toUpperCase()}.\t`)).toEqual(result);
      if (result.ok) expect(normalizeHostname(`${plain}..`).ok).toBe(false);
    }),
  );
});

test('a suggestion is always itself acceptable', () => {
  fc.assert(
    fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
      const result = normalizeHostname(url);
      if (!result.ok && result.suggestion !== undefined)
        expect(normalizeHostname(result.suggestion, { test: true })).toMatchObject({ ok: true });
    }),
  );
});

test('every accepted hostname leaves room for its challenge', () => {
  const longest = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(MAX_HOSTNAME - 196)}.com`;

  expect(MAX_HOSTNAME).toBe(234);
  expect([normalizeHostname(longest).ok, normalizeHostname(`e${longest}`).ok]).toEqual([true, false]);
});

test('a hostname is judged by its labels, on the fast path for short hostnames and on the full path alike', () => {
  const prefix = `${'p'.repeat(60)}.`; // too long for the fast path, otherwise without effect
  const label = fc.oneof(
    fc.stringMatching(/^[a-z0-9-]{0,9}$/),
    fc.constantFrom('example', 'com', 'org', 'test', 'local', 'localhost', 'alt'),
  );
  const shortName = fc.array(label, { minLength: 1, maxLength: 6 }).map((labels) => labels.join('.'));
  fc.assert(
    fc.property(shortName, (short) => {
      const fast = strictHostname(short);
      const full = strictHostname(prefix + short);
      // The prefix adds a label, which matters only to hostnames of a single label.
      if (short.includes('.')) expect(full).toMatchObject({ ok: fast.ok, ...(!fast.ok && { code: fast.code }) });
    }),
    RUNS,
  );
});

test.each([
  ['https://shop.de', 'scheme', 'shop.de'],
  ['HTTPS://Shop.de/cart?x=1', 'scheme', 'shop.de'],
  ['https://shop.de:8443', 'scheme', 'shop.de'],
  ['shop.de/cart', 'path', 'shop.de'],
  ['me@shop.de', 'userinfo', 'shop.de'],
  ['shop.de:443', 'port', 'shop.de'],
  ['https://192.0.2.1', 'scheme', undefined],
  ['a\n@b\n@', 'userinfo', undefined],
])('%j is refused with a suggestion', (text, code, suggestion) => {
  const result = normalizeHostname(text);

  expect(result.ok ? result : [result.code, result.suggestion]).toEqual([code, suggestion]);
});

test.each(['xn--zzzzzz.com', 'xn--0.com', 'shop.xn--a.com', 'xn--1ug.com', 'ab--cd.com'])(
  '%s is not an internationalized hostname and is refused, also in the strict form',
  (text) => {
    for (const read of [normalizeHostname, strictHostname]) expect(read(text)).toMatchObject({ code: 'punycode' });
  },
);

test.each([
  ['Bücher.de', 'xn--bcher-kva.de'],
  ['xn--bcher-KVA.de', 'xn--bcher-kva.de'],
  ['faß.de', 'xn--fa-hia.de'],
  ['موقع.وزارة-الاتصالات.مصر', 'xn--4gbrim.xn----ymcbaaajlc6dj7bxne2c.xn--wgbh1c'],
])('%s becomes %s', (text, hostname) => {
  expect(normalizeHostname(text)).toEqual({ ok: true, hostname });
});

const WILDCARD = { test: true, wildcard: true };

test('a wildcard is accepted exactly where its domain is, if it is allowed and leaves room for a label', () => {
  fc.assert(
    fc.property(anything, (text) => {
      const domain = normalizeHostname(text, { test: true });
      const wildcard = normalizeHostname(`*.${text.trim()}`, WILDCARD);
      if (wildcard.ok) expect([wildcard.hostname, domain.ok]).toEqual([`*.${domain.ok ? domain.hostname : ''}`, true]);
      else if (domain.ok) expect(['too_long', 'too_many_labels']).toContain(wildcard.code);
      expect(normalizeHostname(`*.${text.trim()}`, { test: true }).ok).toBe(false);
    }),
    RUNS,
  );
});

test('every text with a star is a wildcard with one star in front, or is refused', () => {
  const starred = fc
    .array(fc.oneof(label, fc.constantFrom('*', '*a', 'a*', '**', '')), { minLength: 1, maxLength: 5 })
    .map((labels) => labels.join('.'))
    .filter((text) => text.includes('*'));
  fc.assert(
    fc.property(starred, (text) => {
      const result = normalizeHostname(text, WILDCARD);
      if (result.ok) expect(result.hostname).toMatch(/^\*(\.[a-z0-9-]+){2,}$/);
      else expect(normalizeHostname(text).ok).toBe(false);
      expect(strictHostname(text).ok).toBe(false);
    }),
    RUNS,
  );
});

test.each([
  ['*', 'wildcard'],
  ['*.', 'wildcard'],
  ['*.*.shop.de', 'wildcard'],
  ['a.*.shop.de', 'wildcard'],
  ['*a.shop.de', 'wildcard'],
  ['*.de', 'single_label'],
  ['*.192.0.2.1', 'ip_address'],
  ['*._tcp.shop.de', 'underscore'],
  ['*.example.com', 'reserved'],
  ['*.shop.test', 'reserved'],
])('%s is no wildcard that can be connected', (text, code) => {
  expect(normalizeHostname(text, { wildcard: true })).toMatchObject({ ok: false, code });
});

test.each([
  ['*.Bücher.de', '*.xn--bcher-kva.de'],
  ['*。bücher。de', '*.xn--bcher-kva.de'],
  [' *.XN--BCHER-kva.de. ', '*.xn--bcher-kva.de'],
  ['*.shop.auto.test', '*.shop.auto.test'],
])('%s becomes %s', (text, hostname) => {
  expect(normalizeHostname(text, WILDCARD)).toEqual({ ok: true, hostname });
});

test('a wildcard and its domain are proved and validated at the same names', () => {
  for (const hostname of ['shop.de', '*.shop.de'])
    expect([baseOf(hostname), challengeName(hostname), challengeHost(hostname)]).toEqual([
      'shop.de',
      '_service-challenge.shop.de',
      '_acme-challenge.shop.de',
    ]);
  expect([isWildcard('shop.de'), isWildcard('*.shop.de')]).toEqual([false, true]);
});

test('a wildcard covers the random hostnames below it, and the longest one leaves room for them', () => {
  const domain = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(MAX_HOSTNAME - 198)}.com`;
  const longest = normalizeHostname(`*.${domain}`, WILDCARD);
  expect(longest).toEqual({ ok: true, hostname: `*.${domain}` });
  const below = randomBelow(`*.${domain}`, crypto.randomUUID());
  expect([below.length <= 253, wildcardAbove(below)]).toEqual([true, `*.${domain}`]);
  expect(randomBelow('*.a.com', crypto.randomUUID())).not.toBe(randomBelow('*.a.com', crypto.randomUUID()));
});
