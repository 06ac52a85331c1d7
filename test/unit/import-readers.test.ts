import fc from 'fast-check';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { approximatedSource } from '../../src/cli/import/approximated.ts';
import { caddySource } from '../../src/cli/import/caddy.ts';
import { cloudflareSource } from '../../src/cli/import/cloudflare.ts';
import { csvSource } from '../../src/cli/import/csv.ts';
import { piecesIn } from '../../src/cli/import/json-rows.ts';
import { Findings, type ImportRow, type ImportSource } from '../../src/cli/import/source.ts';
import { virtualHost, virtualHosts } from '../support/exports/approximated.ts';
import { LETS_ENCRYPT, writeSite } from '../support/exports/caddy.ts';
import { customHostname, customHostnames } from '../support/exports/cloudflare.ts';
import { tempFolder } from '../support/temp-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await tempFolder();
});

async function read(source: ImportSource): Promise<{ rows: ImportRow[]; findings: Findings }> {
  const [rows, findings]: [ImportRow[], Findings] = [[], new Findings()];
  for await (const row of source.rows(findings)) rows.push(row);
  return { rows, findings };
}

/** Reads a file with this content. */
async function readFileAs(make: (file: string) => ImportSource, content: string | Buffer) {
  const file = join(folder, 'export');
  await writeFile(file, content);
  return read(make(file));
}
const cloudflare = (content: object | string) =>
  readFileAs(cloudflareSource, typeof content === 'string' ? content : JSON.stringify(content));
const approximated = (content: object) => readFileAs(approximatedSource, JSON.stringify(content));
const csv = (content: string | Buffer) => readFileAs((file) => csvSource(file, (name) => name), content);

async function* inParts(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield await Promise.resolve(text.slice(at, at + size));
}

test("Cloudflare's custom hostnames keep their Host header, origin and metadata, and no field of the fixture is reported", async () => {
  const { rows, findings } = await cloudflare(
    customHostnames([
      customHostname('plain.fleet-shop.com'),
      customHostname('own.fleet-shop.com', {
        custom_origin_server: 'o.fleet-origin.com',
        custom_metadata: { plan: 'a' },
      }),
    ]),
  );
  expect(rows).toEqual([
    { hostname: 'plain.fleet-shop.com', external_id: null, given: { host_header: 'visitor' } },
    {
      hostname: 'own.fleet-shop.com',
      external_id: null,
      given: { host_header: 'visitor', origin_url: 'https://o.fleet-origin.com', metadata: { plan: 'a' } },
    },
  ]);
  expect([findings.ignored.list(), findings.warnings]).toEqual([[], []]);
});

test('a field that is unknown, or that cannot be taken over, is reported once with its count', async () => {
  const { findings } = await cloudflare(
    customHostnames([
      customHostname('a.fleet-shop.com', { custom_origin_sni: 'x.com', new_field: { deep: 1 } }),
      customHostname('b.fleet-shop.com', { new_field: 2, ssl: { wildcard: false, new_part: true } }),
    ]),
  );
  expect(findings.ignored.list()).toEqual([
    { field: 'custom_origin_sni', rows: 1 },
    { field: 'new_field', rows: 2 },
    { field: 'ssl.new_part', rows: 1 },
  ]);
});

test('hostnames that Cloudflare no longer serves, and rows of another shape, are refused with their reason', async () => {
  const { rows } = await cloudflare(
    customHostnames([
      customHostname('gone.fleet-shop.com', { status: 'moved' }),
      { name: 'x' },
      customHostname('bad.fleet-shop.com', { custom_metadata: { plan: { nested: true } } }),
    ]),
  );
  expect(rows.map(({ problem }) => problem?.code)).toEqual(['not_served', 'invalid_row', 'invalid_route']);
});

test('pages may follow each other or be in an array, and missing pages are reported', async () => {
  const pages = ['a', 'b', 'c'].map((name) => customHostnames([customHostname(`${name}.fleet-shop.com`)], 3));
  const names = ['a.fleet-shop.com', 'b.fleet-shop.com', 'c.fleet-shop.com'];
  const asText = pages.map((page) => JSON.stringify(page, null, 2)).join('\n');
  for (const content of [asText, JSON.stringify(pages), JSON.stringify(pages.flatMap(({ result }) => result))]) {
    const { rows, findings } = await cloudflare(content);
    expect([rows.map(({ hostname }) => hostname), findings.warnings]).toEqual([names, []]);
  }
  const { findings } = await cloudflare(pages[0]!);
  expect(findings.warnings).toEqual([expect.stringContaining('has 1 of 3 hostnames')]);
});

test.each([
  ['a page of HTML', '<!doctype html>'],
  ['an error answer', JSON.stringify({ success: false, errors: [{ code: 9_109 }], messages: [], result: null })],
  ['an error after a page', JSON.stringify(customHostnames([])) + JSON.stringify({ success: false, result: null })],
  ['an answer that was cut off', JSON.stringify(customHostnames([customHostname('a.fleet-shop.com')])).slice(0, -30)],
  ['a row that was cut off', '{"result":[{"hostname":"a.fleet'],
  ['a list of texts', '{"result":["a.fleet-shop.com"]}'],
  ['a list of numbers', '{"result":[1,2]}'],
  ['nothing', ''],
  ['a row that is no JSON', '{"result":[{"hostname":x}]}'],
])('%s is refused as a whole', async (_, content) => {
  await expect(cloudflare(content)).rejects.toThrow(/is no JSON with a list `result`|ends in the middle/);
});

test('rows are found wherever the chunks of the file end, with any text in the strings', async () => {
  const row = fc.record({ hostname: fc.string({ unit: 'grapheme' }), more: fc.jsonValue() });
  const answer = fc.record({ before: fc.jsonValue(), result: fc.array(row, { maxLength: 4 }), after: fc.jsonValue() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(answer, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 40 }),
      async (answers, size) => {
        const text = answers.map((one) => JSON.stringify(one)).join('\n');
        const found: unknown[] = [];
        for await (const { value } of piecesIn(inParts(text, size), 'f', { rows: 'result' })) found.push(value);
        expect(found).toEqual(JSON.parse(JSON.stringify(answers.flatMap(({ result }) => result))));
      },
    ),
  );
});

test("Approximated's virtual hosts become origins and redirects, and no field of the fixture is reported", async () => {
  const { rows, findings } = await approximated(
    virtualHosts([
      virtualHost('a.fleet-shop.com'),
      virtualHost('b.fleet-shop.com', { target_ports: '80', keep_host: true }),
      virtualHost('c.fleet-shop.com', { target_address: 'https://other.fleet-origin.com', target_ports: '8443' }),
      virtualHost('d.fleet-shop.com', {
        redirect: true,
        target_address: 'https://e.fleet-shop.com',
        redirect_www: true,
      }),
    ]),
  );
  expect(rows.map(({ given }) => given)).toEqual([
    { origin_url: 'https://app.fleet-origin.com' },
    { origin_url: 'http://app.fleet-origin.com', host_header: 'visitor' },
    { origin_url: 'https://other.fleet-origin.com:8443/' },
    { redirect: { to: 'https://e.fleet-shop.com', status: 301 } },
  ]);
  expect(findings.ignored.list()).toEqual([]);
  const one = await approximated({ data: virtualHost('a.fleet-shop.com', { brand_new: 1 }) });
  expect([one.rows.length, one.findings.ignored.list()]).toEqual([1, [{ field: 'brand_new', rows: 1 }]]);
});

test('a virtual host whose meaning here is not known is refused and never guessed', async () => {
  const { rows } = await approximated(
    virtualHosts([
      virtualHost('a.fleet-shop.com', { target_ports: '8080' }),
      virtualHost('a.fleet-shop.com/path', { exact_match: true }),
      { incoming_address: 'a.fleet-shop.com' },
    ]),
  );
  expect(rows.map(({ problem }) => problem?.code)).toEqual(['target_ports', 'exact_match', 'invalid_row']);
});

test('CSV has the columns of batches; an unknown column is reported with the number of rows that fill it', async () => {
  const { rows, findings } = await csv(
    '\ufeffHostname,external_id,origin_url,var.shop,metadata.plan,comment,empty\na.fleet-shop.com,7,https://o.com,one,gold,hi,\nb.fleet-shop.com,,,,,,\n',
  );
  expect(rows).toEqual([
    {
      hostname: 'a.fleet-shop.com',
      external_id: '7',
      given: { origin_url: 'https://o.com', metadata: { plan: 'gold' } },
      serve: true,
      variables: { shop: 'one' },
    },
    { hostname: 'b.fleet-shop.com', external_id: null, given: {}, serve: true, variables: {} },
  ]);
  expect(findings.ignored.list()).toEqual([{ field: 'comment', rows: 1 }]);
});

test.each([
  ['UTF-16 with a byte order mark', Buffer.from('\ufeffhostname\na.fleet-shop.com\n', 'utf16le'), 'is UTF-16'],
  ['UTF-16 without one', Buffer.from('hostname\na.fleet-shop.com\n', 'utf16le'), 'contains NUL bytes'],
  ['Latin-1', Buffer.from('hostname\nbücher.fleet-shop.com\n', 'latin1'), 'is not UTF-8'],
  ['UTF-8 that was cut off', Buffer.from('hostname\nbü').subarray(0, -1), 'is not UTF-8'],
])('a file in %s is refused with a sentence', async (_, content, sentence) => {
  await expect(csv(content)).rejects.toThrow(sentence);
  await expect(readFileAs(cloudflareSource, content)).rejects.toThrow(join(folder, 'export'));
});

test('a file that does not exist, and a folder that is no storage of Caddy, are refused with a sentence', async () => {
  await expect(read(csvSource(join(folder, 'none'), (name) => name))).rejects.toThrow('cannot be read');
  await expect(read(caddySource(folder))).rejects.toThrow('is no storage folder of Caddy');
});

const pair = (name: string) => ({ chain: `chain of ${name}`, key: `key of ${name}` });

test("Caddy's storage gives one row for each hostname, with a certificate of each issuer", async () => {
  await writeSite(folder, 'a.fleet-shop.com', pair('a'));
  await writeSite(folder, 'a.fleet-shop.com', pair('a2'), { issuer: 'acme.zerossl.com-v2-dv90' });
  await writeSite(folder, '*.b.fleet-shop.com', pair('b'), { metadata: { extra: 1 } });
  await writeSite(folder, '192.0.2.1', pair('ip'), { issuer: 'local' });
  const { rows, findings } = await read(caddySource(folder));
  expect(new Set(rows)).toEqual(
    new Set([
      { hostname: '192.0.2.1', external_id: null, certificates: [pair('ip')] },
      { hostname: 'a.fleet-shop.com', external_id: null, certificates: [pair('a'), pair('a2')] },
      { hostname: '*.b.fleet-shop.com', external_id: null, certificates: [pair('b')] },
    ]),
  );
  expect(findings.ignored.list()).toEqual([{ field: 'extra', rows: 1 }]);
});

test('symbolic links in a storage of Caddy are never followed, and files that are no small regular files are not read', async () => {
  const elsewhere = await tempFolder();
  await writeFile(join(elsewhere, 'secret'), 'SECRET');
  await writeSite(elsewhere, 'linked.fleet-shop.com', pair('linked'));
  const certificates = join(folder, 'certificates', LETS_ENCRYPT);
  for (const name of ['crt.fleet-shop.com', 'big.fleet-shop.com']) await writeSite(folder, name, pair(name));
  await writeFile(join(certificates, 'big.fleet-shop.com', 'big.fleet-shop.com.crt'), Buffer.alloc(300_000, 65));
  await mkdir(join(certificates, 'odd.fleet-shop.com', 'odd.fleet-shop.com.crt'), { recursive: true });
  await mkdir(join(certificates, 'link.fleet-shop.com'));
  await symlink(join(elsewhere, 'secret'), join(certificates, 'link.fleet-shop.com', 'link.fleet-shop.com.crt'));
  await symlink(join(elsewhere, 'secret'), join(certificates, 'link.fleet-shop.com', 'link.fleet-shop.com.key'));
  await symlink(join(elsewhere, 'certificates', LETS_ENCRYPT), join(folder, 'certificates', 'other-issuer'));
  await symlink(
    join(elsewhere, 'certificates', LETS_ENCRYPT, 'linked.fleet-shop.com'),
    join(certificates, 'linked.fleet-shop.com'),
  );
  const { rows } = await read(caddySource(folder));
  expect(JSON.stringify(rows)).not.toMatch(/SECRET|key of linked/);
  const byName = new Map(rows.map((row) => [row.hostname, row]));
  expect(byName.get('link.fleet-shop.com')).toMatchObject({
    certificates: [],
    unreadable: expect.stringContaining('link') as string,
  });
  expect(byName.get('big.fleet-shop.com')?.certificates).toEqual([]);
  expect(byName.get('odd.fleet-shop.com')?.certificates).toEqual([]);
  expect(byName.get('crt.fleet-shop.com')?.certificates).toHaveLength(1);
  for (const name of ['linked.fleet-shop.com', 'other-issuer'])
    expect(byName.get(name)?.problem?.code).toBe('symbolic_link');
});
