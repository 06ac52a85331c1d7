import type { Request, Response } from 'express';
import type { SdkFile } from '../sdk/files.ts';
import { isKnown } from './etag.ts';

/** Browsers revalidate an unversioned file after five minutes, so a new release reaches every page by then. */
const EVERGREEN = 'public, max-age=300, stale-while-revalidate=86400';
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Answers with a file, compressed as the browser accepts it. */
export async function sendFile(
  request: Request,
  response: Response,
  file: SdkFile,
  cacheControl = file.immutable ? IMMUTABLE : EVERGREEN,
): Promise<void> {
  response.vary('Accept-Encoding').set({
    'Content-Type': file.type,
    'Cache-Control': cacheControl,
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
