import { escapeHtml } from '../domain/html.ts';
import { unicodeHostname } from '../domain/idn.ts';
import { LANGUAGES } from '../locales/all.ts';
import { isRightToLeft, type EdgeWords, type Locale } from '../locales/words.ts';

interface PageProperties {
  status: number;
  retryAfterSeconds?: number;
  /** Time after which the page reloads itself. */
  refreshSeconds?: number;
}

/** A page by name. An error of the edge can keep a status of its own. */
export interface Page {
  name: PageName;
  status: number;
}

/** A page that the edge serves instead of the site. Its texts are in the locales, by the same key. */
export const PAGES = {
  settingUp: { status: 503, retryAfterSeconds: 30, refreshSeconds: 30 },
  noOrigin: { status: 503, retryAfterSeconds: 300 },
  originUnknown: { status: 502, retryAfterSeconds: 60 },
  originDown: { status: 502, retryAfterSeconds: 60 },
  originSlow: { status: 504, retryAfterSeconds: 60 },
  loop: { status: 508 },
  badRequest: { status: 400 },
  wrongHost: { status: 421 },
  maintenance: { status: 503, retryAfterSeconds: 300 },
  unavailable: { status: 503, retryAfterSeconds: 5 },
  unknown: { status: 404 },
  archived: { status: 410 },
  blocked: { status: 403 },
  malformed: { status: 400 },
} as const satisfies Record<keyof EdgeWords, PageProperties>;
export type PageName = keyof typeof PAGES;

export const pageNamed = (name: PageName): Page => ({ name, status: PAGES[name].status });

const FOR_ERRORS = ['badRequest', 'originDown', 'originSlow', 'loop', 'wrongHost'] as const satisfies PageName[];

/** Returns the page for an error of the edge itself. A status without its own page keeps its status. */
export const errorPage = (status: number): Page => ({
  name: FOR_ERRORS.find((name) => PAGES[name].status === status) ?? 'originDown',
  status,
});

/** Headers of every page. Nothing is cached, because the site can become available at any time. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  vary: 'Accept-Language',
};

const STYLE = `
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5b6675;--ground:#f6f7f9;--card:#fff;--line:#dfe3e8}
@media(prefers-color-scheme:dark){:root{--ink:#e8ecf1;--soft:#a3adba;--ground:#14181d;--card:#1c2229;--line:#303842}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--ground);color:var(--ink);
font:1.0625rem/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}
main{width:100%;max-width:30rem;padding:2.25rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
h1{margin:0 0 .5rem;font-size:1.375rem;line-height:1.25;overflow-wrap:anywhere}
p{margin:0;color:var(--soft)}
.site{margin-bottom:1.5rem;font-size:.9375rem;overflow-wrap:anywhere}
.site b{display:block;color:var(--ink)}
.code{margin-top:1.5rem;font-size:.8125rem}`;

/** The site that the page is about: a validated hostname, and the tenant's display name. */
export interface Site {
  host: string | null;
  display_name: string | null;
}

/** Renders a page in the visitor's language. It loads and runs nothing. */
export function renderPage(
  { name, status }: Page,
  { host, display_name }: Site,
  locale: Locale,
  /** The tenant's own words, in place of ours. */
  message?: string,
): { headers: Record<string, string>; body: string } {
  const { retryAfterSeconds, refreshSeconds }: PageProperties = PAGES[name];
  const { title, text } = LANGUAGES[locale].edge[name];
  const refresh = refreshSeconds === undefined ? '' : `\n<meta http-equiv="refresh" content="${refreshSeconds}">`;
  const body = `<!doctype html>
<html lang="${locale}" dir="${isRightToLeft(locale) ? 'rtl' : 'ltr'}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${refresh}
<title>${title}${display_name === null ? '' : ` · ${escapeHtml(display_name)}`}</title>
<style>${STYLE}
</style>
<main>
${siteOf({ host, display_name })}<h1>${title}</h1>
<p>${message === undefined ? text : `<bdi>${escapeHtml(message)}</bdi>`}</p>
<p class="code">${status}</p>
</main>
</html>
`;
  // After removal, the owner may point the hostname to a server without TLS, so a 410 clears the browser's HSTS entry.
  const more = {
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    ...(status === 410 ? { 'strict-transport-security': 'max-age=0' } : {}),
  };
  return { headers: { ...HEADERS, ...more, 'content-length': String(Buffer.byteLength(body)) }, body };
}

function siteOf({ host, display_name }: Site): string {
  const name = display_name === null ? '' : `<b><bdi>${escapeHtml(display_name)}</bdi></b>`;
  if (name === '' && host === null) return '';
  return `<p class="site">${name}<bdi dir="ltr">${escapeHtml(unicodeHostname(host ?? ''))}</bdi></p>\n`;
}
