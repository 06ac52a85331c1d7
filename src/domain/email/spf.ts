/** A term of a sender policy (RFC 7208), as far as merging and counting need it. It keeps its owner's spelling. */
export interface SpfTerm {
  text: string;
  /** Lower case: a mechanism such as `include`, or a modifier such as `redirect`. */
  name: string;
  isModifier: boolean;
  qualifier: '+' | '-' | '~' | '?';
  /** Text after the colon or the equals sign; without one, from the slash of a prefix length. */
  value: string;
}

/** RFC 7208 section 4.6.4: a receiver returns an error at the eleventh lookup. */
export const LOOKUP_LIMIT = 10;
/** Section 3.4: longer answers may not fit into one packet. */
export const SAFE_LENGTH = 450;

const MECHANISMS: ReadonlySet<string> = new Set(['all', 'include', 'a', 'mx', 'ptr', 'ip4', 'ip6', 'exists']);
const ASKS_DNS: ReadonlySet<string> = new Set(['include', 'a', 'mx', 'ptr', 'exists']);

export const isSpf = (text: string): boolean => /^v=spf1( |$)/i.test(text);

/** Returns the terms after the version, in order. */
export const parseSpf = (record: string): SpfTerm[] =>
  record
    .split(/ +/)
    .slice(1)
    .filter((text) => text !== '')
    .map(termOf);

function termOf(text: string): SpfTerm {
  const modifier = /^([a-z][a-z0-9_.-]*)=(.*)$/i.exec(text);
  if (modifier)
    return {
      text,
      name: (modifier[1] ?? '').toLowerCase(),
      isModifier: true,
      qualifier: '+',
      value: modifier[2] ?? '',
    };
  const [, sign = '', name = '', rest = ''] = /^([+\-~?]?)([^:/]*)(.*)$/.exec(text) ?? [];
  return {
    text,
    name: name.toLowerCase(),
    isModifier: false,
    qualifier: (sign || '+') as SpfTerm['qualifier'],
    value: rest.startsWith(':') ? rest.slice(1) : rest,
  };
}

const isAll = ({ name, isModifier }: SpfTerm): boolean => name === 'all' && !isModifier;
const isRedirect = ({ name, isModifier }: SpfTerm): boolean => name === 'redirect' && isModifier;

/** Returns the reason why receivers would ignore the record; null if they would not. */
export function spfFault(record: string): string | null {
  const terms = parseSpf(record);
  const unknown = terms.find(({ name, isModifier }) => !isModifier && !MECHANISMS.has(name));
  if (unknown) return `"${unknown.text}" is no term of SPF`;
  const empty = terms.find(({ name, value, isModifier }) => ['include', 'exists', 'ip4', 'ip6'].includes(name) && !isModifier && value === ''); // prettier-ignore
  if (empty) return `"${empty.text}" names nothing`;
  if (terms.filter(isRedirect).length > 1) return 'it has more than one redirect=';
  return /[^\x20-\x7e]/.test(record) ? 'it holds characters that are not ASCII' : null;
}

/** Returns the terms that a receiver can evaluate: nothing after `all`, and a redirect only without `all`. */
export function evaluatedTerms(record: string): SpfTerm[] {
  const terms = parseSpf(record);
  const all = terms.findIndex(isAll);
  const mechanisms = terms.filter((term, index) => !term.isModifier && (all === -1 || index <= all));
  return all === -1 ? [...mechanisms, ...terms.filter(isRedirect)] : mechanisms;
}

/** Returns the terms that cost a lookup. */
export const askingTerms = (record: string): SpfTerm[] =>
  evaluatedTerms(record).filter((term) => isRedirect(term) || ASKS_DNS.has(term.name));

/** Returns the names whose policies a receiver reads. */
export const followsFrom = (record: string): string[] =>
  askingTerms(record)
    .filter((term) => term.name === 'include' || isRedirect(term))
    .map(({ value }) => value);

/** Whether the mailbox provider's servers pass: its first include comes before `all`, without another qualifier. */
export const allowsSender = (record: string, include: string): boolean => allows(record, includeTerm(include));

const includeTerm = (name: string): SpfTerm => termOf(`include:${name}`);

const allows = (record: string, wanted: SpfTerm): boolean =>
  evaluatedTerms(record).find(isLike(wanted))?.qualifier === wanted.qualifier;

/** Returns a test for terms that match the same senders, with any qualifier. */
const isLike =
  ({ name, value }: SpfTerm) =>
  (term: SpfTerm): boolean =>
    term.name === name && !term.isModifier && sameName(term.value, value);

/** Whether two names are equal in DNS, where letter case and a trailing dot do not matter. */
export const sameName = (a: string, b: string): boolean =>
  a.toLowerCase().replace(/\.$/, '') === b.toLowerCase().replace(/\.$/, '');

/** Returns one record that adds the mailbox provider and keeps every term of the owner. */
export const mergeSpf = (existing: readonly string[], include: string): string =>
  existing.length === 0 ? `v=spf1 include:${include} ~all` : withTerm(single(existing), includeTerm(include));

/** Returns one record that has the mechanisms of the wanted policy and every term of the owner, whose `all` stays. */
export const mergePolicies = (existing: readonly string[], wanted: string): string =>
  existing.length === 0 ? wanted : mechanismsOf(wanted).reduce(withTerm, single(existing));

/** Whether the only policy at a name has every mechanism of the wanted one. Several policies void each other (section 4.5). */
export const containsPolicy = (existing: readonly string[], wanted: string): boolean =>
  existing.length === 1 && mechanismsOf(wanted).every((term) => allows(existing[0] ?? '', term));

const mechanismsOf = (record: string): SpfTerm[] => parseSpf(record).filter((term) => !isAll(term) && !term.isModifier);

/** Several records, which void each other, become one. */
const single = (existing: readonly string[]): string =>
  existing.length === 1 ? (existing[0] ?? '') : joined(existing);

/** Adds a term before `all`, after which nothing is read. */
function withTerm(record: string, wanted: SpfTerm): string {
  if (allows(record, wanted)) return record;
  const terms = parseSpf(record);
  const end = terms.findIndex((term) => isAll(term) || term.isModifier || isLike(wanted)(term));
  const before = end === -1 ? terms : terms.slice(0, end);
  const after = end === -1 ? [] : terms.slice(end);
  return ['v=spf1', ...texts(before), wanted.text, ...texts(after)].join(' ');
}

/** Merges records in a stable order, up to the first `all`. A redirect that would be disabled becomes an include. */
function joined(records: readonly string[]): string {
  const terms = records.toSorted().flatMap(parseSpf);
  const all = terms.find(isAll);
  const redirect = all ? undefined : terms.find(isRedirect);
  const mechanisms = terms.flatMap((term) => {
    if (isAll(term) || (term.isModifier && !isRedirect(term)) || term === redirect) return [];
    return isRedirect(term) ? [`include:${term.value}`] : [term.text];
  });
  const modifiers = terms.filter((term) => term.isModifier && !isRedirect(term));
  const end = [...texts(modifiers), ...texts([redirect, all].filter((term) => term !== undefined))];
  return ['v=spf1', ...new Set(mechanisms), ...new Set(end)].join(' ');
}

const texts = (terms: readonly SpfTerm[]): string[] => terms.map(({ text }) => text);
