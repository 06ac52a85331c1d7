interface Filtered {
  name: string;
  type: string;
  content: string;
  comment?: string | null;
  proxied?: boolean;
}

const TESTS: Readonly<Record<string, (value: string, wanted: string) => boolean>> = {
  exact: (value, wanted) => value === wanted,
  contains: (value, wanted) => value.includes(wanted),
  startswith: (value, wanted) => value.startsWith(wanted),
  endswith: (value, wanted) => value.endsWith(wanted),
};

/**
 * Returns the filter in the query of a listing: `name`, `name.contains` and so on, joined by `match=all` or `match=any`,
 * and `search`, whose words must all be in the name, the content or the comment. Filters ignore case.
 */
export function recordFilter(query: URLSearchParams): (record: Filtered) => boolean {
  const conditions = [...query].flatMap(([key, wanted]) => conditionOf(key, wanted.toLowerCase()));
  const isAny = query.get('match') === 'any';
  return (record) =>
    conditions.length === 0 ||
    (isAny ? conditions.some((holds) => holds(record)) : conditions.every((holds) => holds(record)));
}

function conditionOf(key: string, wanted: string): ((record: Filtered) => boolean)[] {
  const [field = '', test = 'exact'] = key.split('.');
  if (key === 'search')
    return [({ name, content, comment }) => wanted.split(/\s+/).every((word) => `${name}\n${content}\n${comment ?? ''}`.toLowerCase().includes(word))]; // prettier-ignore
  if (key === 'type') return [({ type }) => type.toLowerCase() === wanted];
  if (key === 'proxied') return [({ proxied = false }) => String(proxied) === wanted];
  if (key === 'comment.present') return [({ comment }) => comment != null];
  if (key === 'comment.absent') return [({ comment }) => comment == null];
  const holds = TESTS[test];
  if (holds === undefined || (field !== 'name' && field !== 'content' && field !== 'comment')) return [];
  return [(record) => record[field] != null && holds(record[field].toLowerCase(), wanted)];
}
