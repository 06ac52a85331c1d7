import type { BuildOptions, OutputFile, Plugin, transform as Transform } from 'esbuild';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

/** A file for browsers: of the widget (served below /sdk/v1), the console (/console/assets) or the API reference (/docs/assets). */
export interface BuiltFile {
  name: string;
  body: Buffer;
}

/** The oldest browsers with constructable stylesheets, `color-mix` and `:has`. */
const TARGET = ['chrome112', 'firefox121', 'safari16.4'];

type Bundle = (options: BuildOptions) => Promise<OutputFile[]>;

/** Imports esbuild here, because a production installation has the built files and no esbuild. */
export async function bundling<T>(work: (bundle: Bundle, stylesAsText: Plugin) => Promise<T>): Promise<T> {
  const esbuild = await import('esbuild');
  const bundle: Bundle = async (options) => {
    const { outputFiles } = await esbuild.build({
      bundle: true,
      minify: true,
      write: false,
      target: TARGET,
      charset: 'utf8',
      legalComments: 'none',
      logLevel: 'warning',
      ...options,
    });
    return outputFiles ?? [];
  };
  try {
    return await work(bundle, stylesheetAsText(esbuild.transform));
  } finally {
    await esbuild.stop(); // otherwise its process runs as long as ours
  }
}

const stylesheetAsText = (transform: typeof Transform): Plugin => ({
  name: 'stylesheet-as-text',
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { loader: 'css', minify: true, target: TARGET });
      return { contents: code.trim(), loader: 'text' };
    });
  },
});

/** Returns a file of the bundler, whose name has a hash of the content. */
export const toBuiltFile = ({ path, contents }: OutputFile): BuiltFile => ({
  name: basename(path),
  body: Buffer.from(contents),
});

export const hashOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex').slice(0, 16);
