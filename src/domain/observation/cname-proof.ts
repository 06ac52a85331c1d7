import type { CnameVerdict } from '../connection/cname-proof.ts';
import { canonicalValue } from '../record.ts';
import { walkAliases } from './alias-path.ts';
import type { AliasPath, CnameObservation, ServerView } from './observation.ts';
import type { NameServers } from './observe.ts';
import { answered, distinct, isConfirmedBy, valuesSeen, type Verdict } from './verdict.ts';

/**
 * Observes whether the hostname has a CNAME of its own to the target. A random label next to the hostname reveals a
 * wildcard, whose CNAME the owner of the zone did not publish for this hostname.
 */
export async function observeCname(
  servers: NameServers,
  hostname: string,
  target: string,
): Promise<Omit<CnameObservation, 'startedAt' | 'finishedAt'>> {
  const zone = await servers.zoneOf(hostname);
  const ask = (name: string) => zone.ask({ name, types: ['CNAME'], keep: new Set([canonicalTarget(target)]) });
  const siblingName = `${servers.unusedLabel}.${hostname.split('.').slice(1).join('.')}`;
  const [alias, sibling] = await Promise.all([ask(hostname), ask(siblingName)]);
  const leads = distinct(sibling.servers.flatMap((view) => valuesSeen(view, 'CNAME')));
  const paths = await Promise.all(leads.map((name) => walkAliases(servers.lookup, name)));
  const seen = { hostname, zone: zone.observation, alias, sibling, paths };
  const { isProof, isDenied } = combine(seen, target);
  // A claim depends on the delegation, both to be taken and to be lost, so one resolver's answer is not enough.
  return { ...seen, delegation: isProof || isDenied ? await zone.confirm() : null };
}

/** Judges whether the CNAME proves the hostname: every authoritative server must confirm it, and none may be silent. */
export function judgeCname(observation: CnameObservation, target: string): CnameVerdict & { observed: string[] } {
  const { alias, zone, delegation } = observation;
  const { verdict, isProof, isDenied } = combine(observation, target);
  const rests = zone.dnssec !== 'bogus' && isConfirmedBy(alias.servers, 'CNAME', delegation);
  return {
    verdict: verdict === 'match' && !(isProof && rests) ? 'unknown' : verdict,
    isGone: isDenied && rests,
    observed: distinct(alias.servers.flatMap((view) => valuesSeen(view, 'CNAME'))),
  };
}

/** Whether only a wildcard, or a DNAME above the hostname, points to the target. */
export const isSynthesized = (observation: Pick<CnameObservation, 'sibling' | 'paths'>, target: string): boolean =>
  siblingVerdicts(observation, target).includes('mismatch');

type Seen = Pick<CnameObservation, 'alias' | 'sibling' | 'paths' | 'zone'>;

function combine(seen: Seen, target: string): { verdict: Verdict; isProof: boolean; isDenied: boolean } {
  const own = seen.alias.servers.map((view) => hasCname(view, target));
  const siblings = siblingVerdicts(seen, target);
  const all = [...own, ...siblings];
  const isComplete = own.length > 0 && siblings.length > 0 && !all.includes('unknown');
  const verdict = all.includes('mismatch') ? 'mismatch' : isComplete ? 'match' : 'unknown';
  return {
    verdict,
    // A name server without an address was not asked.
    isProof: verdict === 'match' && seen.zone.unresolved.length === 0,
    isDenied: isDeniedBy(own) || isDeniedBy(siblings),
  };
}

const isDeniedBy = (verdicts: Verdict[]): boolean => verdicts.includes('mismatch') && !verdicts.includes('match');

function hasCname(view: ServerView, target: string): Verdict {
  if (!answered(view, 'CNAME')) return 'unknown';
  const values = valuesSeen(view, 'CNAME');
  return values.length === 1 && values[0] === canonicalTarget(target) ? 'match' : 'mismatch';
}

const siblingVerdicts = (
  { sibling, paths }: Pick<CnameObservation, 'sibling' | 'paths'>,
  target: string,
): Verdict[] => {
  const [unused = ''] = sibling.name.split('.');
  return sibling.servers.map((view) => leadsElsewhere(view, paths, canonicalTarget(target), unused));
};

/** Judges the random label: it must not point to the target, directly or through other aliases. */
function leadsElsewhere(view: ServerView, paths: AliasPath[], target: string, unused: string): Verdict {
  if (!answered(view, 'CNAME')) return 'unknown';
  const verdicts = valuesSeen(view, 'CNAME').map((value): Verdict => {
    // A DNAME keeps the label (RFC 6672), so it made the hostname's CNAME too.
    if (value === target || value.startsWith(`${unused}.`)) return 'mismatch';
    const path = paths.find(({ name }) => name === value);
    if (path?.through.includes(target)) return 'mismatch';
    return path === undefined || path.addresses === null ? 'unknown' : 'match';
  });
  return verdicts.find((verdict) => verdict !== 'match') ?? 'match';
}

const canonicalTarget = (target: string): string => canonicalValue('CNAME', target);
