import { AWAITS_CUSTOMER } from '../domain/connection/state-sets.ts';
import { Router, type Request, type Response } from 'express';
import { getConnectionDetail, type ConnectionDetailRow } from '../db/connection/connection-detail.ts';
import { getConnection } from '../db/connection/connections.ts';
import { getApplication } from '../db/tenant/applications.ts';
import { asTenant } from '../db/pool.ts';
import { findShareLink, recordOpened, type ShareLink } from '../db/tenant/share-links.ts';
import { PAGE_CSS, PAGE_JS } from '../share/assets.ts';
import { endedPage, sharedContent, sharedPage, type SharedPage } from '../share/page.ts';
import type { ApiDeps } from './deps.ts';
import { localeOf } from './visitor-language.ts';
import { presentDetail } from './present.ts';
import { Buckets } from './rate-limit.ts';
import { checkRecords } from './routes/checks.ts';
import { ConnectionDetail } from './schemas/connections.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Checks of one connection's records are limited to one in ten seconds, for all viewers together. */
const CHECKS = { perSecond: 0.1, burst: 1 };

/** Serves the page of a shared link, without script. The link is the only credential and shows one connection. */
export function sharedPages(deps: ApiDeps): Router {
  const router = Router();
  const checks = new Buckets(CHECKS);
  router.get('/share/page.css', asset('css', PAGE_CSS));
  router.get('/share/page.js', asset('js', PAGE_JS));
  router.get('/share/:secret', async (request, response) => {
    const page = await pageOf(request, { opening: true });
    send(response, page ? 200 : 404, page ? sharedPage(page) : endedPage(localeOf(request)));
  });
  router.get('/share/:secret/content', async (request, response) => {
    const page = await pageOf(request, { opening: false });
    send(response, page ? 200 : 404, page ? sharedContent(page) : '');
  });
  return router;

  async function pageOf(request: Request, { opening }: { opening: boolean }): Promise<SharedPage | null> {
    const secret = String(request.params['secret']);
    const now = new Date();
    const link = await findShareLink(deps.pool, secret, now);
    const row = link && (await read(link, now, opening));
    if (link === null || row === null) return null;
    const application = await asTenant(deps.pool, link.tenant_id, (tx) => getApplication(tx, row.application_id));
    // Parsed by the schema of the API's answer, so that the page shows the same fields.
    const connection = ConnectionDetail.parse(presentDetail(row, now, deps.edge));
    const displayName = application?.display_name ?? null;
    return { connection, displayName, expiresAt: link.expires_at, locale: localeOf(request), path: `/share/${secret}` };
  }

  async function read(link: ShareLink, now: Date, opening: boolean): Promise<ConnectionDetailRow | null> {
    const { tenant_id, connection_id } = link;
    const inTransaction = <T>(body: Parameters<typeof asTenant<T>>[2]) => asTenant(deps.pool, tenant_id, body);
    const row = await inTransaction(async (tx) => {
      if (opening) await recordOpened(tx, link, now);
      return getConnection(tx, connection_id);
    });
    if (row !== null && AWAITS_CUSTOMER.has(row.state) && checks.take(row.id, performance.now()).allowed)
      await checkRecords(deps, row, now, inTransaction).catch((error: unknown) =>
        deps.log.warn({ err: error }, 'The records of a shared page could not be checked.'),
      );
    return inTransaction((tx) => getConnectionDetail(tx, connection_id));
  }
}

function send(response: Response, status: number, body: string): void {
  response
    .status(status)
    .set({ 'Content-Security-Policy': POLICY, 'X-Robots-Tag': 'noindex, nofollow', 'Cache-Control': 'no-store' })
    .type('html')
    .send(body);
}

const asset = (type: string, body: string) => (_request: Request, response: Response) => {
  response.set('Cache-Control', 'public, max-age=300').type(type).send(body);
};
