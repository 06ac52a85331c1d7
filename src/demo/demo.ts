import { json, Router, type Request, type Response } from 'express';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { DEMO_CSS, DEMO_JS, demoPage } from './page.ts';
import { tokenRoute } from './token-route.ts';

export interface DemoService {
  baseUrl: string;
  applicationId: string;
  apiKey: string;
  /** Whether the service has a console, into which the tenant's support gets a link. */
  hasConsole: boolean;
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves the page of a demo tenant on which you can try the widget, the dialog in which a customer connects a domain.
 * The page's backend calls the service over HTTP with an API key, as any tenant does.
 */
export async function demo(service: DemoService): Promise<Router> {
  const source = await readFile(join(import.meta.dirname, `token-route${extname(import.meta.filename)}`), 'utf8');
  const page = demoPage(service, source);
  const router = Router();
  router.get('/demo', (_request, response) => {
    response.set('Content-Security-Policy', POLICY).type('html').send(page);
  });
  router.get('/demo/page.css', (_request, response) => void response.type('css').send(DEMO_CSS));
  router.get('/demo/page.js', (_request, response) => void response.type('js').send(DEMO_JS));
  router.use(tokenRoute(service));
  if (service.hasConsole) router.post('/demo/console', linkToConsole(service));
  router.post('/demo/records', json(), addRecord(service));
  router.post('/demo/share/:id', ({ params }, response) => callApi(service, response, params.id, 'share', {}));
  router.post('/demo/email/:id', json(), ({ params, body }, response) =>
    callApi(service, response, params.id, 'email:apply', body),
  );
  return router;
}

/** Calls an operation of a connection with the API key, for a callback of the widget. */
async function callApi(
  { baseUrl, apiKey }: DemoService,
  response: Response,
  id: string,
  operation: string,
  body: unknown,
): Promise<void> {
  const answer = await fetch(`${baseUrl}/v1/connections/${encodeURIComponent(id)}/${operation}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  response.status(answer.status).json(await answer.json());
}

/** Plays the tenant's own admin page: makes a link into the console at the click, because it works for 2 minutes. */
const linkToConsole =
  ({ baseUrl, apiKey }: DemoService) =>
  async (_request: Request, response: Response) => {
    const answer = await fetch(`${baseUrl}/v1/console-sessions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ scopes: ['connections:read', 'connections:write', 'webhooks:write', 'usage:read'] }),
    });
    response.status(answer.status).json(await answer.json());
  };

/** Acts as the DNS provider: adds one record, with the name and value that the widget shows, to the sandbox. */
const addRecord = (service: DemoService) => async (request: Request, response: Response) => {
  const answer = await fetch(`${service.baseUrl}/v1/sandbox/records`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${service.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ records: [request.body] }),
  });
  response.status(answer.status).json(await answer.json());
};
