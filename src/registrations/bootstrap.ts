import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { jsonOf } from '../net/json.ts';
import { isLoopbackHost } from '../net/reach.ts';

/** The file that IANA publishes as https://data.iana.org/rdap/dns.json (RFC 9224 section 3). */
const Bootstrap = z.object({ services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])) });

/** Returns the base URL of the RDAP server for a domain; null if there is none that we may ask. */
export type ServerOf = (domain: string) => string | null;

/** Reads the bootstrap file. Throws if it is not one. */
export async function readBootstrap(file: string): Promise<ServerOf> {
  const { data } = Bootstrap.safeParse(jsonOf(await textOf(file)));
  if (data === undefined) throw new Error(`${file} is not a bootstrap file of RDAP, such as IANA's dns.json.`);
  const servers = new Map(
    data.services.flatMap(([suffixes, urls]) =>
      suffixes.map((suffix) => [suffix.toLowerCase(), baseOf(urls)] as const),
    ),
  );
  return (domain) => {
    // The entry with the most labels applies (section 4).
    const suffixes = domain.split('.').map((_label, index, labels) => labels.slice(index).join('.'));
    const entry = suffixes.find((suffix) => servers.has(suffix));
    return (entry === undefined ? undefined : servers.get(entry)) ?? null;
  };
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new Error(`${file} cannot be read (${String((cause as { code?: unknown }).code)}).`, { cause });
  }
}

/** Returns the first URL that we may ask. */
const baseOf = (urls: readonly string[]): string | null =>
  urls.map((text) => URL.parse(text.endsWith('/') ? text : `${text}/`)).find((url) => url !== null && isAskable(url))
    ?.href ?? null;

/** Whether a server may be asked: by https, and by http only on this machine, for tests. */
export const isAskable = ({ protocol, hostname, username, password }: URL): boolean =>
  (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))) && username === '' && password === '';
