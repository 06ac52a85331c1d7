import type { AliasPath, ObservedType, UnknownCause } from './observation.ts';

export type Lookup = (name: string, type: ObservedType) => Promise<Found>;

export interface Found {
  values: string[];
  alias?: string;
  cause: UnknownCause | null;
}

/** RFC 1034 sets no limit. Resolvers tolerate eight, and no real chain is longer. */
const MAX_ALIASES = 8;

/** Follows a name's CNAMEs to its addresses. Each hop is looked up in its own zone. */
export async function walkAliases(lookup: Lookup, name: string): Promise<AliasPath> {
  const through: string[] = [];
  const ended = (addresses: string[] | null, cause: UnknownCause | null): AliasPath => ({
    name,
    through,
    addresses,
    cause,
  });
  for (let at = name; through.length <= MAX_ALIASES; at = through.at(-1) ?? name) {
    const [ipv4, ipv6] = await Promise.all([lookup(at, 'A'), lookup(at, 'AAAA')]);
    const alias = ipv4.alias ?? ipv6.alias;
    if (alias === undefined) {
      const cause = ipv4.cause ?? ipv6.cause;
      return cause ? ended(null, cause) : ended([...ipv4.values, ...ipv6.values].sort(), null);
    }
    if (alias === name || through.includes(alias)) break;
    through.push(alias);
  }
  return ended(null, 'cname_loop');
}

/** Returns the values at the end of a name's CNAMEs, and the last name. */
export async function lookupThroughAliases(
  lookup: Lookup,
  name: string,
  type: ObservedType,
): Promise<{ at: string; values: string[]; cause: UnknownCause | null }> {
  let at = name;
  for (let aliases = 0; aliases <= MAX_ALIASES; aliases++) {
    const { values, alias, cause } = await lookup(at, type);
    if (cause || alias === undefined) return { at, values, cause };
    at = alias;
  }
  return { at, values: [], cause: 'cname_loop' };
}
