import { join } from 'node:path';
import { bundling, toBuiltFile, type BuiltFile } from './bundler.ts';

const ENTRY = join(import.meta.dirname, '../reference/browser/reference.ts');

/** Builds the script and the stylesheet of the API reference. */
export const buildReference = (): Promise<BuiltFile[]> =>
  bundling(async (bundle) => {
    const files = await bundle({ entryPoints: [ENTRY], outdir: '/', format: 'iife', entryNames: '[name]-[hash]' });
    return files.map(toBuiltFile);
  });
