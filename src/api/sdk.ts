import { Router } from 'express';
import type { Pool } from '../db/pool.ts';
import { findSdkFile } from '../db/sdk-files.ts';
import { isPinned, prepareFile, type SdkFile } from '../sdk/files.ts';
import { publicAsset } from './cors.ts';
import { sendFile } from './send-file.ts';

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
    else await sendFile(request, response, file);
  });
  return router;
}

export async function earlierSdkFile(pool: Pool, name: string): Promise<SdkFile | null> {
  const body = isPinned(name) ? await findSdkFile(pool, name) : null;
  return body && prepareFile({ name, body });
}
