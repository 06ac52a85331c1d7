import { isInZone } from '../record.ts';
import { copiesAt, namesAbove, namesToCopy } from '../zone/wildcard.ts';
import type {
  NameObservation,
  ObservedRecord,
  ObservedType,
  ServerView,
  WildcardVerdict,
  ZoneObservation,
} from './observation.ts';
import { answered } from './verdict.ts';

export const UNKNOWN_WILDCARD: WildcardVerdict = { covered: null, wildcard: null, records: [] };
export const NO_WILDCARD: WildcardVerdict = { ...UNKNOWN_WILDCARD, covered: false };

/** Answers to the questions that show whether a name exists. */
export interface WildcardObservation {
  name: string;
  zone: string;
  /** A random label below the name. No wildcard above the name answers for it if the name exists. */
  below: NameObservation;
  own: NameObservation;
  /** A random label below the star of each name above, closest first. No wildcard answers for it if the star exists. */
  stars: NameObservation[];
}

type Ask = (name: string, types: ObservedType[]) => Promise<NameObservation>;

/** Types that people and mail servers ask for. A CNAME answers every question. */
const TYPES: ObservedType[] = ['A', 'AAAA', 'MX', 'TXT', 'CAA'];

/** Asks whether only a wildcard answers for a name. Without a wildcard, this costs a single question. */
export async function observeWildcard(
  ask: Ask,
  unusedLabel: string,
  name: string,
  zone: Pick<ZoneObservation, 'name' | 'registered'>,
): Promise<WildcardVerdict> {
  if (zone.name === null || zone.registered === false || !isInZone(name, zone.name)) return UNKNOWN_WILDCARD;
  if (name === zone.name) return NO_WILDCARD;
  const first = await ask(`${unusedLabel}.${name}`, ['A']);
  const answers = first.servers.flatMap((view) => answered(view, 'A') ?? []);
  if (!answers.some(({ exists }) => exists)) return answers.length > 0 ? NO_WILDCARD : UNKNOWN_WILDCARD;
  const [below, own, ...stars] = await Promise.all([
    ask(first.name, TYPES),
    ask(name, TYPES),
    ...namesAbove(name, zone.name).map((above) => ask(`${unusedLabel}.*.${above}`, TYPES)),
  ]);
  return judgeWildcard({ name, zone: zone.name, below, own, stars });
}

/** One covered server decides, because it loses the name. Servers without an answer do not count. */
export function judgeWildcard({ name, zone, below, own, stars }: WildcardObservation): WildcardVerdict {
  const judged = own.servers.map((view) => ({ view, same: isSameAnswer(view, at(below, view)) }));
  const covered = judged.find(({ same }) => same === true);
  if (covered === undefined) return judged.some(({ same }) => same === false) ? NO_WILDCARD : UNKNOWN_WILDCARD;
  const { view } = covered;
  // The encloser is the closest name whose star exists. An unclear answer ends the search: it means fewer copies.
  const enclosers = namesAbove(name, zone);
  const existing = stars.findIndex((star) => isSameAnswer(view, at(star, view)) !== true);
  const encloser = enclosers[existing] ?? zone;
  return { covered: true, wildcard: `*.${encloser}`, records: copiesAt(namesToCopy(name, encloser), recordsIn(view)) };
}

const at = ({ servers }: NameObservation, { server }: ServerView): ServerView | undefined =>
  servers.find((view) => view.server.name === server.name && view.server.address === server.address);

/**
 * Whether one wildcard answers at both names. One common record is enough: some servers rotate addresses, or return only
 * a few of many. Null if missing answers leave that open.
 */
function isSameAnswer(own: ServerView, other: ServerView | undefined): boolean | null {
  if (other === undefined) return null;
  const seen = new Set(recordsIn(other).map(keyOf));
  if (recordsIn(own).some((record) => seen.has(keyOf(record)))) return true;
  const isComplete = [own, other].every(({ answers }) =>
    Object.values(answers).every(({ outcome }) => outcome === 'answered'),
  );
  return isComplete ? false : null;
}

const keyOf = ({ type, value, priority }: ObservedRecord): string => JSON.stringify([type, value, priority]);

/** Returns every record in a server's answers once, without values that were shortened for storage. */
function recordsIn({ answers }: ServerView): ObservedRecord[] {
  const records = Object.values(answers).flatMap((answer) => (answer.outcome === 'answered' ? answer.records : []));
  const whole = records.filter(({ value }) => !value.endsWith('…'));
  return [...new Map(whole.map((record) => [keyOf(record), record])).values()];
}
