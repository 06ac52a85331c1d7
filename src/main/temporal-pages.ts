import { Router } from 'express';
import { uiLinks } from '../temporal/ui-links.ts';

export interface TemporalUi {
  url: string;
  namespace: string;
  tenant: string;
}

/** Redirects short links, which fit a terminal's line, to searches in the Temporal UI. */
export function temporalPages({ url, namespace, tenant }: TemporalUi): Router {
  const router = Router();
  router.get('/temporal/:search', (request, response, next) => {
    const found = uiLinks(url, { namespace, now: new Date(), tenant }).find(
      ({ name }) => name === request.params.search,
    );
    if (found === undefined) next();
    else response.redirect(found.url);
  });
  return router;
}
