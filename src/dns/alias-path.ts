import type { AliasPath, ObservedType, UnknownCause } from '../domain/observation.ts';
import type { DnsMessage } from './message.ts';
import type { ZoneCuts } from './zone-cut.ts';

/** RFC 1034 sets no bound; eight is what resolvers tolerate and more than anybody needs. */
const MAX_ALIASES = 8;

/**
 * Walks a name's CNAMEs to its addresses, asking each zone's own servers. What a server tells about names outside its
 * zone is not believed: every hop is asked where it lives.
 */
export async function walkAliases(cuts: ZoneCuts, name: string, signal: AbortSignal): Promise<AliasPath> {
  const through: string[] = [];
  const ended = (addresses: string[] | null, cause: UnknownCause | null): AliasPath => ({
    name,
    through,
    addresses,
    cause,
  });
  for (let at = name; through.length <= MAX_ALIASES; at = through.at(-1) ?? name) {
    const [ipv4, ipv6] = await Promise.all([lookup(cuts, at, 'A', signal), lookup(cuts, at, 'AAAA', signal)]);
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

/** One question along a walk: the values, or the alias that stands in their place, or why nobody said. */
export async function lookup(
  cuts: ZoneCuts,
  name: string,
  type: ObservedType,
  signal: AbortSignal,
): Promise<{ values: string[]; alias?: string; cause: UnknownCause | null }> {
  const zone = await cuts.find(name, signal);
  const reply = await cuts.askOne(zone, name, type, signal);
  if (reply.kind !== 'answer') return { values: [], cause: reply.kind === 'unknown' ? reply.cause : 'lame' };
  const own = ownRecords(reply.message, name);
  const alias = type === 'CNAME' ? undefined : own.find((record) => record.type === 'CNAME')?.value;
  const values = own.filter((record) => record.type === type).map(({ value }) => value);
  return alias === undefined ? { values, cause: null } : { values: [], alias, cause: null };
}

/** Records that stand at the asked name itself. */
export const ownRecords = (message: DnsMessage, name: string) =>
  message.answers.filter((record) => record.name === name);
