import { constants, type Dirent } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ForeignCertificate } from '../../certificates/imported.ts';
import { CommandError } from '../errors.ts';
import { refusedRow, type Findings, type ImportRow, type ImportSource } from './source.ts';

/** Caddy writes the star of a wildcard so. */
const WILDCARD = 'wildcard_.';
const KNOWN: ReadonlySet<string> = new Set(['sans', 'issuer_data']);
const Metadata = z.looseObject({});

/** Limit for one file, far above a chain of certificates. */
const MOST_BYTES = 256 * 1_024;

/**
 * Reads a copy of Caddy's storage: `certificates/<issuer>/<name>/<name>.crt`, `.key` and `.json`. Symbolic links are never
 * followed, so that a prepared folder cannot make us read other files.
 */
export const caddySource = (folder: string): ImportSource => ({
  async *rows(findings) {
    const root = join(folder, 'certificates');
    const issuersOf = new Map<string, string[]>();
    for (const issuer of await entriesOf(root, folder)) {
      if (issuer.isSymbolicLink()) yield linked(issuer.name);
      if (!issuer.isDirectory()) continue;
      for (const site of await entriesOf(join(root, issuer.name), folder)) {
        if (site.isSymbolicLink()) yield linked(site.name);
        if (site.isDirectory()) issuersOf.set(site.name, [...(issuersOf.get(site.name) ?? []), issuer.name]);
      }
    }
    for (const [name, issuers] of issuersOf) yield await rowOf(root, name, issuers, findings);
  },
});

const linked = (name: string): ImportRow => refusedRow(name, 'symbolic_link', 'A symbolic link is not followed.');

/** Returns the row of a hostname, with a certificate of each issuer that gave it one. */
async function rowOf(root: string, name: string, issuers: readonly string[], findings: Findings): Promise<ImportRow> {
  const hostname = name.startsWith(WILDCARD) ? `*.${name.slice(WILDCARD.length)}` : name;
  const read: ForeignCertificate[] = [];
  let unreadable: string | undefined;
  for (const issuer of issuers) {
    const at = (ending: string) => join(root, issuer, name, name + ending);
    try {
      const [chain, key, metadata] = [await textIn(at('.crt')), await textIn(at('.key')), await textIn(at('.json'))];
      if (chain !== null && key !== null) read.push({ chain, key });
      else unreadable ??= 'The certificate or its key is missing.';
      findings.ignored.addOf(Metadata.safeParse(parsed(metadata)).data ?? {}, KNOWN);
    } catch (error) {
      unreadable ??= error instanceof Error ? error.message : String(error);
    }
  }
  return { hostname, external_id: null, certificates: read, ...(unreadable === undefined ? {} : { unreadable }) };
}

async function entriesOf(folder: string, given: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${given} is no storage folder of Caddy: ${why}.`);
  });
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reads a small regular file; null if there is none. */
async function textIn(path: string): Promise<string | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return null;
      throw code === 'ELOOP' ? new Error('A symbolic link is not followed.') : error;
    },
  );
  if (file === null) return null;
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > MOST_BYTES) throw new Error('A file is too large, or no regular file.');
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '{}');
  } catch {
    return {};
  }
}
