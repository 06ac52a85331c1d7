import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig, SETTINGS } from '../../src/config.ts';
import { MOVES } from '../../src/domain/connection/connection.ts';
import { SECRETS } from '../../src/secret-files.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

test('the state table in the docs has exactly the moves of the code', () => {
  const told = [...read('docs/states.md').matchAll(/^\| (\w+) +\| (\w+) +\| (\w+) +\|/gm)].map((row) =>
    row.slice(1, 4).join(' '),
  );
  const made = Object.entries(MOVES).flatMap(([from, out]) =>
    Object.entries(out).map(([trigger, to]) => `${from} ${trigger} ${to}`),
  );
  expect(told.filter((row) => !row.startsWith('From ')).sort()).toEqual(made.sort());
});

test('.env.example names exactly the settings there are', () => {
  const named = [...read('.env.example').matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map((match) => match[1]);
  expect(named.sort()).toEqual([...SETTINGS].sort());
});

test('.env.example lists every secret that can be a file', () => {
  const text = read('.env.example');
  expect(SECRETS.filter((name) => !text.includes(`${name}_FILE`))).toEqual([]);
});

test('what the Caddyfile reads from the environment is no slip to the service: compose gives one .env to both', () => {
  const files = ['Caddyfile', 'issuers/acme.caddyfile', 'issuers/internal.caddyfile'];
  const names = files.flatMap((file) =>
    [...read(`src/edge/${file}`).matchAll(/\{\$(\w+)/g)].map(([, name]) => name ?? ''),
  );
  expect(names.length).toBeGreaterThan(10);
  for (const name of names.filter((one) => !SETTINGS.includes(one)))
    expect(() => parseConfig({ [name]: 'x' })).not.toThrow();
});

test('migrations are numbered without gaps that could be filled later, and each says why', () => {
  const names = readdirSync(join(ROOT, 'migrations')).sort();
  for (const name of names) {
    expect(name).toMatch(/^\d{4}_[a-z_]+\.sql$/);
    expect(read(`migrations/${name}`)).toMatch(/^-- Why: .*[\s\S]*?-- Lock: /);
  }
});

test('every link between the documents leads somewhere', () => {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'docs/operations.md',
    'docs/widget.md',
    'docs/workflows.md',
    'docs/webhooks.md',
    'docs/email.md',
    'docs/billing.md',
    'docs/dashboards/README.md',
    'docs/scaling.md',
    ...readdirSync(join(ROOT, 'docs/runbooks')).map((file) => `docs/runbooks/${file}`),
  ];
  for (const page of pages) {
    for (const [, target = ''] of read(page).matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      const path = join(ROOT, page, '..', target);
      expect(() => readdirSync(join(path, '..')).includes(path.split('/').at(-1)!) || readdirSync(path)).not.toThrow();
    }
  }
});
