import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { OUTSIDE_DOCS } from '../src/reference/llms.ts';

/** Copies the documents that the service serves into the folder of the build. */
const ROOT = join(import.meta.dirname, '..');
const [target] = process.argv.slice(2);
if (target === undefined) throw new Error('Usage: copy-documents <folder>');
for (const name of ['docs', ...OUTSIDE_DOCS]) await cp(join(ROOT, name), join(target, name), { recursive: true });
