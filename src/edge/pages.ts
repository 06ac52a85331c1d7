import { escapeHtml } from '../domain/html.ts';

/** A page that the edge serves instead of the site. It loads and runs nothing. */
export interface Page {
  status: number;
  title: string;
  text: string;
  retryAfterSeconds?: number;
  /** Time after which the page reloads itself. */
  refreshSeconds?: number;
}

export const PAGES = {
  settingUp: {
    status: 503,
    title: 'This site is being set up',
    text: 'The domain is connected. The site will appear here in a few minutes. This page reloads automatically.',
    retryAfterSeconds: 30,
    refreshSeconds: 30,
  },
  noOrigin: {
    status: 503,
    title: "There's nothing here yet",
    text: "The domain is connected, but its owner hasn't chosen a site for it yet.",
    retryAfterSeconds: 300,
  },
  originUnknown: {
    status: 502,
    title: "This site can't be reached",
    text: "We couldn't find the server behind this domain. Try again in a few minutes.",
    retryAfterSeconds: 60,
  },
  originDown: {
    status: 502,
    title: "This site isn't responding",
    text: "We couldn't connect to the server behind this domain. Try again in a few minutes.",
    retryAfterSeconds: 60,
  },
  originSlow: {
    status: 504,
    title: 'This site is taking too long to respond',
    text: "The server behind this domain didn't respond in time. Try again in a few minutes.",
    retryAfterSeconds: 60,
  },
  loop: {
    status: 508,
    title: 'This site is misconfigured',
    text: "The server behind this domain redirects back to itself. The site's owner needs to fix it.",
  },
  badRequest: {
    status: 400,
    title: "We couldn't read this request",
    text: 'The request was incomplete or damaged. Please try again.',
  },
  wrongHost: {
    status: 421,
    title: 'This connection belongs to another site',
    text: 'Your browser asked for one site over a connection to another. Reload the page.',
  },
  unavailable: {
    status: 503,
    title: 'Please try again',
    text: 'The service behind this domain is unavailable for a moment. Reload the page in a few seconds.',
    retryAfterSeconds: 5,
  },
  unknown: { status: 404, title: 'Site not found', text: 'No site is connected to this domain. Check the address.' },
  archived: { status: 410, title: 'This site is gone', text: 'This domain is no longer connected to a site.' },
  blocked: {
    status: 403,
    title: 'This site is not available',
    text: 'This domain has been suspended by its hosting provider.',
  },
  malformed: { status: 400, title: 'Invalid hostname', text: 'Check the spelling of the address and try again.' },
} as const satisfies Record<string, Page>;

/** Returns the page for an error of the edge itself. A status without its own page keeps its status. */
export function errorPage(status: number): Page {
  const known = [PAGES.badRequest, PAGES.originDown, PAGES.originSlow, PAGES.loop, PAGES.wrongHost].find(
    (page) => page.status === status,
  );
  return known ?? { ...PAGES.originDown, status };
}

/** Headers of every page. Nothing is cached, because the site can become available at any time. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
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

export function renderPage(
  page: Page,
  { host, display_name }: Site,
): { headers: Record<string, string>; body: string } {
  const { status, title, text, retryAfterSeconds, refreshSeconds } = page;
  const refresh = refreshSeconds === undefined ? '' : `\n<meta http-equiv="refresh" content="${refreshSeconds}">`;
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${refresh}
<title>${title}${display_name === null ? '' : ` · ${escapeHtml(display_name)}`}</title>
<style>${STYLE}
</style>
<main>
${siteOf({ host, display_name })}<h1>${title}</h1>
<p>${text}</p>
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
  return name === '' && host === null ? '' : `<p class="site">${name}${host ?? ''}</p>\n`;
}
