import fc from 'fast-check';
import { NO_BRANDING, STANDINGS, UNKNOWN_NAME, type NameChange } from '../../src/domain/edge/admission.ts';
import { AdmissionTable } from '../../src/edge/admission-table.ts';
import { NameTable } from '../../src/edge/name-table.ts';

const name = fc.stringMatching(/^[a-z0-9-]{1,12}(\.[a-z0-9-]{1,12}){1,3}$/);

const numberOf = (table: NameTable, one: string) => {
  const place = table.find(one);
  return place < 0 ? -1 : table.numberAt(place);
};

describe('the name table', () => {
  test('numbers any hostnames exactly as a Map would', () => {
    fc.assert(
      fc.property(fc.array(name, { maxLength: 300 }), fc.array(name), (added, asked) => {
        const table = new NameTable();
        const model = new Map<string, number>();
        for (const one of added) {
          if (!model.has(one)) model.set(one, model.size);
          expect(table.numberAt(table.add(one))).toBe(model.get(one));
        }
        expect(table.size).toBe(model.size);
        for (const one of [...added, ...asked]) expect(numberOf(table, one)).toBe(model.get(one) ?? -1);
      }),
    );
  });

  test('keeps every number and tag while it grows to 100,000 hostnames', () => {
    const table = new NameTable();
    const nameOf = (i: number) => `customer-${i}.example-${i % 977}.com`;
    for (let i = 0; i < 100_000; i++) table.setTag(table.add(nameOf(i)), i % 256);
    const wrong = Array.from({ length: 100_000 }, (_, i) => i).filter(
      (i) => numberOf(table, nameOf(i)) !== i || table.tagAt(table.find(nameOf(i))) !== i % 256,
    );
    expect(wrong).toEqual([]);
    for (let i = 0; i < 1_000; i++) expect(table.find(`customer-${i}.example.com`)).toBe(-1);
  });

  test('never mistakes other text for a stored hostname: longer, truncated, or with characters of the same last byte', () => {
    const table = new NameTable();
    table.add('shop.example');
    for (const other of ['shop.exampl', 'shop.example.', 'a'.repeat(70_000), 'ŷhop.example', 'ſhop.example', ''])
      expect(table.find(other)).toBe(-1);
    expect(() => table.add('a'.repeat(256))).toThrow(RangeError);
  });
});

const applications = ['a', 'b', 'c'];
const hostnames = ['one.com', 'two.com', 'three.com'];
const history = fc.array(
  fc.record({
    hostname: fc.constantFrom(...hostnames),
    standing: fc.constantFrom(...STANDINGS),
    application_id: fc.constantFrom(...applications),
    certificate_id: fc.constantFrom(null, 'certificate-1', 'certificate-2'),
    route: fc.constantFrom(
      null,
      { live_at: null, maintenance: 'a' },
      { live_at: 1, origin_url: 'https://own.example' },
    ),
  }),
  { minLength: 1, maxLength: 20 },
);

describe('the admission table', () => {
  test('ends in the state of the newest changes, however late, often or disordered they arrive', () => {
    const disordered = history.chain((changes) => {
      const numbered = changes.map((change, index): NameChange => ({ ...change, sequence: index + 1 }));
      const twice = [...numbered, ...numbered];
      return fc.tuple(fc.constant(numbered), fc.shuffledSubarray(twice, { minLength: twice.length }));
    });
    fc.assert(
      fc.property(disordered, ([inOrder, arriving]) => {
        const table = new AdmissionTable();
        for (const change of arriving) table.apply(change);
        for (const hostname of hostnames) {
          const last = inOrder.findLast((change) => change.hostname === hostname);
          expect(table.standingOf(hostname)).toBe(last?.standing ?? 'none');
          expect(table.certificateOf(hostname, true)).toBe(last?.certificate_id ?? null);
          expect(table.lookup(hostname).route).toEqual(last?.route ?? null);
        }
      }),
    );
  });

  test('never restores a removed hostname because of an older change', () => {
    const table = new AdmissionTable();
    const change = { hostname: 'one.com', application_id: 'a', certificate_id: null, route: null };
    table.apply({ ...change, sequence: 7, standing: 'archived' });
    table.apply({ ...change, sequence: 5, standing: 'serving' });
    expect(table.standingOf('one.com')).toBe('archived');
    table.apply({ ...change, sequence: 9, standing: 'held' });
    expect(table.standingOf('one.com')).toBe('held');
  });

  test('gives every hostname its application’s newest origin, even if the origin arrived before the hostname', () => {
    const table = new AdmissionTable();
    table.apply({
      application_id: 'a',
      sequence: 3,
      origin_url: 'https://new.example',
      ...NO_BRANDING,
      display_name: 'New',
      logo_url: 'https://new.example/logo.svg',
      suspended: false,
      secrets: [],
    });
    const one = { hostname: 'one.com', application_id: 'a', certificate_id: null, route: null };
    table.apply({ ...one, sequence: 2, standing: 'serving' });
    table.apply({
      application_id: 'a',
      sequence: 1,
      origin_url: 'https://old.example',
      ...NO_BRANDING,
      display_name: 'Old',
      suspended: false,
      secrets: [],
    });
    table.apply({ ...one, hostname: 'two.com', application_id: 'b', sequence: 4, standing: 'serving' });
    expect(table.lookup('one.com')).toEqual({
      standing: 'serving',
      own: 'serving',
      route: null,
      secrets: [],
      origin_url: 'https://new.example',
      application_id: 'a',
      ...NO_BRANDING,
      display_name: 'New',
      logo_url: 'https://new.example/logo.svg',
    });
    expect(table.lookup('two.com')).toEqual({
      standing: 'serving',
      own: 'serving',
      route: null,
      secrets: [],
      origin_url: null,
      application_id: 'b',
      ...NO_BRANDING,
    });
    expect(table.lookup('three.com')).toEqual(UNKNOWN_NAME);
  });
});
