import { startWriter, type Writer } from '../support/fixtures/writer.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { doubledSlugs, startDoubleOf } from './every-double.ts';

const ZONE = 'example.test';
const HOST = `_token.${ZONE}`;
const FOREIGN = [
  { name: '', type: 'MX', ttl: 7200, rdata: '10 mail.example.net.' },
  { name: '_token', type: 'TXT', ttl: 7200, rdata: '"theirs"' },
  { name: '_token', type: 'TXT', ttl: 7200, rdata: '"google-site-verification=abc"' },
];
/** Both processes write the first value concurrently; only one of them writes each other value. */
const SHARED = 'of both';
const valuesOf = (writer: number): string[] => [SHARED, ...[1, 2, 3, 4, 5].map((i) => `value ${i} of ${writer}`)];

let database: TestDatabase;
let writers: Writer[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  writers = await Promise.all([startWriter(database.url), startWriter(database.url)]);
});
afterAll(async () => {
  await Promise.all(writers.map((writer) => writer.stop()));
  await database.drop();
});

test.each(doubledSlugs)(
  'two processes that write one set at %s lose neither their own nor foreign values, and each removes exactly its own',
  async (slug) => {
    const double = await startDoubleOf(slug);
    try {
      double.addZone(ZONE, FOREIGN);
      const before = double.dump(ZONE);
      const { credential, url: baseUrl, tokenUrl } = double;
      const at = { slug, credential, baseUrl, tokenUrl, zone: ZONE, host: HOST };
      const concurrently = (verb: 'add' | 'remove') =>
        Promise.all(writers.map((writer, i) => writer.write({ ...at, verb, values: valuesOf(i + 1) })));

      await concurrently('add');
      expect(double.dump(ZONE)).toEqual(expect.arrayContaining(before));
      const present = double.served(ZONE).filter(({ name, type }) => name === HOST && type === 'TXT');
      expect(present.map(({ rdata }) => rdata).sort()).toEqual(
        ['theirs', 'google-site-verification=abc', ...new Set([...valuesOf(1), ...valuesOf(2)])]
          .map((value) => `"${value}"`)
          .sort(),
      );

      await concurrently('remove');
      expect(double.dump(ZONE)).toEqual(before);
    } finally {
      await double.stop();
    }
  },
  300_000,
);
