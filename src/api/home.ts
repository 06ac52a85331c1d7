import { createHash } from 'node:crypto';
import { Router } from 'express';
import { escapeHtml } from '../domain/html.ts';
import { TOKENS } from '../design/tokens.ts';
import { API_PREFIX } from './route.ts';

interface HomeLink {
  /** Name of the link in the JSON answer. */
  name: string;
  path: string;
  title: string;
  text: string;
}

const DEMO: HomeLink = { name: 'demo', path: '/demo', title: 'Demo', text: 'Connect a sandbox domain in the widget' };
const CONSOLE: HomeLink = { name: 'console', path: '/console', title: 'Console', text: 'See and fix every domain' };
const LINKS: readonly HomeLink[] = [
  { name: 'docs', path: '/docs', title: 'API reference', text: 'Every request, with examples to try' },
  { name: 'openapi', path: '/openapi.json', title: 'OpenAPI document', text: 'For code generators' },
  { name: 'health', path: '/healthz', title: 'Health', text: 'Database and Temporal' },
];

const NAME = 'Domain Connection Service';
const INTRODUCTION = 'Your customers connect their own domains to your product.';

/** Answers `GET /`: a page for people, and the same links as JSON for programs. */
export function home(baseUrl: string, { hasDemo, hasConsole }: { hasDemo: boolean; hasConsole: boolean }): Router {
  const links = [...(hasDemo ? [DEMO] : []), ...(hasConsole ? [CONSOLE] : []), ...LINKS];
  const urls = Object.fromEntries(links.map(({ name, path }) => [name, baseUrl + path]));
  const body = { name: NAME, description: INTRODUCTION, api: baseUrl + API_PREFIX, ...urls };
  const page = pageOf(links);
  const router = Router();
  router.get('/', (request, response) => {
    response.vary('Accept');
    if (request.accepts(['json', 'html']) === 'html')
      response.set('Content-Security-Policy', POLICY).type('html').send(page);
    else response.json(body);
  });
  return router;
}

const CSS = `
${TOKENS}body { margin: 0; background: var(--soft); color: var(--fg); font: 16px/1.5 var(--font); }
main { max-width: 560px; margin: 12vh auto 48px; padding: 0 20px; }
h1 { margin: 0 0 4px; font-size: 26px; line-height: 1.25; }
p { margin: 0 0 24px; color: var(--muted); }
ul { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: 12px; background: var(--bg); }
li + li { border-top: 1px solid var(--line); }
a { display: block; padding: 14px 18px; color: var(--accent); font-weight: 600; text-decoration: none; }
a:hover strong { text-decoration: underline; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; border-radius: 12px; }
span { display: block; color: var(--muted); font-weight: 400; font-size: 15px; }
`;

/** Content security policy: the page loads nothing, and only our style element applies. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(CSS).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const pageOf = (links: readonly HomeLink[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${NAME}</title>
<style>${CSS}</style>
</head>
<body>
<main>
<h1>${NAME}</h1>
<p>${escapeHtml(INTRODUCTION)}</p>
<ul>
${links.map(({ path, title, text }) => `<li><a href="${path}"><strong>${escapeHtml(title)}</strong><span>${escapeHtml(text)}</span></a></li>`).join('\n')}
</ul>
</main>
</body>
</html>
`;
