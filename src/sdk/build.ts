import type { BuildOptions, Plugin, transform as Transform } from 'esbuild';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LANGUAGES } from '../locales/all.ts';
import * as en from '../locales/en.ts';

const WIDGET = join(import.meta.dirname, '../widget');

/** A file of the browser SDK, served below /sdk/v1. */
export interface BuiltFile {
  name: string;
  body: Buffer;
}

/** The oldest browsers with constructable stylesheets, `color-mix` and `:has`. */
const TARGET = ['chrome112', 'firefox121', 'safari16.4'];

/**
 * Builds the widget as a script and as a module. Each has a stable name and a name with a hash of its content, which a
 * page can pin. Also builds the email setup, a file per translation, and a manifest with the pinned names and their
 * integrity.
 */
export async function buildSdk(): Promise<BuiltFile[]> {
  const locales = Object.entries(LANGUAGES)
    .filter(([locale]) => locale !== 'en')
    .map(([locale, { widget }]) => ({ locale, file: hashed(locale, 'json', wordsOnly(widget)) }));
  const files = Object.fromEntries(locales.map(({ locale, file }) => [locale, file.name]));
  const { script, module, email } = await bundles(files);
  const pinned = { 'widget.js': hashed('widget', 'js', script), 'widget.mjs': hashed('widget', 'mjs', module) };
  const manifest = Object.fromEntries(
    Object.entries(pinned).map(([name, { name: url, body }]) => [name, { url, integrity: integrityOf(body) }]),
  );
  return [
    { name: 'widget.js', body: script },
    { name: 'widget.mjs', body: module },
    ...Object.values(pinned),
    ...locales.map(({ file }) => file),
    email,
    { name: 'manifest.json', body: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) },
  ];
}

/** Serializes only the values, in the order of the English keys, because the keys are larger than some translations. */
const wordsOnly = (words: Readonly<Record<string, string>>): Buffer =>
  Buffer.from(JSON.stringify(Object.keys(en.widget).map((key) => words[key])));

const hashed = (name: string, extension: string, body: Buffer): BuiltFile => ({
  name: `${name}-${createHash('sha256').update(body).digest('hex').slice(0, 16)}.${extension}`,
  body,
});

/** Returns the value for an `integrity` attribute (W3C Subresource Integrity). */
const integrityOf = (body: Buffer): string => `sha384-${createHash('sha384').update(body).digest('base64')}`;

/** Imports esbuild here, because a production installation has the built files and no esbuild. */
async function bundles(
  localeFiles: Record<string, string>,
): Promise<{ script: Buffer; module: Buffer; email: BuiltFile }> {
  const esbuild = await import('esbuild');
  const bundle = async (options: BuildOptions, emailFile = ''): Promise<Buffer> => {
    const { outputFiles } = await esbuild.build({
      ...options,
      bundle: true,
      minify: true,
      write: false,
      target: TARGET,
      charset: 'utf8',
      legalComments: 'none',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      define: { LOCALE_FILES: JSON.stringify(localeFiles), EMAIL_FILE: JSON.stringify(emailFile) },
      plugins: [stylesheetAsText(esbuild.transform)],
      logLevel: 'warning',
    });
    return Buffer.from(outputFiles[0]?.contents ?? []);
  };
  try {
    const email = hashed('email', 'mjs', await bundle({ entryPoints: [join(WIDGET, 'email.ts')], format: 'esm' }));
    return {
      script: await bundle({ entryPoints: [join(WIDGET, 'global.ts')], format: 'iife' }, email.name),
      module: await bundle({ entryPoints: [join(WIDGET, 'module.ts')], format: 'esm' }, email.name),
      email,
    };
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
