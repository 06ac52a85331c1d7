import { decode, encode, type Answer } from 'dns-packet';
import fc from 'fast-check';
import {
  answersQuery,
  decodeMessage,
  randomize,
  encodeQuery,
  isWireName,
  type QuestionType,
} from '../../src/dns/message.ts';
import { printableOf, printableText } from '../../src/domain/observation/printable-text.ts';

const label = fc.stringMatching(/^[a-z0-9_]([a-z0-9-]{0,20}[a-z0-9])?$/);
const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'));
const type = fc.constantFrom<QuestionType>('A', 'AAAA', 'CNAME', 'TXT', 'MX', 'CAA', 'NS', 'SRV', 'SOA');
const ttl = fc.nat(0x7fff_ffff);
const strings = fc.array(fc.uint8Array({ maxLength: 255 }), { minLength: 1, maxLength: 8 });

const response = (answers: Answer[]) => encode({ type: 'response', id: 7, flags: 0, questions: [], answers });

describe('the wire codec', () => {
  test('never throws, for any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => void decodeMessage(Buffer.from(bytes))));
  });

  test('never throws on valid messages with one changed byte', () => {
    const mutated = fc.tuple(name, strings, fc.nat(), fc.nat(255));
    fc.assert(
      fc.property(mutated, ([owner, texts, at, byte]) => {
        const bytes = response([{ type: 'TXT', name: owner, ttl: 60, data: texts.map((text) => Buffer.from(text)) }]);
        bytes[at % bytes.length] = byte;
        decodeMessage(bytes);
      }),
    );
  });

  test('a query contains its question', () => {
    fc.assert(
      fc.property(fc.nat(0xffff), name, type, fc.boolean(), (id, owner, asked, recursion) => {
        const query = encodeQuery({ name: owner, type: asked, recursion }, true);
        randomize(query, id, () => 0xff);
        const read = decode(query);
        expect(read).toMatchObject({ type: 'query', id, flag_rd: recursion, flag_ad: recursion, flag_cd: false });
        expect(read.questions).toEqual([{ name: expect.any(String) as string, type: asked, class: 'IN' }]);
        expect(read.questions?.[0]?.name.toLowerCase()).toBe(owner);
        expect(read.additionals).toMatchObject([{ type: 'OPT', udpPayloadSize: 1232, ednsVersion: 0 }]);
      }),
    );
  });

  test('the strings of one TXT record become one value, equal to the byte', () => {
    fc.assert(
      fc.property(name, ttl, strings, (owner, seconds, texts) => {
        const record = {
          type: 'TXT',
          name: owner,
          ttl: seconds,
          data: texts.map((text) => Buffer.from(text)),
        } as const;
        const value = printableText(Buffer.concat(texts));
        expect(decodeMessage(response([record]))?.answers).toEqual([
          { name: owner, type: 'TXT', value, ttl: seconds, priority: null },
        ]);
      }),
    );
  });

  test('every record type keeps its value, priority and TTL', () => {
    const bytes = response([
      { type: 'A', name: 'a.test', ttl: 1, data: '192.0.2.1' },
      { type: 'AAAA', name: 'A.test', ttl: 2, data: '2001:db8:0:0::1' },
      { type: 'CNAME', name: 'a.test', ttl: 3, data: 'Edge.Saas.test' },
      { type: 'MX', name: 'a.test', ttl: 4, data: { preference: 10, exchange: 'mx.test' } },
      { type: 'SRV', name: 'a.test', ttl: 5, data: { priority: 1, weight: 2, port: 443, target: 'srv.test' } },
      { type: 'CAA', name: 'a.test', ttl: 6, data: { flags: 0, tag: 'issue', value: 'letsencrypt.org' } },
    ]);
    const answers = decodeMessage(bytes)?.answers.map(({ type, value, priority, ttl }) => [type, value, priority, ttl]);
    expect(answers).toEqual([
      ['A', '192.0.2.1', null, 1],
      ['AAAA', '2001:db8::1', null, 2],
      ['CNAME', 'edge.saas.test', null, 3],
      ['MX', 'mx.test', 10, 4],
      ['SRV', '2 443 srv.test', 1, 5],
      ['CAA', '0 issue "letsencrypt.org"', null, 6],
    ]);
  });

  test('an extended rcode is not mistaken for NOERROR', () => {
    const opt = { type: 'OPT', name: '.', udpPayloadSize: 1232, extendedRcode: 1, ednsVersion: 0, flags: 0 } as const;
    const badVersion = encode({
      type: 'response',
      id: 1,
      questions: [],
      additionals: [{ ...opt, flag_do: false, options: [] }],
    });
    expect(decodeMessage(badVersion)?.rcode).toBe(16);
  });

  test('randomizing a query changes its id and its capitals, and nothing else', () => {
    fc.assert(
      fc.property(name, fc.nat(0xffff), fc.uint8Array({ minLength: 300, maxLength: 300 }), (owner, id, coins) => {
        const plain = encodeQuery({ name: owner, type: 'TXT', recursion: false }, true);
        const randomized = Buffer.from(plain);
        let next = 0;
        randomize(randomized, id, () => coins[next++] ?? 0);
        expect(randomized.readUInt16BE(0)).toBe(id);
        expect(randomized.toString('latin1', 2).toLowerCase()).toBe(plain.toString('latin1', 2).toLowerCase());
      }),
    );
  });

  test('a reply counts only if it repeats the question in our spelling', () => {
    fc.assert(
      fc.property(name, type, (owner, asked) => {
        const query = encodeQuery({ name: owner, type: asked, recursion: false }, true);
        const reply = Buffer.from(query);
        reply[2] = 0x80;
        expect(answersQuery(reply, query)).toBe('yes');
        expect(answersQuery(query, query)).toBe('no');
        expect(answersQuery(reply.subarray(0, 11), query)).toBe('no');
        const shouted = encodeQuery({ name: owner.toUpperCase(), type: asked, recursion: false }, true);
        expect(answersQuery(reply, shouted)).toBe(owner === owner.toUpperCase() ? 'yes' : 'other_case');
      }),
    );
  });
});

describe('names that can be queried', () => {
  test.each(['', 'a', 'a.b', '_service-challenge.shop.example.com', 'a'.repeat(63)])('%p', (good) => {
    expect(isWireName(good)).toBe(true);
  });

  test.each(['a..b', '.a', 'a'.repeat(64), `${'a.'.repeat(127)}a`, 'a b', 'ü', 'a\0b', '\\000.test'])(
    'not %p',
    (bad) => {
      expect(isWireName(bad)).toBe(false);
    },
  );
});

describe('the spelling of TXT values', () => {
  test('two values are equal to the byte exactly when their spellings are', () => {
    const bytes = fc.uint8Array({ maxLength: 12 });
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(printableText(a) === printableText(b)).toBe(Buffer.compare(a, b) === 0);
      }),
    );
  });

  test('contains nothing that Postgres cannot store', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = printableText(bytes);
        expect(text).not.toContain('\0');
        expect(text.isWellFormed()).toBe(true);
      }),
    );
  });

  test('leaves ordinary text unchanged', () => {
    expect(printableOf('v=spf1 include:_spf.example.com ~all')).toBe('v=spf1 include:_spf.example.com ~all');
    expect(printableOf('Zürich')).toBe('Zürich');
    expect(printableOf('a\0b')).toBe('a\\000b');
  });
});
