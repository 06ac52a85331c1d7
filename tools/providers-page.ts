import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Descriptor, RequestWindow, TtlRange } from '../src/providers/descriptor.ts';
import { descriptors } from '../src/providers/registry.ts';

const HEADER = `# DNS providers

Made from the descriptors in \`src/providers\` by \`npm run openapi\`; changes here are lost. \`GET /v1/providers\` tells the same to programs.

At a provider of this table records are written through a credential that the tenant gives an application. Everywhere else, and wherever no credential covers the name, the service shows exactly what to type.
`;

const COLUMNS = [
  'Provider',
  '`provider`',
  'Apex alias',
  'CAA',
  'TTL',
  'Longest text',
  'How a write is kept safe',
  'Requests',
];

/** docs/providers.md: what works where, what does not, and how to make a credential that can do no more than it must. */
export async function providersPage(): Promise<string> {
  const all = descriptors();
  const sections = await Promise.all(all.map(sectionOf));
  return [HEADER, table(all.map(rowOf)), ...sections].join('\n');
}

const table = (rows: readonly (readonly string[])[]): string =>
  [COLUMNS, COLUMNS.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

const rowOf = ({ slug, name, capabilities, limits }: Descriptor): string[] => [
  `[${name}](#${anchorOf(name)})`,
  `\`${slug}\``,
  { native: 'yes', flattening: 'by flattening', none: 'no' }[capabilities.apex_alias],
  capabilities.caa ? 'yes' : 'no',
  ttl(limits.ttl),
  `${limits.txt_bytes} bytes`,
  {
    compare_and_swap: 'the provider compares before it writes',
    single_values: 'single values are added and removed',
    zone_lock: 'one writer at a time, read back afterwards',
  }[limits.concurrency],
  limits.requests.map(window).join(', ') || 'no limit',
];

const ttl = ({ min, max, steps }: TtlRange): string =>
  steps === undefined ? `${min} to ${max} s` : `${steps.length} steps from ${min} to ${max} s`;

const UNITS: Readonly<Record<number, string>> = { 1: 'a second', 60: 'a minute', 3_600: 'an hour', 86_400: 'a day' };

const window = ({ count, seconds, counts }: RequestWindow): string =>
  `${count} ${counts ?? 'requests'} ${UNITS[seconds] ?? `in ${seconds / 60} minutes`}`;

async function sectionOf({ slug, name, auth, limitations }: Descriptor): Promise<string> {
  const page = await readFile(join(import.meta.dirname, '..', 'src', 'providers', slug, 'instructions.md'), 'utf8');
  const [, steps] = /^## To let us write the records\n+([\s\S]*)$/m.exec(page) ?? [];
  const fields = auth.fields.map(
    ({ name: field, required, help }) => `- \`${field}\`${required ? '' : ' (optional)'}: ${help}\n`,
  );
  return [
    `\n## ${name}\n\n`,
    limitations.map((sentence) => `- ${sentence}\n`).join(''),
    '\n### The credential\n\n',
    fields.join(''),
    steps === undefined ? '' : `\n${steps.trim()}\n`,
  ].join('');
}

/** As GitHub makes the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
