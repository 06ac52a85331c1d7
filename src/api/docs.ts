import { Router } from 'express';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { openApiDocument } from './openapi.ts';
import { publicAsset } from './cors.ts';

const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js'];
const assetsFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Content security policy: everything loads from this server. Swagger UI needs inline styles. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Domain Connection Service API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<main id="viewer"><noscript>The OpenAPI document is at <a href="/openapi.json">/openapi.json</a>.</noscript></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/open.js"></script>
</body>
</html>
`;

const SCRIPT = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#viewer', deepLinking: true });\n`;

/** Serves the OpenAPI document at /openapi.json and a viewer at /docs, without external assets. */
export function docs(): Router {
  const router = Router();
  let document: string | undefined;
  router.get('/openapi.json', publicAsset, (_request, response) => {
    // Built on the first request, because building takes 100 ms and would slow down every start.
    document ??= JSON.stringify(openApiDocument());
    response.type('json').send(document);
  });
  router.get('/docs', (_request, response) => {
    response.set('Content-Security-Policy', POLICY).type('html').send(PAGE);
  });
  router.get('/docs/open.js', (_request, response) => {
    response.type('js').send(SCRIPT);
  });
  for (const file of ASSETS)
    router.get(`/docs/${file}`, (_request, response) => {
      response.sendFile(file, { root: assetsFolder, maxAge: '1d' });
    });
  return router;
}
