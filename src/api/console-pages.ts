import { Router } from 'express';
import type { SdkFile } from '../sdk/files.ts';
import { sendFile } from './send-file.ts';
import type { FindEarlier } from './sdk.ts';

export interface ConsolePages {
  /** The built console. */
  files: readonly SdkFile[];
  /** Whether the page offers to sign in as the demo tenant. */
  hasDemo: boolean;
  /** Whether the page offers to sign in by OpenID Connect. */
  hasOidc: boolean;
  /** Whether BASE_URL is plain http outside loopback, where no one can sign in. The page then explains why. */
  isInsecure: boolean;
  /** Finds files of an earlier release, which pages that are still open load. */
  findEarlier?: FindEarlier;
}

/** Content security policy: only files of this origin, no inline script or style, no frames, no forms. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** Serves the console: one document for every screen, and the files that it loads. */
export function consolePages({ files, hasDemo, hasOidc, isInsecure, findEarlier }: ConsolePages): Router {
  const byName = new Map(files.map((file) => [file.name, file]));
  const page = pageOf(files, { demo: hasDemo, oidc: hasOidc, insecure: isInsecure });
  const router = Router();
  router.get('/console/assets/:name', async (request, response, next) => {
    const name = request.params.name;
    const file = byName.get(name) ?? (await findEarlier?.(name)) ?? null;
    if (file === null) next();
    else await sendFile(request, response, file);
  });
  router.get(['/console', '/console/*path'], (request, response, next) => {
    if (!isScreen(request.path)) next();
    else response.set({ 'Content-Security-Policy': POLICY, 'X-Robots-Tag': 'noindex, nofollow', 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' }).type('html').send(page); // prettier-ignore
  });
  return router;
}

/** Whether a screen has this path. Other paths below /console are the API's, or name a file. */
const isScreen = (path: string): boolean =>
  !/^\/console\/(?:api|assets|oidc)(?:\/|$)/.test(path) && !path.includes('.');

function pageOf(files: readonly SdkFile[], flags: Readonly<Record<string, boolean>>): string {
  const named = (extension: string): string => {
    const file = files.find(({ name }) => name.startsWith('console-') && name.endsWith(extension));
    if (file === undefined) throw new Error(`The built console has no ${extension} file.`);
    return `/console/assets/${file.name}`;
  };
  const attributes = Object.keys(flags)
    .filter((name) => flags[name])
    .map((name) => ` data-${name}`)
    .join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Console</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${named('.css')}">
<script type="module" src="${named('.js')}"></script>
</head>
<body${attributes}>
<div id="console"></div>
<noscript><p>The console needs JavaScript.</p></noscript>
</body>
</html>
`;
}
