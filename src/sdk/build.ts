import type { BuildOptions } from 'esbuild';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { LANGUAGES } from '../locales/all.ts';
import { bundling, hashOf, type BuiltFile } from './bundler.ts';

const WIDGET = join(import.meta.dirname, '../widget');

/** Parts of the widget: the script, and two files that it loads when they are needed. */
const PARTS = ['widget', 'setup', 'email'] as const;
type Part = (typeof PARTS)[number];
const LATER = ['setup', 'email'] as const satisfies readonly Part[];

/**
 * Builds the widget as a script and as a module. Each has a stable name and a name with a hash of its content, which a
 * page can pin. Also builds the files that the widget loads later, a file per part and translation, and a manifest with
 * the pinned names and their integrity.
 */
export async function buildSdk(): Promise<BuiltFile[]> {
  const translations = Object.fromEntries(PARTS.map((part) => [part, translationsOf(part)])) as Record<
    Part,
    Translations
  >;
  const words = Object.fromEntries(PARTS.map((part) => [part, translations[part].hash]));
  const { script, module, later } = await bundles(words);
  const pinned = { 'widget.js': hashed('widget', 'js', script), 'widget.mjs': hashed('widget', 'mjs', module) };
  const manifest = Object.fromEntries(
    Object.entries(pinned).map(([name, { name: url, body }]) => [name, { url, integrity: integrityOf(body) }]),
  );
  return [
    { name: 'widget.js', body: script },
    { name: 'widget.mjs', body: module },
    ...Object.values(pinned),
    ...later,
    ...PARTS.flatMap((part) => translations[part].files),
    { name: 'manifest.json', body: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) },
  ];
}

interface Translations {
  /** Hash of all files, which each of their names contains. */
  hash: string;
  files: BuiltFile[];
}

/** Serializes only the values, in the order of the English keys, because the keys are larger than some translations. */
function translationsOf(part: Part): Translations {
  const bodies = Object.entries(LANGUAGES)
    .filter(([locale]) => locale !== 'en')
    .map(([locale, texts]) => {
      const words: Readonly<Record<string, string>> = texts[part];
      return { locale, body: Buffer.from(JSON.stringify(Object.keys(LANGUAGES.en[part]).map((key) => words[key]))) };
    });
  const hash = hashOf(Buffer.concat(bodies.map(({ body }) => body)));
  return { hash, files: bodies.map(({ locale, body }) => ({ name: `${part}-${locale}-${hash}.json`, body })) };
}

const hashed = (name: string, extension: string, body: Buffer): BuiltFile => ({
  name: `${name}-${hashOf(body)}.${extension}`,
  body,
});

/** Returns the value for an `integrity` attribute (W3C Subresource Integrity). */
const integrityOf = (body: Buffer): string => `sha384-${createHash('sha384').update(body).digest('base64')}`;

function bundles(words: Record<string, string>): Promise<{ script: Buffer; module: Buffer; later: BuiltFile[] }> {
  return bundling(async (bundle, stylesAsText) => {
    const only = async (options: BuildOptions): Promise<Buffer> => {
      const [file] = await bundle({ ...options, plugins: [stylesAsText] });
      return Buffer.from(file?.contents ?? []);
    };
    /** JSX becomes calls of `h`, which these files get from the script. */
    const fileOf = async (part: Part): Promise<BuiltFile> =>
      hashed(
        part,
        'mjs',
        await only({
          entryPoints: [join(WIDGET, `${part}/${part}.tsx`)],
          format: 'esm',
          // Otherwise the setting in tsconfig.json wins.
          tsconfigRaw: {},
          jsx: 'transform',
          jsxFactory: 'h',
          jsxFragment: 'Fragment',
          inject: [join(WIDGET, 'setup/ui.ts')],
        }),
      );
    const later = await Promise.all(LATER.map(fileOf));
    const modules = Object.fromEntries(
      LATER.map((part, i) => [
        part,
        { file: later[i]?.name, integrity: integrityOf(later[i]?.body ?? Buffer.alloc(0)) },
      ]),
    );
    const options: BuildOptions = {
      jsx: 'automatic',
      jsxImportSource: 'preact',
      define: { SDK_FILES: JSON.stringify({ words, modules }) },
    };
    return {
      script: await only({ ...options, entryPoints: [join(WIDGET, 'global.ts')], format: 'iife' }),
      module: await only({ ...options, entryPoints: [join(WIDGET, 'module.ts')], format: 'esm' }),
      later,
    };
  });
}
