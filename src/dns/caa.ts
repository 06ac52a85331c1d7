import { caaRecordsOf } from '../domain/caa.ts';
import type { CaaObservation, UnknownCause } from '../domain/observation.ts';
import { lookup } from './alias-path.ts';
import type { ZoneCuts } from './zone-cut.ts';

const MAX_ALIASES = 8;

/**
 * The CAA set that a certificate authority will hold against a hostname (RFC 8659 section 3): the first that is not
 * empty on the way from the name to the top, where a name that is an alias has its target's set. An authority refuses
 * when a lookup fails, but we do not know whether it will fail for them too: it stays unknown and blocks nothing.
 */
export async function observeCaa(cuts: ZoneCuts, hostname: string, signal: AbortSignal): Promise<CaaObservation> {
  for (let name = hostname; name !== ''; name = name.split('.').slice(1).join('.')) {
    const set = await caaAt(cuts, name, signal);
    if (set.cause) return { hostname, outcome: 'unknown', at: name, records: [], cause: set.cause };
    if (set.values.length > 0)
      return { hostname, outcome: 'found', at: set.at, records: set.values.flatMap(caaRecordsOf), cause: null };
  }
  return { hostname, outcome: 'none', at: null, records: [], cause: null };
}

async function caaAt(
  cuts: ZoneCuts,
  name: string,
  signal: AbortSignal,
): Promise<{ at: string; values: string[]; cause: UnknownCause | null }> {
  let at = name;
  for (let aliases = 0; aliases <= MAX_ALIASES; aliases++) {
    const { values, alias, cause } = await lookup(cuts, at, 'CAA', signal);
    if (cause || alias === undefined) return { at, values, cause };
    at = alias;
  }
  return { at, values: [], cause: 'cname_loop' };
}
