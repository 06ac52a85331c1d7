import { Router } from 'express';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import {
  folderPage,
  headingOf,
  llmsText,
  OUTSIDE_DOCS,
  sectionsOf,
  type DocumentPage,
  type Section,
} from '../reference/llms.ts';

/** The checkout, or the folder of the build, which contains the same documents. */
const ROOT = join(import.meta.dirname, '../..');

const TYPES: Readonly<Record<string, string>> = {
  '.md': 'text/markdown; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.yml': 'text/yaml; charset=utf-8',
  '.png': 'image/png',
};

export interface Documents {
  router: Router;
  /** Returns the pages for tenants. */
  guides(): readonly DocumentPage[];
}

/**
 * Serves the documents of the repository at their own paths, so that their links work: /docs/api.md, /docs/runbooks, the
 * images. /llms.txt lists them. Only files that were listed when the first one was requested have a path.
 */
export function documents(baseUrl: string): Documents {
  let made: Catalog | undefined;
  const catalog = () => (made ??= readCatalog());
  const router = Router();
  router.get('/llms.txt', (_request, response) => {
    response.type('text/plain').send(llmsText(baseUrl, catalog().sections));
  });
  router.get(['/docs/*path', ...OUTSIDE_DOCS.map((name) => `/${name}`)], (request, response, next) => {
    const name = request.path.slice(1).replace(/\/$/, '');
    const { files } = catalog();
    const inFolder = [...files].filter((file) => file.startsWith(`${name}/`));
    if (files.has(name))
      response
        .set('Cache-Control', 'public, max-age=300')
        .type(TYPES[extname(name)] ?? '')
        .send(readFileSync(join(ROOT, name)));
    else if (inFolder.length > 0) response.type(TYPES['.md'] ?? '').send(folderPage(name, inFolder));
    else next();
  });
  return { router, guides: () => catalog().sections[0]?.pages ?? [] };
}

interface Catalog {
  files: ReadonlySet<string>;
  sections: readonly Section[];
}

/** Folders whose pages docs/README.md does not list one by one. */
const FOLDERS = { 'docs/runbooks': 'Runbooks', 'docs/adr': 'Decisions' };

function readCatalog(): Catalog {
  const inside = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`);
  const files = new Set([...inside, ...OUTSIDE_DOCS].filter((name) => extname(name) in TYPES));
  const titleOf = (path: string) => (files.has(path) ? headingOf(readFileSync(join(ROOT, path), 'utf8')) : undefined);
  const listed = Object.entries(FOLDERS).map(([folder, title]) => {
    const paths = [...files].filter((name) => name.startsWith(`${folder}/`)).sort();
    return { title, pages: paths.map((path) => ({ path, title: titleOf(path) ?? path, text: '' })) };
  });
  const readme = readFileSync(join(ROOT, 'docs/README.md'), 'utf8');
  return { files, sections: [...sectionsOf(readme, titleOf), ...listed] };
}
