import fc from 'fast-check';
import { sameValue } from '../../src/domain/record.ts';
import { absolute, relative } from '../../src/providers/toolkit/names.ts';
import { caaParts, fromCaaParts, fromRdata, toRdata } from '../../src/providers/toolkit/rdata.ts';
import { quoteTxt, splitTxt, txtFromBytes, txtToBytes, unquoteTxt } from '../../src/providers/toolkit/txt.ts';
import { longestZone, walkZones } from '../../src/providers/toolkit/zone-walk.ts';
import { escapeXml, parseXml, textOf } from '../../src/providers/toolkit/xml.ts';

const text = fc.string({ unit: 'binary', maxLength: 700 });

describe('TXT', () => {
  test.each([8, 10] as const)('any text survives quoting with escapes of base %i', (radix) => {
    fc.assert(fc.property(text, (value) => unquoteTxt(quoteTxt(value, radix), radix) === value));
  });

  test('every quoted string is printable ASCII of at most 255 bytes', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(quoteTxt(value)).toMatch(/^"[\x20-\x7e]*"$/);
        expect(splitTxt(value).every((chunk) => chunk.length <= 255)).toBe(true);
      }),
    );
  });

  test.each([
    ['"one" "two"', 'onetwo'],
    ['"one""two"', 'onetwo'],
    [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
    [String.raw`"\195\164"`, 'ä'],
    ['raw, unquoted', 'raw, unquoted'],
    ['"only at the front', '"only at the front'],
    ['""', ''],
  ])('%s reads as %s', (presentation, value) => {
    expect(unquoteTxt(presentation)).toBe(value);
  });

  test('bytes that are not UTF-8 become one character each, so that two different ones stay different', () => {
    expect(txtFromBytes(Buffer.from([0xff, 0x41]))).toBe('ÿA');
    expect(txtFromBytes(txtToBytes('ÿA'))).toBe('ÿA');
  });
});

describe('names', () => {
  const label = fc.stringMatching(/^[a-z0-9_]{1,10}$/);
  const zone = fc.tuple(label, label).map((labels) => labels.join('.'));
  const below = fc.array(label, { maxLength: 3 });

  test('relative and absolute are inverse, including the apex', () => {
    fc.assert(
      fc.property(zone, below, fc.constantFrom('@' as const, '' as const), (name, labels, apex) => {
        const host = [...labels, name].join('.');
        expect(absolute(relative(host, name, apex), name)).toBe(host);
        expect(absolute(`${host}.`, name)).toBe(host);
      }),
    );
  });

  test('the longest zone wins, and only whole labels count', () => {
    const zones = [{ name: 'example.test' }, { name: 'shop.example.test' }, { name: 'ple.test' }];
    expect(longestZone('a.shop.example.test', zones)?.name).toBe('shop.example.test');
    expect(longestZone('ashop.example.test', zones)?.name).toBe('example.test');
    expect(longestZone('other.test', zones)).toBeUndefined();
  });

  test('a walk tries every name that could be the zone, longest first, and never a top-level domain', async () => {
    const asked: string[] = [];
    await walkZones('a.b.example.test', (name) => {
      asked.push(name);
      return Promise.resolve(undefined);
    });
    expect(asked).toEqual(['a.b.example.test', 'b.example.test', 'example.test']);
  });
});

describe('values', () => {
  test.each([
    ['MX', '10 Mail.Example.NET.', { type: 'MX', value: 'mail.example.net', priority: 10 }],
    ['SRV', '20 5 5060 sip.example.net.', { type: 'SRV', value: '5 5060 sip.example.net', priority: 20 }],
    ['CAA', '0 issue letsencrypt.org', { type: 'CAA', value: '0 issue "letsencrypt.org"', priority: null }],
    ['TLSA', '3 1 1 abcd', { type: 'OTHER', value: 'TLSA 3 1 1 abcd', priority: null }],
  ])('%s %s is read', (type, rdata, value) => {
    expect(fromRdata(type, rdata)).toEqual(value);
  });

  test('two spellings of one CAA value are the same value', () => {
    expect(sameValue('CAA', '0 Issue letsencrypt.org', fromRdata('CAA', '0 issue "letsencrypt.org"').value)).toBe(true);
    expect(sameValue('CAA', '0 issue "letsencrypt.org"', '0 issuewild "letsencrypt.org"')).toBe(false);
  });

  test('CAA parameters and quotes survive', () => {
    const value = '128 issue "ca.example; account=1"';
    expect(toRdata({ type: 'CAA', value, priority: null })).toBe(value);
    expect(caaParts(value)).toEqual({ flags: 128, tag: 'issue', value: 'ca.example; account=1' });
  });

  test('a CAA value in parts equals its zone-file form, for any content, and is never split', () => {
    const ascii = fc.string({ unit: 'binary-ascii' });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 255 }), fc.stringMatching(/^[a-z0-9]+$/), ascii, (flags, tag, value) => {
        const inParts = fromCaaParts({ flags, tag: tag.toUpperCase(), value });
        expect(caaParts(inParts.value)).toEqual({ flags, tag, value });
        expect(fromRdata('CAA', toRdata(inParts))).toEqual(inParts);
      }),
    );
    expect(fromCaaParts({ flags: 0, tag: 'iodef', value: 'x'.repeat(300) }).value).toBe(`0 iodef "${'x'.repeat(300)}"`);
    expect(fromRdata('CAA', 'no value').value).toBe('no value');
  });
});

describe('XML', () => {
  test('any text survives escaping', () => {
    fc.assert(
      fc.property(fc.string(), (value) => textOf(parseXml(`<a><b c="1">${escapeXml(value)}</b></a>`), 'b') === value),
    );
  });

  test.each([
    '',
    'plain',
    '<a>',
    '<a></b>',
    '<a/><b/>',
    '<html><br></html>',
    '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
  ])('text that is not one well-formed element gives undefined: %s', (source) => {
    expect(parseXml(source)).toBeUndefined();
  });
});
