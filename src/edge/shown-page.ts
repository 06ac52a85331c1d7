import { brandingOf, NO_BRANDING, type Admittance } from '../domain/edge/admission.ts';
import type { Admissions } from './admission.ts';
import { retryInName } from './dial-name.ts';
import type { OriginAttempts } from './origin-attempts.ts';
import { errorPage, renderPage, type Page, type PageName } from './pages.ts';
import type { PageQuery } from './query.ts';
import type { Question, Reply } from './question.ts';
import { visitorLocale } from './visitor-language.ts';

/** A page that a visitor of a connected hostname got, for the log. */
export interface ShownPage {
  request_id: string | null;
  host: string;
  application_id: string;
  page: PageName;
  status: number;
  /** Reason why no connection to the origin was made, if that is known. */
  reason: string | null;
}
export type RecordPage = (page: ShownPage) => void;

export interface PageAbout {
  page: Page;
  hostname: string | undefined;
  known: Admittance | undefined;
  /** The tenant's own words, in place of ours. */
  message?: string | undefined;
  reason?: string | null;
}
export type ShowPage = (request: Question, response: Reply, about: PageAbout) => void;

/** Creates the function that answers with a page. */
export const showPage =
  (record: RecordPage): ShowPage =>
  ({ headers: asked }, response, { page, hostname, known, message, reason = null }) => {
    const request_id = requestIdIn(asked['x-request-id']);
    const site = { host: hostname ?? null, requestId: request_id, ...brandingShown(known) };
    const { headers, body } = renderPage(page, site, visitorLocale(asked['accept-language']), message);
    response.writeHead(page.status, headers).end(body);
    const application_id = known?.application_id ?? null;
    if (hostname === undefined || application_id === null) return;
    record({ request_id, host: hostname, application_id, page: page.name, status: page.status, reason });
  };

/** Returns the page for an error of the edge, with the error's status. */
export const pageHandler =
  (admissions: Admissions, attempts: OriginAttempts | null, show: ShowPage) =>
  (request: Question, response: Reply, query: PageQuery): void => {
    const { hostname, status, reason } = query;
    const page = errorPage(status >= 400 && status <= 599 ? Math.floor(status) : 500);
    const known = async () => admissions.lookup(hostname ?? '');
    known().then(
      (known) => {
        if (attempts !== null) learnFrom(attempts, query, known);
        show(request, response, { page, hostname, known, reason });
      },
      () => show(request, response, { page, hostname, known: undefined, reason }),
    );
  };

/** Records the failure that an error page reports. A response that was too slow is none. */
function learnFrom(attempts: OriginAttempts, { status, dial, next, reason }: PageQuery, known: Admittance): void {
  if (dial === '' || (status !== 502 && reason === null)) return;
  const retry = retryInName(next);
  if (retry !== undefined) attempts.failed(retry, false);
  else attempts.failedAt(dial, known.application_id ?? '');
}

/** Returns the branding on a page. A site that has left its tenant, or is blocked, shows nothing of the tenant. */
const brandingShown = (known: Admittance | undefined) =>
  known === undefined || known.standing === 'archived' || known.standing === 'blocked'
    ? NO_BRANDING
    : brandingOf(known);

/** Returns the id that Caddy gave the request. */
const requestIdIn = (header: string | undefined): string | null =>
  header !== undefined && /^[\w-]{1,64}$/.test(header) ? header : null;
