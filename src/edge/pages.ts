/** What a visitor sees when there is nothing to forward to: a sentence, and nothing that could be loaded or run. */
export interface Page {
  status: number;
  title: string;
  text: string;
  retryAfterSeconds?: number;
}

export const PAGES = {
  settingUp: {
    status: 503,
    title: 'This site is being set up',
    text: 'Its domain is connected; the site itself appears here in a few minutes.',
    retryAfterSeconds: 30,
  },
  noOrigin: {
    status: 503,
    title: 'Nothing is here yet',
    text: 'The domain is connected, but nobody has said yet which site belongs to it.',
    retryAfterSeconds: 300,
  },
  originUnknown: {
    status: 502,
    title: 'The site cannot be reached',
    text: 'The server behind this domain cannot be found. Try again in a few minutes.',
    retryAfterSeconds: 60,
  },
  unavailable: {
    status: 503,
    title: 'Please try again',
    text: 'The service behind this domain is briefly not available.',
    retryAfterSeconds: 5,
  },
  unknown: { status: 404, title: 'There is no such site', text: 'No site is connected to this domain.' },
  archived: { status: 410, title: 'This site is gone', text: 'Its domain is no longer connected.' },
  malformed: { status: 400, title: 'This is not a host name', text: 'The address of the site is not valid.' },
} as const satisfies Record<string, Page>;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

export function renderPage({ title, text, retryAfterSeconds }: Page): {
  headers: Record<string, string>;
  body: string;
} {
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>body{font:18px/1.5 system-ui,sans-serif;max-width:32em;margin:20vh auto;padding:0 1em;color:#222}</style>
<h1>${title}</h1>
<p>${text}</p>
</html>
`;
  const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return { headers: { ...HEADERS, ...retry, 'content-length': String(Buffer.byteLength(body)) }, body };
}
