import { Router, type Request, type Response } from 'express';
import type { Pool } from '../db/pool.ts';
import { findSdkFile } from '../db/sdk-files.ts';
import { isPinned, prepareFile, type SdkFile } from '../sdk/files.ts';
import { isKnown } from './etag.ts';
import { publicAsset } from './cors.ts';

/** Browsers revalidate an unversioned file after five minutes, so a new release reaches every page by then. */
const EVERGREEN = 'public, max-age=300, stale-while-revalidate=86400';
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Finds a pinned file of an earlier release, so that an upgrade does not break pages that pin it. */
export type FindEarlier = (name: string) => Promise<SdkFile | null>;

/** Serves the browser SDK below /sdk/v1, for pages of any origin. */
export function sdk(files: readonly SdkFile[], findEarlier: FindEarlier): Router {
  const byName = new Map(files.map((file) => [file.name, file]));
  const router = Router();
  router.get('/sdk/v1/:name', publicAsset, async (request, response, next) => {
    const name = String(request.params['name']);
    const file = byName.get(name) ?? (await findEarlier(name));
    if (file === null) next();
    else await send(request, response, file);
  });
  return router;
}

export async function earlierSdkFile(pool: Pool, name: string): Promise<SdkFile | null> {
  const body = isPinned(name) ? await findSdkFile(pool, name) : null;
  return body && prepareFile({ name, body });
}

async function send(request: Request, response: Response, file: SdkFile): Promise<void> {
  response.vary('Accept-Encoding').set({
    'Content-Type': file.type,
    'Cache-Control': file.immutable ? IMMUTABLE : EVERGREEN,
    ETag: file.etag,
  });
  if (isKnown(request.get('if-none-match'), file.etag)) {
    response.status(304).end();
    return;
  }
  const encoding = request.acceptsEncodings('br', 'gzip', 'identity');
  if (encoding === 'br') response.set('Content-Encoding', 'br').end(await file.brotli());
  else if (encoding === 'gzip') response.set('Content-Encoding', 'gzip').end(await file.gzip());
  else response.end(file.body);
}
