import { API_PREFIX } from '../src/api/route.ts';
import { routes } from '../src/api/routes/all.ts';

const SECTION = /(<!-- scopes: .*? -->\n)[\s\S]*?(<!-- end of scopes -->)/;

/** Returns docs/api.md with the table of requests and the scopes that each needs. */
export function withScopesTable(page: string): string {
  const rows = routes.map(({ method, path, needs, widget, testOnly }) => {
    const scopes = needs.length === 0 ? 'any' : needs.map((scope) => `\`${scope}\``).join(' or ');
    return `| \`${method.toUpperCase()} ${API_PREFIX}${path}\` | ${scopes}${testOnly ? ', test keys only' : ''} | ${widget ? 'yes' : ''} |`;
  });
  const table = ['| Request | Scope | Widget token |', '| --- | --- | --- |', ...rows].join('\n');
  if (!SECTION.test(page)) throw new Error('docs/api.md has no place for the table of scopes.');
  return page.replace(SECTION, (_all, start: string, end: string) => `${start}\n${table}\n\n${end}`);
}
