import fc from 'fast-check';
import { resemblesSecret, mintSecret } from '../../src/db/tenant/keys.ts';

const secret = fc.constantFrom('test' as const, 'live' as const).map(mintSecret);

test('a secret contains its environment and a valid checksum', () => {
  fc.assert(
    fc.property(fc.constantFrom('test' as const, 'live' as const), (environment) => {
      const minted = mintSecret(environment);
      expect(minted).toMatch(new RegExp(`^sk_${environment}_[0-9A-Za-z]{49}$`));
      expect(resemblesSecret(minted)).toBe(true);
    }),
  );
});

test('one wrong character is detected without a query', () => {
  fc.assert(
    fc.property(secret, fc.nat(), fc.stringMatching(/^[0-9A-Za-z]$/), (minted, at, character) => {
      const place = 8 + (at % (minted.length - 8));
      fc.pre(minted[place] !== character);
      expect(resemblesSecret(minted.slice(0, place) + character + minted.slice(place + 1))).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

test('two swapped neighbors are detected, and so is the wrong environment', () => {
  fc.assert(
    fc.property(secret, fc.nat(), (minted, at) => {
      const place = 8 + (at % (minted.length - 9));
      const [a = '', b = ''] = [minted[place], minted[place + 1]];
      fc.pre(a !== b);
      expect(resemblesSecret(minted.slice(0, place) + b + a + minted.slice(place + 2))).toBe(false);
    }),
    { numRuns: 2_000 },
  );
  expect(resemblesSecret(mintSecret('test').replace('test', 'live'))).toBe(false);
});

test('no two secrets are the same, and other text is not a secret', () => {
  expect(new Set(Array.from({ length: 1_000 }, () => mintSecret('live'))).size).toBe(1_000);
  fc.assert(fc.property(fc.string(), (text) => expect(resemblesSecret(text)).toBe(false)));
});
