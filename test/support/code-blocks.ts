import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

export interface CodeBlock {
  page: string;
  language: string;
  code: string;
}

/** Returns every fenced code block of the pages for users, in the order of the pages. */
export const codeBlocks = (): CodeBlock[] =>
  globSync('{README.md,client/README.md,docs/**/*.md}', { cwd: ROOT }).sort().flatMap(blocksOf); // prettier-ignore

function blocksOf(page: string): CodeBlock[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^( *)```(\S*)\n(.*?)^\1```$/gms)].map(([, indent = '', language = '', code = '']) => ({
    page,
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** Returns the one block of a page that begins with this text. */
export function codeBlock(page: string, begins: string): CodeBlock {
  const [block, ...others] = blocksOf(page).filter(({ code }) => code.startsWith(begins));
  if (block === undefined || others.length > 0)
    throw new Error(`${page} has ${others.length + (block ? 1 : 0)} code blocks that begin with ${begins}`);
  return block;
}
