import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { fingerprint } from '../fingerprint.ts';
import { buildSdk, type BuiltFile } from './build.ts';

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
/** The built SDK, which a release contains and a source checkout lacks. */
const SHIPPED = join(ROOT, 'sdk');
/** Sources of the SDK. The lock file pins the bundler and the libraries. */
const SOURCES = ['src/widget', 'src/locales', 'src/domain', 'src/sdk'];

/**
 * Loads the SDK that the release contains. In a source checkout, builds the SDK when its sources change, and caches the
 * build, because a build takes seconds.
 */
export async function loadSdk(cacheDir: string): Promise<SdkFile[]> {
  if (existsSync(SHIPPED)) return readSdk(SHIPPED);
  const lock = await readFile(join(ROOT, 'package-lock.json'), 'utf8');
  const folder = join(cacheDir, `sdk-${await fingerprint(SOURCES, [lock])}`);
  if (!existsSync(folder)) await writeSdk(folder);
  return readSdk(folder);
}

/** Writes to a temporary folder and renames it, so that no process reads a partial build. */
export async function writeSdk(folder: string): Promise<void> {
  const temporary = `${folder}.${randomUUID()}`;
  await mkdir(temporary, { recursive: true });
  for (const { name, body } of await buildSdk()) await writeFile(join(temporary, name), body);
  await rename(temporary, folder).catch(async (error: unknown) => {
    await rm(temporary, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // otherwise another process was faster and wrote the same files
  });
}

const readSdk = async (folder: string): Promise<SdkFile[]> =>
  Promise.all(
    (await readdir(folder)).map(async (name) => prepareFile({ name, body: await readFile(join(folder, name)) })),
  );

/** Returns the operator's settings for the widget, as a file of the SDK that browsers revalidate. */
export const settingsFile = ({ productName }: { productName: string | null }): SdkFile =>
  prepareFile({ name: 'settings.json', body: Buffer.from(JSON.stringify({ product_name: productName })) });

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
};

/** Whether the name contains a hash of the content, so that a page can pin this version. */
export const isPinned = (name: string): boolean => /^[\w-]+-[0-9a-f]{16}\.(?:m?js|json)$/.test(name);

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
