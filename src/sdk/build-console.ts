import { join } from 'node:path';
import { bundling, toBuiltFile, type BuiltFile } from './bundler.ts';

const ENTRY = join(import.meta.dirname, '../console/console.tsx');

/**
 * Builds the console: a script, a stylesheet, and a file for each screen, which the script loads when a person opens the
 * screen. The bundler puts a hash of the content into every name.
 */
export const buildConsole = (): Promise<BuiltFile[]> =>
  bundling(async (bundle) => {
    const files = await bundle({
      entryPoints: [ENTRY],
      outdir: '/',
      format: 'esm',
      splitting: true,
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      jsx: 'automatic',
      jsxImportSource: 'preact',
    });
    return files.map(toBuiltFile);
  });
