import { Router, type Response } from 'express';
import { randomBytes } from 'node:crypto';
import { getApplication, type ApplicationRow } from '../db/tenant/applications.ts';
import { getConnection } from '../db/connection/connections.ts';
import { markAutomatic, saveReturn } from '../db/zone/domain-connect.ts';
import { asTenant } from '../db/pool.ts';
import { escapeHtml } from '../domain/html.ts';
import { LANGUAGES } from '../locales/all.ts';
import { isRightToLeft, type Locale, type PageWords } from '../locales/words.ts';
import { touchConnection } from '../db/connection/touches.ts';
import { dcErrorOf, type DcError } from '../domain/zone/domain-connect.ts';
import type { ApiDeps } from './deps.ts';
import { readState, RETURN_PATH, type ApplyState } from './domain-connect.ts';
import { localeOf } from './visitor-language.ts';

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
    const application = state === null ? null : await recordReturn(deps, state, error, now);
    const locale = localeOf(request);
    if (state === null || application === null) {
      send(response, 400, page(locale, 'invalid', null));
      return;
    }
    const { allowed_origins: origins, display_name } = application;
    const message = { type: 'svc:domain_connect', connection_id: state.connectionId, session: state.session, error };
    const nonce = randomBytes(16).toString('base64');
    const outcome = error === null ? 'done' : error === 'user_cancel' ? 'cancelled' : 'refused';
    send(response, 200, page(locale, outcome, display_name, notifyOpener(message, origins, nonce)), nonce);
  });
  return router;
}

/** Records the return, and returns the application. Returns null if the connection is archived or deleted. */
const recordReturn = (
  { pool }: ApiDeps,
  { connectionId, tenantId }: ApplyState,
  error: DcError | null,
  now: Date,
): Promise<ApplicationRow | null> =>
  asTenant(pool, tenantId, async (tx) => {
    const row = await getConnection(tx, connectionId);
    if (row === null || row.state === 'archived') return null;
    await saveReturn(tx, row, error, now);
    if (error === null) {
      await markAutomatic(tx, row);
      await touchConnection(tx, row, now);
    }
    return getApplication(tx, row.application_id);
  });

/** The browser delivers a message only to a window of the given origin, so only the application's pages receive it. */
const notifyOpener = (message: object, origins: readonly string[], nonce: string): string =>
  `<script nonce="${nonce}">for (const origin of ${inScript(origins)}) window.opener?.postMessage(${inScript(message)}, origin); window.close();</script>`;

/** Returns JSON that cannot end the script element. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const TEXTS = {
  done: ['returnTitle', 'returnText'],
  cancelled: ['unchangedTitle', 'cancelledText'],
  refused: ['unchangedTitle', 'refusedText'],
  invalid: ['invalidTitle', 'invalidText'],
} as const satisfies Record<string, readonly [keyof PageWords, keyof PageWords]>;

/** Renders the page in the customer's language, with the tenant's display name if there is one. */
function page(locale: Locale, outcome: keyof typeof TEXTS, displayName: string | null, script = ''): string {
  const [title, text] = TEXTS[outcome].map((key) => escapeHtml(LANGUAGES[locale].page[key]));
  const name = displayName === null ? '' : `<p><bdi>${escapeHtml(displayName)}</bdi></p>\n`;
  return `<!doctype html>
<html lang="${locale}" dir="${isRightToLeft(locale) ? 'rtl' : 'ltr'}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<link rel="stylesheet" href="/share/page.css">
<main>
${name}<h1>${title}</h1>
<p>${text}</p>
</main>
${script}
</html>
`;
}

function send(response: Response, status: number, html: string, nonce?: string): void {
  const script = nonce === undefined ? '' : ` script-src 'nonce-${nonce}';`;
  response
    .status(status)
    .set({
      'Content-Security-Policy': `default-src 'none';${script} style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      // The opener has another origin, and this page must be able to message it.
      'Cross-Origin-Opener-Policy': 'unsafe-none',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    })
    .type('html')
    .send(html);
}
