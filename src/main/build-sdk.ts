import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { writeSdk } from '../sdk/files.ts';

const [target] = process.argv.slice(2);
if (target === undefined) throw new Error('Usage: build-sdk <folder>');
await rm(resolve(target), { recursive: true, force: true });
await writeSdk(resolve(target));
