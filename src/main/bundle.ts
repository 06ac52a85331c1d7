import { resolve } from 'node:path';
import { writeBundle } from '../temporal/bundle.ts';

const [target] = process.argv.slice(2);
if (target === undefined) throw new Error('Usage: bundle <file>');
await writeBundle(resolve(target));
