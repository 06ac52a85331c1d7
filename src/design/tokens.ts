import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Design tokens as CSS, for pages that the service renders. The widget and the console bundle the same file. */
export const TOKENS = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8').replace(/\/\*[\s\S]*?\*\/\s*/g, '');
