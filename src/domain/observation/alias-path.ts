import type { AliasPath, ObservedType, UnknownCause } from './observation.ts';

/** One question where one server's word is enough: the values, or the alias in their place, or why no server said. */
export type Lookup = (name: string, type: ObservedType) => Promise<Found>;

export interface Found {
  values: string[];
  alias?: string;
  cause: UnknownCause | null;
}

/** RFC 1034 sets no bound; eight is what resolvers tolerate and more than any real chain has. */
const MAX_ALIASES = 8;

/** Walks a name's CNAMEs to its addresses. Every hop is asked for where it stands. */
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

/** The values at the end of a name's CNAMEs, and the name at which they stand. */
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
