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
/** The first is written by both at once, the others by one of the two. */
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
  'two processes that write one set at %s lose neither each other’s values nor foreign ones, and take away exactly theirs',
  async (slug) => {
    const double = await startDoubleOf(slug);
    try {
      double.addZone(ZONE, FOREIGN);
      const before = double.dump(ZONE);
      const { credential, url: baseUrl, tokenUrl } = double;
      const at = { slug, credential, baseUrl, tokenUrl, zone: ZONE, host: HOST };
      const atOnce = (verb: 'add' | 'remove') =>
        Promise.all(writers.map((writer, i) => writer.write({ ...at, verb, values: valuesOf(i + 1) })));

      await atOnce('add');
      expect(double.dump(ZONE)).toEqual(expect.arrayContaining(before));
      const present = double.served(ZONE).filter(({ name, type }) => name === HOST && type === 'TXT');
      expect(present.map(({ rdata }) => rdata).sort()).toEqual(
        ['theirs', 'google-site-verification=abc', ...new Set([...valuesOf(1), ...valuesOf(2)])]
          .map((value) => `"${value}"`)
          .sort(),
      );

      await atOnce('remove');
      expect(double.dump(ZONE)).toEqual(before);
    } finally {
      await double.stop();
    }
  },
  300_000,
);
