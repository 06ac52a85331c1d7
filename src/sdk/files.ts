import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { fingerprint } from '../fingerprint.ts';
import { buildSdk, type BuiltFile } from './build.ts';

/** A file of the SDK, ready to be sent in each way that a browser may take it. */
export interface SdkFile extends BuiltFile {
  type: string;
  etag: string;
  /** Its name holds its hash: what it says never changes. */
  immutable: boolean;
  /** Compressed when it is first asked for. */
  brotli(): Promise<Buffer>;
  gzip(): Promise<Buffer>;
}

const ROOT = join(import.meta.dirname, '../..');
const SHIPPED = join(ROOT, 'sdk');
/** What ends up in the files; the lock file says with which bundler and which libraries. */
const SOURCES = ['src/widget', 'src/locales', 'src/domain', 'src/sdk'];

/** Those that a build ships. From sources they are made when these change, and kept, because making them takes seconds. */
export async function loadSdk(cacheDir: string): Promise<SdkFile[]> {
  if (existsSync(SHIPPED)) return readSdk(SHIPPED);
  const lock = await readFile(join(ROOT, 'package-lock.json'), 'utf8');
  const folder = join(cacheDir, `sdk-${await fingerprint(SOURCES, [lock])}`);
  if (!existsSync(folder)) await writeSdk(folder);
  return readSdk(folder);
}

/** Written aside and renamed, so that no other process ever reads half of it. */
export async function writeSdk(folder: string): Promise<void> {
  const aside = `${folder}.${randomUUID()}`;
  await mkdir(aside, { recursive: true });
  for (const { name, body } of await buildSdk()) await writeFile(join(aside, name), body);
  await rename(aside, folder).catch(async (error: unknown) => {
    await rm(aside, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // else another process was first, with the same files
  });
}

const readSdk = async (folder: string): Promise<SdkFile[]> =>
  Promise.all(
    (await readdir(folder)).map(async (name) => prepareFile({ name, body: await readFile(join(folder, name)) })),
  );

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
};

export const isPinned = (name: string): boolean => /^[\w-]+-[0-9a-f]{16}\.(?:m?js|json)$/.test(name);

export const prepareFile = ({ name, body }: BuiltFile): SdkFile => ({
  name,
  body,
  type: TYPES[extname(name)] ?? 'application/octet-stream',
  etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
  immutable: isPinned(name),
  brotli: kept(() => promisify(brotliCompress)(body)),
  gzip: kept(() => promisify(gzip)(body, { level: 9 })),
});

function kept<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
