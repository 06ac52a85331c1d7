import type { Lookup } from '../observation/alias-path.ts';
import { lookupThroughAliases } from '../observation/alias-path.ts';
import { askingTerms, followsFrom, isSpf, LOOKUP_LIMIT } from './spf.ts';

/** How often a receiver asks DNS for one message at most. */
export interface SpfLookups {
  count: number;
  /** Policies on the way that could not be read, or depend on the message: what they cost is not in the count. */
  unread: string[];
}

/** Far beyond what any receiver accepts, and an end for policies that include each other. */
const GIVE_UP_AT = 3 * LOOKUP_LIMIT;

/** What the record alone costs, its includes not followed. */
export const ownLookups = (record: string): number => askingTerms(record).length;

/**
 * The same with every include and redirect followed to its end, as a receiver does whose sender matches nothing on the way.
 * Each name is asked for once, however often it is counted.
 */
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

/** Section 7: `%{d}` is the domain in hand; every other macro is known only when there is a message. */
function expanded(target: string, at: string): string | null {
  const name = target
    .replaceAll(/%\{d\}/gi, at)
    .replace(/\.$/, '')
    .toLowerCase();
  return /^[a-z0-9_](?:[a-z0-9_-]*)(?:\.[a-z0-9_](?:[a-z0-9_-]*))+$/.test(name) && name.length <= 253 ? name : null;
}

/** Null where no server could be asked, and where the name has no policy or several. */
async function readPolicy(lookup: Lookup, name: string): Promise<string | null> {
  const { values, cause } = await lookupThroughAliases(lookup, name, 'TXT');
  const [policy, ...others] = cause === null ? values.filter(isSpf) : [];
  return others.length === 0 ? (policy ?? null) : null;
}
