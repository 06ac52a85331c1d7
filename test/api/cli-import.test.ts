import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { judgeImport } from '../../src/certificates/imported.ts';
import { recordServed } from '../../src/certificates/served.ts';
import { lockConnection } from '../../src/db/connection/connections.ts';
import { none, sql } from '../../src/db/pool.ts';
import { certificateOf } from '../../src/db/certificate/certificates.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { startTestAuthority, type TestAuthority } from '../support/certificate-authority.ts';
import { virtualHost, virtualHosts } from '../support/exports/approximated.ts';
import { writeSite } from '../support/exports/caddy.ts';
import { customHostname, customHostnames } from '../support/exports/cloudflare.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { runCli } from '../support/fixtures/cli.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

jest.setTimeout(300_000);

let api: TestApi;
let authority: TestAuthority;
let tenant: NewTenant;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  [api, authority] = [await startTestApi(), await startTestAuthority()];
  env = {
    DATABASE_URL: api.databaseUrl,
    CREDENTIAL_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    EDGE_CNAME_TARGET: 'edge.service.dev',
    BASE_URL: 'https://api.service.dev',
    ORIGIN_ALLOW_PRIVATE: 'true',
  };
  await api.deps.pool.query(sql.type(none)`UPDATE plans SET connects_per_period = NULL WHERE id <> 'starter'`);
});
afterAll(() => api.stop());
beforeEach(async () => {
  [tenant, folder] = await Promise.all([api.tenant(), tempFolder()]);
});

const Report = z.object({
  total: z.number(),
  outcomes: z.record(z.string(), z.number()),
  ignored_fields: z.array(z.object({ field: z.string(), rows: z.number() })),
  warnings: z.array(z.string()),
  rows: z.array(
    z.object({
      row: z.number(),
      hostname: z.string(),
      outcome: z.string(),
      code: z.string().nullable(),
      reason: z.string().nullable(),
      connection_id: z.string().nullable(),
      certificate: z.string().nullable(),
      challenge_name: z.string().nullable(),
      challenge_value: z.string().nullable(),
    }),
  ),
});

/** Runs the command on a file or folder, and returns its report. */
async function run(from: string, path: string, ...more: string[]) {
  const args = ['import', '--from', from, path, '--application', tenant.live.application_id, '--json', ...more];
  const { out, err, code } = await runCli(args, env);
  return { code, err, report: out === '' ? null : Report.parse(JSON.parse(out)) };
}

async function runOn(from: string, content: string | Buffer | object, ...more: string[]) {
  const file = join(folder, 'export');
  const isText = typeof content === 'string' || Buffer.isBuffer(content);
  await writeFile(file, isText ? content : JSON.stringify(content));
  return run(from, file, ...more);
}

const count = (query: ReturnType<typeof sql.fragment>) =>
  api.deps.pool.oneFirst(sql.type(z.object({ count: z.number() }))`SELECT count(*) AS count ${query}`);
const ofTenant = () => count(sql.fragment`FROM connections WHERE tenant_id = ${tenant.tenant_id}`);
const codesOf = (rows: readonly { outcome: string; code: string | null }[]) =>
  rows.map(({ outcome, code }) => (code === null ? outcome : `${outcome}: ${code}`));

test('a dry run shows the plan and changes nothing, the import creates it, and a repetition finds every row here', async () => {
  const names = [someName(), someName(), someName()];
  const csv = `hostname,external_id,comment\n${names.map((name, n) => `${name},c-${n},x`).join('\n')}\n`;

  const planned = await runOn('csv', csv, '--dry-run');
  expect([planned.code, planned.report?.outcomes, await ofTenant()]).toMatchObject([0, { new: 3, created: 0 }, 0]);
  expect(planned.report?.ignored_fields).toEqual([{ field: 'comment', rows: 3 }]);
  expect(await count(sql.fragment`FROM batches WHERE tenant_id = ${tenant.tenant_id}`)).toBe(0);

  const report = join(folder, 'report.csv');
  const made = await runOn('csv', csv, '--report', report);
  expect([made.code, made.report?.outcomes, await ofTenant()]).toMatchObject([0, { created: 3 }, 3]);
  expect(made.err).toMatch(/imported: 3 of 3 rows/);
  expect(made.err).toContain('Plan for 3 rows: 3 new');
  expect(made.err).toContain('Not taken over: the field "comment", in 3 rows.');
  const [first] = made.report!.rows;
  const path = { id: first!.connection_id! };
  const shown = expectData(await api.client(tenant.live.key).GET('/v1/connections/{id}', { params: { path } }));
  expect(shown).toMatchObject({ hostname: names[0], external_id: 'c-0', state: 'pending_ownership' });
  const lines = (await readFile(report, 'utf8')).split('\n');
  expect(lines[0]).toBe(
    'row,hostname,external_id,outcome,code,reason,connection_id,certificate,challenge_name,challenge_value',
  );
  expect(lines[1]).toBe(
    `1,${names[0]},c-0,created,,,${first!.connection_id},,_service-challenge.${names[0]},${first!.challenge_value}`,
  );
  expect((await stat(report)).mode & 0o777).toBe(0o600);

  const again = await runOn('csv', csv);
  expect([again.code, again.report?.outcomes, await ofTenant()]).toMatchObject([0, { here: 3, created: 0 }, 3]);
  expect(again.report!.rows.map((row) => row.challenge_value)).toEqual(
    made.report!.rows.map((row) => row.challenge_value),
  );
  expect(await count(sql.fragment`FROM batches WHERE tenant_id = ${tenant.tenant_id}`)).toBe(1);
});

test('each row that cannot be taken is reported with its reason and skipped, and a foreign connection stays anonymous', async () => {
  const [fresh, live, foreign, other] = [someName(), someName(), someName(), await api.tenant()];
  const { pool } = api.deps;
  for (const [owner, name] of [
    [tenant, live],
    [other, foreign],
  ] as const) {
    // prettier-ignore
    const { id } = await newConnection(pool, owner, name, { environment: 'live' });
    await pool.query(sql.type(none)`UPDATE connections SET state = 'live' WHERE id = ${id}`);
  }
  const rows = [fresh, live, foreign, 'not a name', 'co.uk', 'edge.service.dev', fresh.toUpperCase(), '127.0.0.1'];
  const theirs = await count(sql.fragment`FROM connections WHERE tenant_id = ${other.tenant_id}`);

  const { code, report } = await runOn('csv', `hostname\n${rows.join('\n')}\n`);

  expect([code, codesOf(report!.rows)]).toEqual([
    2,
    [
      'created',
      'here',
      'held: hostname_conflict',
      'invalid: characters',
      'invalid: public_suffix',
      'invalid: own_host',
      'here',
      expect.stringMatching(/^invalid: /),
    ],
  ]);
  expect(report!.rows[2]).toMatchObject({
    connection_id: null,
    reason: expect.not.stringContaining('of yours') as string,
  });
  expect(await count(sql.fragment`FROM connections WHERE tenant_id = ${other.tenant_id}`)).toBe(theirs);
  const nothing = await runOn('csv', 'hostname\nnot a name\n');
  expect([nothing.code, await ofTenant()]).toEqual([1, 2]);
});

test('the quota applies: the plan counts it across chunks, and rows beyond it are skipped', async () => {
  await runCli(['tenant', 'set-plan', '--tenant', tenant.tenant_id, '--plan', 'starter'], env);
  await runCli(['plan', 'set', 'starter', '--connects', '510'], env);
  const csv = Array.from({ length: 520 }, (_, n) => `n${n}.${someName()}`).join('\n');
  const planned = await runOn('csv', csv, '--dry-run');
  const made = await runOn('csv', csv);
  expect(planned.report?.outcomes).toMatchObject({ new: 510, quota_exceeded: 10 });
  expect([made.code, made.report?.outcomes]).toMatchObject([2, { created: 510, quota_exceeded: 10 }]);
  expect(await ofTenant()).toBe(510);
});

test('answers of Cloudflare and Approximated become connections with their own routes', async () => {
  const [one, two, three] = [someName(), someName(), someName()];
  const cloudflare = await runOn(
    'cloudflare',
    customHostnames([customHostname(one, { custom_origin_server: '10.0.0.7', custom_metadata: { plan: 'gold' } })]),
  );
  const approximated = await runOn(
    'approximated',
    virtualHosts([
      virtualHost(two, { redirect: true, target_address: 'https://www.fleet-origin.com' }),
      virtualHost(three, { target_address: 'fleet-origin.com/path' }),
    ]),
  );
  expect([cloudflare.code, approximated.code]).toEqual([0, 2]);
  const routes = await api.deps.pool.any(sql.type(z.object({ hostname: z.string(), route: z.unknown() }))`
    SELECT hostname, route FROM connections WHERE tenant_id = ${tenant.tenant_id} ORDER BY created_at
  `);
  expect(routes).toEqual([
    { hostname: one, route: { origin_url: 'https://10.0.0.7', host_header: 'visitor', metadata: { plan: 'gold' } } },
    { hostname: two, route: { redirect: { to: 'https://www.fleet-origin.com/', status: 301, keep_path: true } } },
  ]);
  expect(codesOf(approximated.report!.rows)).toEqual(['created', 'invalid: path']);
});

test('certificates in a storage of Caddy are taken over if they fit key, hostname and time; others are refused and their hostnames still connected', async () => {
  const names = Object.fromEntries(
    ['good', 'key', 'expired', 'other', 'private', 'none'].map((kind) => [kind, someName()]),
  ) as Record<string, string>;
  const issue = (name: string, days?: number) => authority.issue([name], days === undefined ? {} : { days });
  const strangers = await startTestAuthority('A private CA');
  const elsewhere = someName();
  await writeSite(folder, names['good']!, authority.issue([names['good']!, elsewhere]));
  await writeSite(folder, names['good']!, issue(names['good']!, 30), { issuer: 'local' });
  await writeSite(folder, names['key']!, { chain: issue(names['key']!).chain, key: issue(names['key']!).key });
  await writeSite(folder, names['expired']!, issue(names['expired']!, -1));
  await writeSite(folder, names['other']!, issue(elsewhere));
  await writeSite(folder, names['private']!, strangers.issue([names['private']!]));
  await writeSite(folder, names['none']!, { chain: '', key: '' });
  const { pool } = api.deps;

  const report = join(folder, 'report.json');
  const made = await run('caddy', folder, '--report', report);

  expect([made.code, made.report?.outcomes]).toMatchObject([0, { created: 6 }]);
  const byName = new Map(made.report!.rows.map((row) => [row.hostname, row]));
  const word = (kind: string) => byName.get(names[kind]!)?.certificate;
  expect(word('good')).toBe('imported');
  expect(word('key')).toContain('does not belong to the certificate');
  expect(word('expired')).toContain('ended at');
  expect(word('other')).toContain('is not for');
  expect(word('private')).toBe('imported'); // the old server's visitors decide whether they trust it
  expect(word('none')).toContain('no certificate');
  expect(await count(sql.fragment`FROM certificates WHERE tenant_id = ${tenant.tenant_id}`)).toBe(2);
  const stored = await certificateOf(pool, byName.get(names['good']!)!.connection_id!, 'edge');
  expect(stored).toMatchObject({ source: 'edge', names: [names['good'], elsewhere], renewal_id: null });
  expect(stored!.renew_at!.getTime()).toBeGreaterThan(Date.now());
  // Other names inside have no effect, and no edge learns of a hostname that is not proved.
  const known = await count(sql.fragment`FROM admissions WHERE hostname = ANY(${sql.array([...byName.keys(), elsewhere], 'text')})`); // prettier-ignore
  expect(known).toBe(0);
  expect(await count(sql.fragment`FROM certificate_orders`)).toBe(0);
  expect(`${await readFile(report, 'utf8')}${made.err}`).not.toContain('PRIVATE KEY');

  const [late, at] = [authority.issue([elsewhere]), (days: number) => new Date(Date.now() + days * 86_400_000)];
  const judged = (days: number) => judgeImport(elsewhere, late, at(days));
  expect(judged(89)).toMatchObject({ outcome: 'accepted' });
  expect(judged(91)).toMatchObject({ outcome: 'refused', why: expect.stringContaining('ended at') as string });

  const again = await run('caddy', folder);
  expect([again.code, again.report?.outcomes]).toMatchObject([0, { here: 6 }]);
  expect((await certificateOf(pool, stored!.connection_id, 'edge'))!.id).toBe(stored!.id);
  const { DATABASE_URL = '' } = env;
  const args = ['import', '--from', 'caddy', folder, '--application', tenant.live.application_id];
  expect(await runCli(args, { DATABASE_URL })).toMatchObject({
    code: 1,
    err: expect.stringContaining('CREDENTIAL_KEYS') as string,
  });
});

test('the API shows that visitors see an imported certificate, and no longer when another replaces it', async () => {
  const hostname = someName();
  await writeSite(folder, hostname, authority.issue([hostname]));
  const { report } = await run('caddy', folder);
  const { pool } = api.deps;
  const path = { id: report!.rows[0]!.connection_id! };
  const shown = async () =>
    expectData(await api.client(tenant.live.key).GET('/v1/connections/{id}', { params: { path } })).certificate;
  expect(await shown()).toMatchObject({ status: 'none', imported: false });

  await pool.query(sql.type(none)`UPDATE connections SET state = 'live' WHERE id = ${path.id}`);
  const stored = (await certificateOf(pool, path.id, 'edge'))!;
  await pool.transaction(async (tx) => recordServed(tx, (await lockConnection(tx, path.id))!, stored, new Date()));
  const { serial, renew_at } = stored;
  expect(await shown()).toMatchObject({ source: 'edge', imported: true, serial, renew_at: renew_at!.toISOString() });

  await pool.transaction(async (tx) => {
    const own = { ...stored, source: 'ordered' as const, serial: '01' };
    await recordServed(tx, (await lockConnection(tx, path.id))!, own, new Date());
  });
  expect(await shown()).toMatchObject({ source: 'ordered', imported: false });
});

test('a certificate never goes to a hostname of another tenant, nor replaces what a proved hostname has', async () => {
  const [foreign, proved, other] = [someName(), someName(), await api.tenant()];
  const { pool } = api.deps;
  for (const [owner, name] of [
    [other, foreign],
    [tenant, proved],
  ] as const) {
    // prettier-ignore
    const { id } = await newConnection(pool, owner, name, { environment: 'live' });
    await pool.query(sql.type(none)`UPDATE connections SET state = 'live' WHERE id = ${id}`);
  }
  for (const name of [foreign, proved]) await writeSite(folder, name, authority.issue([name]));
  const { code, report } = await run('caddy', folder);
  expect([code, report?.outcomes]).toMatchObject([2, { held: 1, here: 1 }]);
  expect(report!.rows.find(({ hostname }) => hostname === proved)?.certificate).toContain('proved already');
  const owners = sql.array([tenant.tenant_id, other.tenant_id], 'uuid');
  expect(await count(sql.fragment`FROM certificates WHERE tenant_id = ANY(${owners})`)).toBe(0);
});

test('an import that is killed half-way continues when it is run again, and creates no hostname twice', async () => {
  const total = 4_000;
  const file = join(folder, 'fleet.csv');
  await writeFile(file, Array.from({ length: total }, (_, n) => `n${n}.${someName()}`).join('\n'));
  const main = join(import.meta.dirname, '../../src/cli/main.ts');
  const args = ['import', '--from', 'csv', file, '--application', tenant.live.application_id];
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env['PATH'], DATA_DIR: folder, ...env },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  await until(async () => (await ofTenant()) > 0, 120_000);
  child.kill('SIGKILL');
  await ended;
  const before = await ofTenant();
  expect(before).toBeLessThan(total);
  expect(before % 500).toBe(0);

  const { code, report } = await run('csv', file);

  expect([code, report?.outcomes]).toMatchObject([0, { here: before, created: total - before }]);
  expect(await ofTenant()).toBe(total);
  const names = await count(
    sql.fragment`FROM (SELECT DISTINCT hostname FROM connections WHERE tenant_id = ${tenant.tenant_id}) AS names`,
  );
  expect(names).toBe(total);
});

test.each([
  ['UTF-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'), 'is UTF-16'],
  ['Latin-1 in a late row', (text: string) => Buffer.from(`${text}bücher.shop-site.com\n`, 'latin1'), 'is not UTF-8'],
  ['an open quotation mark at the end', (text: string) => Buffer.from(`${text}"a.shop-site.com`), 'Quote Not Closed'],
])('a file with %s is refused as a whole', async (_, encode, sentence) => {
  const text = Array.from({ length: 2_000 }, (__, n) => `n${n}.shop-site.com\n`).join('');
  const { code, err } = await runOn('csv', encode(text));
  expect([code, err.trim(), await ofTenant()]).toEqual([1, expect.stringContaining(sentence), 0]);
});

test('a hundred thousand hostile rows fit in little memory and change nothing', async () => {
  const foreign = someName();
  const { id } = await newConnection(api.deps.pool, await api.tenant(), foreign, { environment: 'live' });
  await api.deps.pool.query(sql.type(none)`UPDATE connections SET state = 'live' WHERE id = ${id}`);
  const hostile = (n: number) =>
    [foreign, '../../etc/passwd', `a b${n}.com`, `\u202e${n}`, '=cmd()', `${'x'.repeat(300)}.com`, 'localhost'][n % 7]!;
  const file = join(folder, 'hostile.json');
  const page = (first: number) =>
    JSON.stringify(customHostnames(Array.from({ length: 1_000 }, (_, n) => customHostname(hostile(first + n)))));
  await writeFile(file, Array.from({ length: 100 }, (_, n) => page(n * 1_000)).join('\n'));
  const before = await count(sql.fragment`FROM connections`);

  const args = ['import', '--from', 'cloudflare', file, '--application', tenant.live.application_id];
  const { code, out } = await runCli(args, { ...env, NODE_OPTIONS: '--max-old-space-size=200' });

  expect([code, await count(sql.fragment`FROM connections`)]).toEqual([1, before]);
  expect(out).toMatch(/^100000 rows: 85714 invalid, 14286 held by others\n/);
  expect(out).toContain('Use --report FILE to see all.');
  // A terminal would act on these characters.
  expect(out.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u202e]/);
});

test('with an approved target, hostnames wait for the proof by their CNAME, and an apex is skipped', async () => {
  const [name, apex] = [someName(), someName().split('.').slice(1).join('.')];
  const csv = `hostname\n${name}\n${apex}\n`;
  const proof = ['--proof', 'cname_target', '--target', 'sites.saas-lab.com'];
  const off = await runOn('csv', csv, ...proof);
  expect([off.code, off.err]).toEqual([1, expect.stringContaining('IMPORT_CNAME_PROOF=on')]);
  env['IMPORT_CNAME_PROOF'] = 'on';
  const unapproved = await runOn('csv', csv, ...proof);
  expect([unapproved.code, unapproved.err]).toEqual([1, expect.stringContaining('not an approved target')]);
  await api.deps.pool.query(sql.type(none)`
    INSERT INTO cname_targets (tenant_id, hostname, challenge_token, created_at, approved_at)
    VALUES (${tenant.tenant_id}, 'sites.saas-lab.com', 'token', now(), now())
  `);

  const made = await runOn('csv', csv, ...proof);
  delete env['IMPORT_CNAME_PROOF'];

  expect([made.code, codesOf(made.report!.rows)]).toEqual([2, ['created', 'invalid: apex']]);
  const row = await api.deps.pool.one(sql.type(z.object({ proof_target: z.string(), value: z.string() }))`
    SELECT proof_target, desired_records -> 0 ->> 'value' AS value FROM connections
    WHERE id = ${made.report!.rows[0]!.connection_id}
  `);
  expect(row).toEqual({ proof_target: 'sites.saas-lab.com', value: 'sites.saas-lab.com' });
  expect((await runOn('csv', csv, '--target', 'sites.saas-lab.com')).code).toBe(2);
});

test('the command explains a wrong source, a wrong application and a missing file', async () => {
  const application = tenant.live.application_id;
  const cli = async (...args: string[]) => {
    const { code, err } = await runCli(['import', ...args], env);
    return [code, err];
  };
  expect(await cli('--from', 'toString', 'f', '--application', application)).toEqual([2, expect.stringContaining('--from must be one of caddy, cloudflare, approximated, csv.')]); // prettier-ignore
  expect(await cli('--from', 'csv', 'f', '--application', tenant.tenant_id)).toEqual([1, expect.stringContaining('There is no application')]); // prettier-ignore
  expect(await cli('--from', 'csv', join(folder, 'none'), '--application', application)).toEqual([1, expect.stringContaining('cannot be read')]); // prettier-ignore
  expect(await cli('--from', 'caddy', folder, '--application', application)).toEqual([1, expect.stringContaining('is no storage folder of Caddy')]); // prettier-ignore
});
