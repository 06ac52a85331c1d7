import { escapeHtml } from '../domain/html.ts';

/** What a visitor sees when there is nothing to forward to: a sentence, and nothing that could be loaded or run. */
export interface Page {
  status: number;
  title: string;
  text: string;
  retryAfterSeconds?: number;
  /** The page asks again by itself after so long. */
  refreshSeconds?: number;
}

export const PAGES = {
  settingUp: {
    status: 503,
    title: 'This site is being set up',
    text: 'Its domain is connected. The site itself appears here in a few minutes, without you doing anything.',
    retryAfterSeconds: 30,
    refreshSeconds: 30,
  },
  noOrigin: {
    status: 503,
    title: 'Nothing is here yet',
    text: 'The domain is connected, but its owner has not said yet which site belongs to it.',
    retryAfterSeconds: 300,
  },
  originUnknown: {
    status: 502,
    title: 'The site cannot be reached',
    text: 'The server behind this domain cannot be found. Try again in a few minutes.',
    retryAfterSeconds: 60,
  },
  originDown: {
    status: 502,
    title: 'The site does not answer',
    text: 'The server behind this domain cannot be reached at the moment. Try again in a few minutes.',
    retryAfterSeconds: 60,
  },
  originSlow: {
    status: 504,
    title: 'The site takes too long',
    text: 'The server behind this domain did not answer in time. Try again in a few minutes.',
    retryAfterSeconds: 60,
  },
  loop: {
    status: 508,
    title: 'The site leads back to itself',
    text: 'The server behind this domain sends every visitor round in a circle. Its owner has to mend that.',
  },
  badRequest: {
    status: 400,
    title: 'We could not read this request',
    text: 'The request arrived incomplete or damaged. Please try again.',
  },
  wrongHost: {
    status: 421,
    title: 'This connection belongs to another site',
    text: 'The browser asked for one site over a connection to another. Load the page again.',
  },
  unavailable: {
    status: 503,
    title: 'Please try again',
    text: 'The service behind this domain is briefly not available.',
    retryAfterSeconds: 5,
  },
  unknown: { status: 404, title: 'There is no such site', text: 'No site is connected to this domain.' },
  archived: { status: 410, title: 'This site is gone', text: 'Its domain is no longer connected.' },
  blocked: {
    status: 403,
    title: 'This site is not available',
    text: 'The service that carries this domain has taken it out of service.',
  },
  malformed: { status: 400, title: 'This is not a host name', text: 'The address of the site is not valid.' },
} as const satisfies Record<string, Page>;

/** The page for an error that the edge itself met. Its status stays, also where we have no page for it. */
export function errorPage(status: number): Page {
  const known = [PAGES.badRequest, PAGES.originDown, PAGES.originSlow, PAGES.loop, PAGES.wrongHost].find(
    (page) => page.status === status,
  );
  return known ?? { ...PAGES.originDown, status };
}

/**
 * Browsers keep nothing of a page, and take no promise from it: of a name that is gone they forget that it wants TLS,
 * because its owner may lead it to a server that has none.
 */
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

/** Whose page it is: a host name that was checked, and what its tenant wants to be called. */
export interface Site {
  host: string | null;
  displayName: string | null;
}

export function renderPage(page: Page, { host, displayName }: Site): { headers: Record<string, string>; body: string } {
  const { status, title, text, retryAfterSeconds, refreshSeconds } = page;
  const refresh = refreshSeconds === undefined ? '' : `\n<meta http-equiv="refresh" content="${refreshSeconds}">`;
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${refresh}
<title>${title}${displayName === null ? '' : ` · ${escapeHtml(displayName)}`}</title>
<style>${STYLE}
</style>
<main>
${siteOf({ host, displayName })}<h1>${title}</h1>
<p>${text}</p>
<p class="code">${status}</p>
</main>
</html>
`;
  const more = {
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    ...(status === 410 ? { 'strict-transport-security': 'max-age=0' } : {}),
  };
  return { headers: { ...HEADERS, ...more, 'content-length': String(Buffer.byteLength(body)) }, body };
}

function siteOf({ host, displayName }: Site): string {
  const name = displayName === null ? '' : `<b><bdi>${escapeHtml(displayName)}</bdi></b>`;
  return name === '' && host === null ? '' : `<p class="site">${name}${host ?? ''}</p>\n`;
}
