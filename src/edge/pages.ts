import type { Branding } from '../domain/edge/admission.ts';
import { escapeHtml } from '../domain/html.ts';
import { unicodeHostname } from '../domain/idn.ts';
import { LANGUAGES } from '../locales/all.ts';
import { isRightToLeft, type EdgeWords, type Locale } from '../locales/words.ts';
import { TOKENS } from '../design/tokens.ts';

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
  busy: { status: 503, retryAfterSeconds: 5 },
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
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  vary: 'Accept-Language',
};

const STYLE = `
${TOKENS}*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--soft);color:var(--fg);
font:1.0625rem/1.55 var(--font)}
main{width:100%;max-width:30rem;padding:2.25rem;background:var(--bg);border:1px solid var(--line);border-radius:var(--radius)}
h1{margin:0 0 .5rem;font-size:1.375rem;line-height:1.25;overflow-wrap:anywhere}
p{margin:0;color:var(--muted)}
.site{margin-bottom:1.5rem;font-size:.9375rem;overflow-wrap:anywhere}
.site b{display:block;color:var(--fg)}
.logo{display:block;max-width:12rem;max-height:3rem;margin-bottom:1.5rem}
.help{margin-top:1.5rem}
a{color:inherit}
.code{margin-top:1.5rem;font-size:.8125rem;overflow-wrap:anywhere}`;

/** The site that the page is about: a validated hostname, its tenant's branding, and the request. */
export interface Site extends Branding {
  host: string | null;
  /** Id of the request in the edge's log; null if Caddy did not send one. */
  requestId: string | null;
}

/** Renders a page in the visitor's language. It runs nothing, and loads nothing but the tenant's logo. */
export function renderPage(
  { name, status }: Page,
  site: Site,
  locale: Locale,
  /** The tenant's own words, in place of ours. */
  message?: string,
): { headers: Record<string, string>; body: string } {
  const { retryAfterSeconds, refreshSeconds }: PageProperties = PAGES[name];
  const { title, text } = LANGUAGES[locale].edge[name];
  const { display_name, logo_url, requestId } = site;
  const refresh = refreshSeconds === undefined ? '' : `\n<meta http-equiv="refresh" content="${refreshSeconds}">`;
  const body = `<!doctype html>
<html lang="${locale}" dir="${isRightToLeft(locale) ? 'rtl' : 'ltr'}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${refresh}
<title>${title}${display_name === null ? '' : ` · ${escapeHtml(display_name)}`}</title>
<style>${STYLE}
</style>
<main>
${logoOf(site)}${siteOf(site)}<h1>${title}</h1>
<p>${message === undefined ? text : `<bdi>${escapeHtml(message)}</bdi>`}</p>
${supportOf(site, locale)}<p class="code">${status}${requestOf(requestId, locale)}</p>
</main>
</html>
`;
  // After removal, the owner may point the hostname to a server without TLS, so a 410 clears the browser's HSTS entry.
  const more = {
    'content-security-policy': policyFor(logo_url),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    ...(status === 410 ? { 'strict-transport-security': 'max-age=0' } : {}),
  };
  return { headers: { ...HEADERS, ...more, 'content-length': String(Buffer.byteLength(body)) }, body };
}

/** Returns a policy that allows the page's style, and an image of the logo's host. */
function policyFor(logoUrl: string | null): string {
  const image = logoUrl === null ? '' : ` img-src ${new URL(logoUrl).origin};`;
  return `default-src 'none';${image} style-src 'unsafe-inline'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'`;
}

const logoOf = ({ logo_url }: Site): string =>
  logo_url === null ? '' : `<img class="logo" src="${escapeHtml(logo_url)}" alt="" referrerpolicy="no-referrer">\n`;

const supportOf = ({ support_url }: Site, locale: Locale): string =>
  support_url === null
    ? ''
    : `<p class="help"><a href="${escapeHtml(support_url)}" rel="noopener noreferrer">${LANGUAGES[locale].page.edgeSupport}</a></p>\n`;

const requestOf = (requestId: string | null, locale: Locale): string =>
  requestId === null ? '' : ` · ${LANGUAGES[locale].page.edgeRequest}: <bdi dir="ltr">${escapeHtml(requestId)}</bdi>`;

function siteOf({ host, display_name }: Site): string {
  const name = display_name === null ? '' : `<b><bdi>${escapeHtml(display_name)}</bdi></b>`;
  if (name === '' && host === null) return '';
  return `<p class="site">${name}<bdi dir="ltr">${escapeHtml(unicodeHostname(host ?? ''))}</bdi></p>\n`;
}
