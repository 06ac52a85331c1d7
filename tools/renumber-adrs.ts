import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Numbers the decision records in docs/adr without gaps, in their present order: `node tools/renumber-adrs.ts`. Names each
 * file after its title and rewrites every link to it. Citations in code comments carry the title only and stay as they are.
 */
const ROOT = join(import.meta.dirname, '..');
const ADRS = join(ROOT, 'docs/adr');

const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/['`,]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-');

const renamed = new Map<string, string>();
for (const [index, file] of readdirSync(ADRS).sort().entries()) {
  const text = readFileSync(join(ADRS, file), 'utf8');
  const [heading, title] = /^# \d+\. (.+)\n/.exec(text) ?? [];
  if (heading === undefined || title === undefined) throw new Error(`${file} does not begin with "# NUMBER. Title".`);
  const number = index + 1;
  writeFileSync(join(ADRS, file), text.replace(heading, `# ${number}. ${title}\n`));
  renamed.set(file, `${String(number).padStart(4, '0')}-${slugOf(title)}.md`);
}

// Migrations and recordings of releases are never edited.
const KINDS = ['*.md', '*.ts', '*.tsx', '*.js', '*.cjs', '*.yml'];
const LIST = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'];
const sources = execFileSync('git', [...LIST, ...KINDS], { cwd: ROOT })
  .toString()
  .split('\n')
  .filter((path) => existsSync(join(ROOT, path)) && !/^($|migrations|test\/upgrade)/.test(path));
for (const path of sources) {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const rewritten = text.replaceAll(/\b\d{4}-[a-z0-9-]+\.md\b/g, (file) => renamed.get(file) ?? file);
  if (rewritten !== text) writeFileSync(join(ROOT, path), rewritten);
}

// First aside, then into place: the new name of one file can be the old name of another.
for (const file of renamed.keys()) renameSync(join(ADRS, file), join(ADRS, `${file}.moved`));
for (const [file, name] of renamed) {
  renameSync(join(ADRS, `${file}.moved`), join(ADRS, name));
  if (file !== name) process.stdout.write(`${file} -> ${name}\n`);
}
