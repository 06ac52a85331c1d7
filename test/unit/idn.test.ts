import { domainToASCII, domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { unicodeHostname } from '../../src/domain/idn.ts';
import { tries } from '../support/tries.ts';

test.each([
  ['xn--bcher-kva.com', 'bücher.com'],
  ['_service-challenge.xn--bcher-kva', '_service-challenge.bücher'],
  ['xn--wgv71a119e.xn--jvr189m.jp', '日本語.食品.jp'],
  ['xn--mgbh0fb.xn--kgbechtv', 'مثال.إختبار'],
  ['shop.example.com', 'shop.example.com'],
  ['', ''],
  ['@', '@'],
])('%s is shown as %s', (ascii, unicode) => {
  expect(unicodeHostname(ascii)).toBe(unicode);
});

test.each(['xn--', 'xn---', 'xn--a', 'xn--99999999', 'xn--bcher-kva-', 'xn--zzzzzzzzzzzz.com'])(
  '%s, which does not convert back, stays as it is',
  (text) => {
    expect(unicodeHostname(text)).toBe(text);
  },
);

test('every name that Node converts to ASCII is shown as Node shows it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), (text) => {
      const ascii = domainToASCII(`${text}.com`);
      fc.pre(ascii.includes('xn--') && domainToASCII(ascii) === ascii);
      expect(unicodeHostname(ascii)).toBe(domainToUnicode(ascii));
    }),
    { numRuns: tries(20_000, 2_000) },
  );
});
