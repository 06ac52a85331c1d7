import { Router, type Response } from 'express';
import { randomBytes } from 'node:crypto';
import { getApplication } from '../db/tenant/applications.ts';
import { getConnection } from '../db/connection/connections.ts';
import { saveReturn } from '../db/zone/domain-connect.ts';
import { asTenant } from '../db/pool.ts';
import { touchConnection } from '../db/connection/touches.ts';
import { DC_ERROR_SENTENCES, dcErrorOf, type DcError } from '../domain/zone/domain-connect.ts';
import type { ApiDeps } from './deps.ts';
import { readState, RETURN_PATH, type ApplyState } from './domain-connect.ts';

/** Serves the page after a DNS provider's consent. The redirect proves nothing: it only makes the worker check DNS. */
export function domainConnectReturn(deps: ApiDeps): Router {
  const router = Router();
  router.get(RETURN_PATH, async (request, response) => {
    const one = (name: string): string => {
      const value = request.query[name];
      return typeof value === 'string' ? value.slice(0, 1_000) : '';
    };
    const now = new Date();
    const state = readState(deps.keys.signedState, one('state'), now);
    const error = one('error') === '' ? null : dcErrorOf(one('error'), one('error_description'));
    const origins = state === null ? null : await recordReturn(deps, state, error, now);
    if (state === null || origins === null) {
      send(response, 400, page('This link is not valid', 'The link may have expired. Go back and start again.'));
      return;
    }
    const message = { type: 'svc:domain_connect', connection_id: state.connectionId, session: state.session, error };
    const nonce = randomBytes(16).toString('base64');
    const [title, text] =
      error === null
        ? ['Thank you', 'We are checking your DNS now. You can close this window.']
        : ['Nothing was changed', `${DC_ERROR_SENTENCES[error]} You can close this window and try again.`];
    send(response, 200, page(title, text, notifyOpener(message, origins, nonce)), nonce);
  });
  return router;
}

/** Records the return, and returns the origins to notify. Returns null if the connection is archived or deleted. */
const recordReturn = (
  { pool }: ApiDeps,
  { connectionId, tenantId }: ApplyState,
  error: DcError | null,
  now: Date,
): Promise<readonly string[] | null> =>
  asTenant(pool, tenantId, async (tx) => {
    const row = await getConnection(tx, connectionId);
    if (row === null || row.state === 'archived') return null;
    await saveReturn(tx, row, error, now);
    if (error === null) await touchConnection(tx, row, now);
    return (await getApplication(tx, row.application_id))?.allowed_origins ?? [];
  });

/** The browser delivers a message only to a window of the given origin, so only the application's pages receive it. */
const notifyOpener = (message: object, origins: readonly string[], nonce: string): string =>
  `<script nonce="${nonce}">for (const origin of ${inScript(origins)}) window.opener?.postMessage(${inScript(message)}, origin); window.close();</script>`;

/** Returns JSON that cannot end the script element. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const page = (title: string, text: string, script = ''): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<h1>${title}</h1>
<p>${text}</p>
${script}
</html>
`;

function send(response: Response, status: number, html: string, nonce?: string): void {
  const script = nonce === undefined ? '' : ` script-src 'nonce-${nonce}';`;
  response
    .status(status)
    .set({
      'Content-Security-Policy': `default-src 'none';${script} base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      // The opener has another origin, and this page must be able to message it.
      'Cross-Origin-Opener-Policy': 'unsafe-none',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    })
    .type('html')
    .send(html);
}
