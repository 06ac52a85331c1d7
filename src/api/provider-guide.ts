import { Router, type Response } from 'express';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseGuide, type Block, type Span } from '../domain/guide.ts';
import { escapeHtml } from '../domain/html.ts';
import { descriptors, folderOf } from '../providers/registry.ts';

const POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Heading of the part that is for the tenant: how to create a credential. */
const FOR_TENANTS = '\n## ';

/**
 * Serves a page for each DNS provider: how a customer adds records there, to which `instructions_url` points, and how a
 * tenant creates a credential, at the same address with /credential. Both are parts of one file in the provider's folder.
 * The console shows the second one next to its form, and reads it as Markdown at /credential.md.
 */
export function providerGuides(): Router {
  const router = Router();
  for (const { slug } of descriptors()) {
    const source = () => readFile(join(folderOf(slug), 'instructions.md'), 'utf8');
    router.get(`/docs/providers/${slug}`, async (_request, response) => {
      const [guide = ''] = (await source()).split(FOR_TENANTS);
      send(response, guide);
    });
    const forTenants = async () => `# ${(await source()).split(FOR_TENANTS)[1] ?? ''}`;
    router.get(`/docs/providers/${slug}/credential`, async (_request, response) => {
      send(response, await forTenants());
    });
    router.get(`/docs/providers/${slug}/credential.md`, async (_request, response) => {
      response
        .set('Cache-Control', 'public, max-age=86400')
        .type('text/markdown')
        .send(await forTenants());
    });
  }
  return router;
}

function send(response: Response, markdown: string): void {
  const title = /^# (.*)$/m.exec(markdown)?.[1] ?? '';
  response
    .set({ 'Content-Security-Policy': POLICY, 'Cache-Control': 'public, max-age=86400' })
    .type('html')
    .send(page(title, htmlOf(markdown)));
}

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/share/page.css">
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;

/** Renders the Markdown of a guide. */
const htmlOf = (markdown: string): string => parseGuide(markdown).map(blockHtml).join('\n');

function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h1>${spansHtml(block.spans)}</h1>`;
    case 'code':
      return `<pre tabindex="0"><code>${escapeHtml(block.text)}</code></pre>`;
    case 'list':
      return `<ol>\n${block.items.map((item) => `<li>${spansHtml(item)}</li>`).join('\n')}\n</ol>`;
    case 'paragraph':
      return `<p>${spansHtml(block.spans)}</p>`;
  }
}

const SPANS: Record<Span['kind'], (text: string) => string> = {
  text: (text) => text,
  code: (text) => `<code>${text}</code>`,
  strong: (text) => `<strong>${text}</strong>`,
  link: (text) => `<a href="${text}" rel="noopener noreferrer">${text}</a>`,
};

const spansHtml = (spans: readonly Span[]): string =>
  spans.map(({ kind, text }) => SPANS[kind](escapeHtml(text))).join('');
