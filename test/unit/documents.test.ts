import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig, SETTINGS } from '../../src/config.ts';
import { MOVES } from '../../src/domain/connection/connection.ts';
import { STATUS_OF } from '../../src/domain/errors.ts';
import { FINDING_CODES } from '../../src/domain/observation/finding.ts';
import { SECRETS } from '../../src/secret-files.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

test('the state table in the docs has exactly the transitions of the code', () => {
  const documented = [...read('docs/states.md').matchAll(/^\| (\w+) +\| (\w+) +\| (\w+) +\|/gm)].map((row) =>
    row.slice(1, 4).join(' '),
  );
  const transitions = Object.entries(MOVES).flatMap(([from, out]) =>
    Object.entries(out).map(([trigger, to]) => `${from} ${trigger} ${to}`),
  );
  expect(documented.filter((row) => !row.startsWith('From ')).sort()).toEqual(transitions.sort());
});

/** Returns the codes of a table whose rows have a code in this column. */
const codesIn = (page: string, column: number): string[] =>
  [...read(page).matchAll(/^\| .*\|$/gm)].flatMap(
    ([row]) => /^`(\w+)`$/.exec(row.split('|')[column]?.trim() ?? '')?.[1] ?? [],
  );

test('the table of errors has exactly the codes and statuses of the code', () => {
  const statuses = [...read('docs/errors.md').matchAll(/^\| (\d{3}) +\| `(\w+)`/gm)].map(([, status, code]) => [
    code,
    Number(status),
  ]);
  expect(Object.fromEntries(statuses)).toEqual(STATUS_OF);
  expect(
    codesIn('docs/errors.md', 2)
      .filter((code) => code !== 'code')
      .sort(),
  ).toEqual(Object.keys(STATUS_OF).sort());
});

test('the table of findings has exactly the codes of the code', () => {
  const codes = codesIn('docs/findings.md', 1).filter((code) => code !== 'code');
  expect(codes.sort()).toEqual([...FINDING_CODES].sort());
});

test('.env.example lists exactly the settings that exist', () => {
  const named = [...read('.env.example').matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map((match) => match[1]);
  expect(named.sort()).toEqual([...SETTINGS].sort());
});

test('.env.example lists every secret that can be a file', () => {
  const text = read('.env.example');
  expect(SECRETS.filter((name) => !text.includes(`${name}_FILE`))).toEqual([]);
});

test('the service accepts the variables of the Caddyfile, because compose gives one .env to both', () => {
  const files = ['Caddyfile', 'issuers/acme.caddyfile', 'issuers/internal.caddyfile', 'asking/module.caddyfile'];
  const names = files.flatMap((file) =>
    [...read(`src/edge/${file}`).matchAll(/\{\$(\w+)/g)].map(([, name]) => name ?? ''),
  );
  expect(names.length).toBeGreaterThan(10);
  for (const name of names.filter((one) => !SETTINGS.includes(one)))
    expect(() => parseConfig({ [name]: 'x' })).not.toThrow();
});

test('every migration has a number and a name, and states why it exists and which lock it takes', () => {
  const names = readdirSync(join(ROOT, 'migrations')).sort();
  for (const name of names) {
    expect(name).toMatch(/^\d{4}_[a-z_]+\.sql$/);
    expect(read(`migrations/${name}`)).toMatch(/^-- Why: .*[\s\S]*?-- Lock: /);
  }
});

const pages = () => globSync('{*.md,bench/*.md,client/*.md,docs/**/*.md}', { cwd: ROOT });

test('every link between the documents points to a file that exists, and to a heading of it', () => {
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
  const anchorsOf = (file: string) => [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => anchorOf(text));
  const broken: string[] = [];
  for (const page of pages())
    for (const [link, target = '', anchor] of read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
      const path = target === '' ? page : join(page, '..', target);
      if (!existsSync(join(ROOT, path)) || (anchor !== undefined && !anchorsOf(path).includes(anchor)))
        broken.push(`${page}: ${link}`);
    }
  expect(broken).toEqual([]);
});

test('no command in the documents has a placeholder that a shell would read as a redirection', () => {
  const commands = pages().flatMap((page) => {
    const blocks = [...read(page).matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].flatMap(([, code = '']) =>
      code.split('\n'),
    );
    const inline = [...read(page).matchAll(/`((?:npm|npx|node|curl|docker|temporal|git|ssh) [^`]*)`/g)].map(([, code = '']) => code); // prettier-ignore
    return [...blocks, ...inline].map((command) => ({ page, command }));
  });
  const unquoted = commands.filter(({ command }) => /<[\w' ]+>/.test(command.replaceAll(/'[^']*'|"[^"]*"/g, '')));

  expect(commands.length).toBeGreaterThan(50);
  expect(unquoted).toEqual([]);
});

test('README, package.json and both checks name the same oldest Node', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  const needed = /^>=(\d+)$/.exec(engines.node)?.[1];
  expect(read('README.md')).toContain(`Node ${needed} with npm`);
  expect(read('tools/require-node.cjs')).toContain(`NEEDED = ${needed};`);
  expect(read('tools/guard-entries.ts')).toContain(`< ${needed})`);
  const client = JSON.parse(read('client/package.json')) as { engines: { node: string }; exports: object };
  expect(client.engines.node).toBe('>=20');
});

test('the provider tutorial quotes the adapter as it is', () => {
  const folder = 'src/providers/vultr';
  const code = readdirSync(join(ROOT, folder))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => read(`${folder}/${file}`))
    .join('\n')
    .split('\n')
    .map((line) => line.trim());
  const [, tutorial = ''] = /\n## Add a provider\n([\s\S]*?)\n## /.exec(read('CONTRIBUTING.md')) ?? [];
  const quoted = [...tutorial.matchAll(/```ts\n([\s\S]*?)\n```/g)].flatMap(([, block = '']) => block.split('\n'));
  expect(quoted.length).toBeGreaterThan(5);
  expect(quoted.filter((line) => line.trim() !== '// …' && !code.includes(line.trim()))).toEqual([]);
});

describe('decision records', () => {
  const FOLDER = 'docs/adr';
  const titleOf = (text: string) => /^# \d+\. (.+)\n/.exec(text)?.[1];

  /** Returns the file names and headings that do not count 1, 2, 3 and so on. */
  const misnumbered = (files: readonly { name: string; text: string }[]) =>
    files
      .filter(({ name, text }, index) => {
        const number = index + 1;
        return !name.startsWith(`${String(number).padStart(4, '0')}-`) || !text.startsWith(`# ${number}. `);
      })
      .map(({ name }) => name);
  const records = readdirSync(join(ROOT, FOLDER))
    .sort()
    .map((name) => ({ name, text: read(`${FOLDER}/${name}`) }));
  const titles = new Map(records.map(({ name, text }) => [name, titleOf(text)]));

  test('are numbered from 1 without a gap and without a number used twice', () => {
    const record = (number: number, title: string) => ({
      name: `${String(number).padStart(4, '0')}-${title}.md`,
      text: `# ${number}. ${title}\n`,
    });
    expect(misnumbered([record(1, 'a'), record(3, 'b')])).toEqual(['0003-b.md']);
    expect(misnumbered([record(1, 'a'), record(1, 'b')])).toEqual(['0001-b.md']);
    expect(misnumbered([{ name: '0001-a.md', text: '# 2. a\n' }])).toEqual(['0001-a.md']);
    expect(records.length).toBeGreaterThan(30);
    expect(misnumbered(records)).toEqual([]);
  });

  test('have a context, a decision and consequences', () => {
    const sections = ({ text }: { text: string }) => [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    for (const record of records) expect(sections(record)).toEqual(['Context', 'Decision', 'Consequences']);
  });

  test('are cited by their title, in documents with a link', () => {
    const wrong: string[] = [];
    for (const page of pages())
      for (const [link, text = '', file = ''] of read(page).matchAll(/\[([^\]]+)\]\([^)]*?(\d{4}-[a-z0-9-]+\.md)\)/g))
        if (titles.get(file) !== text) wrong.push(`${page}: ${link}`);
    const known = new Set(titles.values());
    const sources = globSync(
      '{*.js,*.cjs,*.yml,{src,test,workflows,activities,bench,tools,client,fuzz}/**/*.{ts,tsx,js,cjs}}',
      { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] },
    );
    for (const source of sources.filter((name) => name !== 'test/unit/documents.test.ts')) {
      const text = read(source).replaceAll(/\n\s*(\*|\/\/|#)?\s*/g, ' ');
      for (const [citation, title = ''] of text.matchAll(/\bADR "([^"]+)"/g))
        if (!known.has(title)) wrong.push(`${source}: ${citation}`);
      for (const [citation] of text.matchAll(/\bADRs? ?\d+|\badr\/\d{4}/g)) wrong.push(`${source}: ${citation}`);
    }
    expect(sources.length).toBeGreaterThan(500);
    expect(wrong).toEqual([]);
  });
});
