import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { fingerprint } from '../fingerprint.ts';
import { buildSdk } from './build.ts';
import { buildConsole } from './build-console.ts';
import { buildReference } from './build-reference.ts';
import type { BuiltFile } from './bundler.ts';

export interface SdkFile extends BuiltFile {
  type: string;
  etag: string;
  /** Whether the name contains a hash of the content, so the content never changes. */
  immutable: boolean;
  /** Compresses on the first call. */
  brotli(): Promise<Buffer>;
  gzip(): Promise<Buffer>;
}

const ROOT = join(import.meta.dirname, '../..');
/** Builds for browsers, each with its sources. The lock file pins the bundler and the libraries. */
const BUILDS = {
  sdk: { build: buildSdk, sources: ['src/widget', 'src/locales', 'src/domain', 'src/design', 'src/sdk'] },
  console: {
    build: buildConsole,
    sources: ['src/console', 'src/widget/view', 'src/locales', 'src/domain', 'src/design', 'src/sdk'],
  },
  reference: { build: buildReference, sources: ['src/reference/browser', 'src/design', 'src/sdk'] },
};
export type Build = keyof typeof BUILDS;

/** Loads the browser SDK: the widget and its files. */
export const loadSdk = (cacheDir: string): Promise<SdkFile[]> => load('sdk', cacheDir);
/** Loads the console's script, stylesheet and screens. */
export const loadConsole = (cacheDir: string): Promise<SdkFile[]> => load('console', cacheDir);
/** Loads the script and the stylesheet of the API reference. */
export const loadReference = (cacheDir: string): Promise<SdkFile[]> => load('reference', cacheDir);

/**
 * Loads the files that the release contains and a source checkout lacks. In a checkout, builds them when their sources
 * change, and caches the build, because a build takes seconds.
 */
async function load(name: Build, cacheDir: string): Promise<SdkFile[]> {
  const shipped = join(ROOT, name);
  if (existsSync(shipped)) return readFiles(shipped);
  const lock = await readFile(join(ROOT, 'package-lock.json'), 'utf8');
  const folder = join(cacheDir, `${name}-${await fingerprint(BUILDS[name].sources, [lock])}`);
  if (!existsSync(folder)) await writeBuild(name, folder);
  return readFiles(folder);
}

/** Writes to a temporary folder and renames it, so that no process reads a partial build. */
export async function writeBuild(build: Build, folder: string): Promise<void> {
  const temporary = `${folder}.${randomUUID()}`;
  await mkdir(temporary, { recursive: true });
  for (const { name, body } of await BUILDS[build].build()) await writeFile(join(temporary, name), body);
  await rename(temporary, folder).catch(async (error: unknown) => {
    await rm(temporary, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // otherwise another process was faster and wrote the same files
  });
}

const readFiles = async (folder: string): Promise<SdkFile[]> =>
  Promise.all(
    (await readdir(folder)).map(async (name) => prepareFile({ name, body: await readFile(join(folder, name)) })),
  );

/** Returns the operator's settings for the widget, as a file of the SDK that browsers revalidate. */
export const settingsFile = ({ productName }: { productName: string | null }): SdkFile =>
  prepareFile({ name: 'settings.json', body: Buffer.from(JSON.stringify({ product_name: productName })) });

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
};

/** Whether the name contains a hash of the content (ours, or eight characters of esbuild's), so that a page can pin it. */
export const isPinned = (name: string): boolean =>
  /^[\w-]+-(?:[0-9a-f]{16}|[0-9A-Z]{8})\.(?:m?js|css|json)$/.test(name);

export const prepareFile = ({ name, body }: BuiltFile): SdkFile => ({
  name,
  body,
  type: TYPES[extname(name)] ?? 'application/octet-stream',
  etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
  immutable: isPinned(name),
  brotli: cached(() => promisify(brotliCompress)(body)),
  gzip: cached(() => promisify(gzip)(body, { level: 9 })),
});

function cached<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
