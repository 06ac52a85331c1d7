import { Router, type Response } from 'express';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { escapeHtml } from '../domain/html.ts';
import { descriptors, folderOf } from '../providers/registry.ts';

const POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Heading of the part that is for the tenant: how to create a credential. */
const FOR_TENANTS = '\n## ';

/**
 * Serves a page for each DNS provider: how a customer adds records there, to which `instructions_url` points, and how a
 * tenant creates a credential, at the same address with /credential. Both are parts of one file in the provider's folder.
 */
export function providerGuides(): Router {
  const router = Router();
  for (const { slug } of descriptors()) {
    const source = () => readFile(join(folderOf(slug), 'instructions.md'), 'utf8');
    router.get(`/docs/providers/${slug}`, async (_request, response) => {
      const [guide = ''] = (await source()).split(FOR_TENANTS);
      send(response, guide);
    });
    router.get(`/docs/providers/${slug}/credential`, async (_request, response, next) => {
      const [, part] = (await source()).split(FOR_TENANTS);
      if (part === undefined) next();
      else send(response, `# ${part}`);
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

/** Renders the Markdown of the guides: headings, numbered lists, indented code, paragraphs, bold, code and links. */
export const htmlOf = (markdown: string): string =>
  markdown
    .split(/\n{2,}/)
    .filter((block) => block.trim() !== '')
    .map(blockOf)
    .join('\n');

const ITEM = /^\d+\. /;
const INDENT = /^ {4}/;

function blockOf(block: string): string {
  const lines = block.split('\n').filter((line) => line !== '');
  const [first = ''] = lines;
  if (first.startsWith('# ')) return `<h1>${inline(first.slice(2))}</h1>`;
  if (lines.every((line) => INDENT.test(line)))
    return `<pre tabindex="0"><code>${escapeHtml(lines.map((line) => line.replace(INDENT, '')).join('\n'))}</code></pre>`;
  if (lines.every((line) => ITEM.test(line)))
    return `<ol>\n${lines.map((line) => `<li>${inline(line.replace(ITEM, ''))}</li>`).join('\n')}\n</ol>`;
  return `<p>${inline(lines.join(' '))}</p>`;
}

/** Splits at code, because nothing inside it is markup. */
const inline = (text: string): string =>
  text
    .split('`')
    .map((part, i) => (i % 2 === 1 ? `<code>${escapeHtml(part)}</code>` : markup(part)))
    .join('');

const markup = (text: string): string =>
  escapeHtml(text)
    .replaceAll(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/&lt;(https:\/\/[^\s&]+)&gt;/g, '<a href="$1" rel="noopener noreferrer">$1</a>');
