import type { Lookup } from '../observation/alias-path.ts';
import { lookupThroughAliases } from '../observation/alias-path.ts';
import { askingTerms, followsFrom, isSpf, LOOKUP_LIMIT } from './spf.ts';

/** Maximum number of DNS lookups that a receiver makes for one message. */
export interface SpfLookups {
  count: number;
  /** Policies that could not be read, or that depend on the message. Their lookups are not counted. */
  unread: string[];
}

/** Far beyond every receiver's limit. It ends policies that include each other. */
const GIVE_UP_AT = 3 * LOOKUP_LIMIT;

/** Returns the lookups of the record itself, without those of its includes. */
export const ownLookups = (record: string): number => askingTerms(record).length;

/** Returns the lookups, as for a sender that matches nothing. Each name is looked up once, but counted every time. */
export async function allLookups(record: string, domain: string, lookup: Lookup): Promise<SpfLookups> {
  const read = new Map<string, Promise<string | null>>();
  const policyOf = (name: string): Promise<string | null> => {
    const known = read.get(name) ?? readPolicy(lookup, name);
    read.set(name, known);
    return known;
  };
  const unread = new Set<string>();
  let count = 0;
  const walk = async (text: string, at: string): Promise<void> => {
    count += ownLookups(text);
    for (const target of followsFrom(text)) {
      if (count > GIVE_UP_AT) return;
      const name = expanded(target, at);
      const policy = name === null ? null : await policyOf(name);
      if (name === null || policy === null) unread.add(target);
      else await walk(policy, name);
    }
  };
  await walk(record, domain);
  return { count, unread: [...unread] };
}

/** Expands `%{d}` to the current domain (section 7). Every other macro depends on the message. */
function expanded(target: string, at: string): string | null {
  const name = target
    .replaceAll(/%\{d\}/gi, at)
    .replace(/\.$/, '')
    .toLowerCase();
  return /^[a-z0-9_](?:[a-z0-9_-]*)(?:\.[a-z0-9_](?:[a-z0-9_-]*))+$/.test(name) && name.length <= 253 ? name : null;
}

/** Returns null if no server answered, or if the name has no policy or several. */
async function readPolicy(lookup: Lookup, name: string): Promise<string | null> {
  const { values, cause } = await lookupThroughAliases(lookup, name, 'TXT');
  const [policy, ...others] = cause === null ? values.filter(isSpf) : [];
  return others.length === 0 ? (policy ?? null) : null;
}
