import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { archiveConnection, lockConnection } from '../../src/db/connection/connections.ts';
import { none, sql } from '../../src/db/pool.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { runCli } from '../support/fixtures/cli.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

let api: TestApi;
let tenant: NewTenant;
let folder: string;
beforeAll(async () => {
  api = await startTestApi();
  [tenant, folder] = await Promise.all([api.tenant(), tempFolder()]);
});
afterAll(() => api.stop());

async function create(csv: string, ...more: string[]) {
  const file = join(folder, 'names.csv');
  await writeFile(file, csv);
  const args = ['batch', 'create', '--application', tenant.live.application_id, '--file', file, ...more];
  return runCli(args, { DATABASE_URL: api.databaseUrl });
}
const list = async (hostname: string) =>
  expectData(await api.client(tenant.live.key).GET('/v1/connections', { params: { query: { hostname } } })).data;

test('a file of hostnames becomes a batch, --watch waits for its end, and the results list every challenge', async () => {
  const [first, second] = [someName(), someName()];
  const results = join(folder, 'results.csv');

  const watching = create(
    `\ufeffHostname,note,External_Id\r\n${first},a note,=1+1\r\n\r\n"${second}",,\r\n`,
    '--watch',
    '--json',
    '--results',
    results,
    '--spreadsheet',
  );
  await until(async () => (await list(second)).length === 1, 30_000);
  for (const name of [first, second])
    await api.deps.pool.transaction(async (tx) => {
      const [connection] = await list(name);
      await archiveConnection(tx, (await lockConnection(tx, connection!.id))!, new Date());
    });
  const { out, err, code } = await watching;

  expect([code, JSON.parse(out)]).toMatchObject([0, { total: 2, results: { created: 2 }, states: { archived: 2 } }]);
  expect(err).toMatch(/^\[-{30}\] 0\/2 {2}2 pending_ownership\n(.*\n)*\[#{30}\] 2\/2 {2}2 archived\n$/);
  const [connection] = await list(first);
  const lines = (await readFile(results, 'utf8')).split('\n');
  expect(lines[0]).toBe(
    'row,hostname,external_id,result,connection_id,state,error_code,problem,challenge_name,challenge_value',
  );
  expect(lines[1]).toMatch(
    new RegExp(`^1,${first},'=1\\+1,created,${connection!.id},archived,,,_service-challenge.${first},[\\w-]{43}$`),
  );
});

/** Returns the cells of one column, by its name in the header. */
const column = (csv: string, name: string): string[] => {
  const [header = '', ...lines] = csv.trimEnd().split('\n').map((line) => line.split(',')); // prettier-ignore
  return lines.map((cells) => cells[header.indexOf(name)] ?? '');
};

test('results for programs hold the challenge as it must be published, even if it begins with a dash', async () => {
  const results = join(folder, 'plain.csv');
  const names = Array.from({ length: 5 }, () => someName());
  const { out } = await create(names.join('\n'), '--json');
  const { batch_id } = JSON.parse(out) as { batch_id: string };
  // Some tokens begin with a dash by chance. This makes one of them certain.
  await api.deps.pool.query(
    sql.type(
      none,
    )`UPDATE connections SET challenge_token = '-' || substr(challenge_token, 2) WHERE hostname = ${names[0]!}`,
  );

  await runCli(['batch', 'show', '--batch', batch_id, '--results', results], { DATABASE_URL: api.databaseUrl });

  const values = column(await readFile(results, 'utf8'), 'challenge_value');
  expect(values[0]).toMatch(/^-[\w-]{42}$/);
  for (const value of values) expect(value).toMatch(/^[\w-]{43}$/);
});

test('a hostname that is in the file twice with different external ids is refused, and skipped rows keep their numbers', async () => {
  const [first, second] = [someName(), someName()];
  const results = join(folder, 'twice.csv');
  const csv = `hostname,external_id\n${first},a\nnot a hostname,b\n${first.toUpperCase()},c\n${first},a\n${second},d\n`;

  const refused = await create(csv);
  const skipped = await create(csv, '--skip-invalid', '--results', results, '--json');

  expect(refused.err).toContain(
    'line 4, column 1 (hostname): line 2 has the same hostname with another external_id. Only one can be connected.',
  );
  expect(JSON.parse(skipped.out)).toMatchObject({ total: 5, results: { created: 2, existing: 1, invalid: 2 } });
  const written = await readFile(results, 'utf8');
  expect(column(written, 'row')).toEqual(['1', '2', '3', '4', '5']);
  expect(column(written, 'result')).toEqual(['created', 'invalid', 'invalid', 'existing', 'created']);
  expect(column(written, 'external_id')).toEqual(['a', 'b', 'c', 'a', 'd']);
  expect(written.split('\n')[3]).toContain('line 2 has the same hostname with another external_id.');
});

test('a file with problems connects nothing and reports the line and column of each, unless --skip-invalid is set', async () => {
  const name = someName();
  const csv = `${name}\n\nhttps://${name}/\n"${name}",${'x'.repeat(256)}\nco.uk\n`;

  const refused = await create(csv);
  const before = await list(name);
  const skipped = await create(csv, '--skip-invalid');

  expect([refused.code, refused.out, before]).toEqual([1, '', []]);
  expect(refused.err.split('\n').map((line) => line.replace(/^.*names\.csv: /, ''))).toEqual([
    `line 3, column 1 (hostname): Give the host name only, without a scheme. Did you mean ${name}?`,
    'line 4, column 2 (external_id): must be up to 255 printable characters.',
    'line 5, column 1 (hostname): co.uk is a public suffix. Connect a hostname below it.',
    'No hostname was connected. Fix the file, or use --skip-invalid.',
    '',
  ]);
  expect([skipped.code, await list(name)]).toMatchObject([0, [{ hostname: name }]]);
});

test('a file that is not CSV, or has no or too many hostnames, is refused in one sentence', async () => {
  const many = Array.from({ length: 1_001 }, (_, index) => `n${index}.shop-site.com`).join('\n');

  const [open, empty, long] = [
    await create('a.shop-site.com\n"b.shop'),
    await create('hostname\n'),
    await create(many),
  ];

  expect([open.code, open.err]).toEqual([1, expect.stringMatching(/names\.csv: line 2, column 1: Quote Not Closed/)]);
  expect([empty.code, empty.err]).toEqual([
    1,
    expect.stringMatching(/names\.csv contains no hostname that can be connected\.\n$/),
  ]);
  expect([long.code, long.err]).toEqual([
    2,
    expect.stringMatching(/1001 hostnames, but a batch can have at most 1000/),
  ]);
});
