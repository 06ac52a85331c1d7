import { Router } from 'express';
import type { OpenApi } from '../reference/document.ts';
import { referencePage } from '../reference/page.ts';
import { prepareFile, type SdkFile } from '../sdk/files.ts';
import { publicAsset } from './cors.ts';
import { documents } from './documents.ts';
import { openApiDocument } from './openapi.ts';
import type { FindEarlier } from './sdk.ts';
import { sendFile } from './send-file.ts';

export interface DocsOptions {
  baseUrl: string;
  /** The built script and stylesheet of the reference. */
  files: readonly SdkFile[];
  /** Finds files of an earlier release, which pages that are still open load. */
  findEarlier: FindEarlier;
  /** Test key of the demo tenant, which the page fills in for requests to try. */
  demoKey?: string | undefined;
}

/** Content security policy: only files of this origin, and no inline script or style. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** Serves the API reference at /docs, the OpenAPI document at /openapi.json, and the documents as Markdown. */
export function docs({ baseUrl, files, findEarlier, demoKey }: DocsOptions): Router {
  const { router: pages, guides } = documents(baseUrl);
  const path = (extension: string) => {
    const file = files.find(({ name }) => name.startsWith('reference-') && name.endsWith(extension));
    return file && `/docs/assets/${file.name}`;
  };
  // Both are built on the first request, because building takes 100 ms and would slow down every start.
  const openApi = once(() => JSON.stringify(openApiDocument()));
  const page = once(() => {
    const document = JSON.parse(openApi()) as OpenApi;
    const assets = { script: path('.js'), style: path('.css') };
    const links = guides().map((guide) => ({ title: guide.title, path: `/${guide.path}` }));
    const html = referencePage(document, { baseUrl, assets, demoKey, pages: links });
    return prepareFile({ name: 'reference.html', body: Buffer.from(html) });
  });
  const byName = new Map(files.map((file) => [file.name, file]));
  const router = Router();
  router.get('/openapi.json', publicAsset, (_request, response) => {
    response.type('json').send(openApi());
  });
  router.get('/docs', async (request, response) => {
    response.set('Content-Security-Policy', POLICY);
    // The page names files of this release, so a browser must not use an older copy.
    await sendFile(request, response, page(), 'no-cache');
  });
  router.get('/docs/assets/:name', async (request, response, next) => {
    const { name } = request.params;
    const file = byName.get(name) ?? (await findEarlier(name));
    if (file === null) next();
    else await sendFile(request, response, file);
  });
  router.use(pages);
  return router;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
