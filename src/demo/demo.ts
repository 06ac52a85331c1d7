import { json, Router, type Request, type Response } from 'express';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { DEMO_CSS, DEMO_JS, demoPage } from './page.ts';
import { tokenRoute } from './token-route.ts';

export interface DemoService {
  baseUrl: string;
  applicationId: string;
  apiKey: string;
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * A tenant of its own with a page for its customers, for the newcomer who wants to see the product in a minute. It uses
 * the service as any tenant would, over HTTP with its key, and stands beside it under `npm start` alone.
 */
export async function demo(service: DemoService): Promise<Router> {
  const source = await readFile(join(import.meta.dirname, `token-route${extname(import.meta.filename)}`), 'utf8');
  const page = demoPage(service.applicationId, source);
  const router = Router();
  router.get('/demo', (_request, response) => {
    response.set('Content-Security-Policy', POLICY).type('html').send(page);
  });
  router.get('/demo/page.css', (_request, response) => void response.type('css').send(DEMO_CSS));
  router.get('/demo/page.js', (_request, response) => void response.type('js').send(DEMO_JS));
  router.use(tokenRoute(service));
  router.post('/demo/records', json(), addRecord(service));
  return router;
}

/** What the customer types at a provider: the host as the window shows it, and one value beside those that stand. */
const addRecord = (service: DemoService) => async (request: Request, response: Response) => {
  const answer = await fetch(`${service.baseUrl}/v1/sandbox/records`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${service.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ records: [request.body] }),
  });
  response.status(answer.status).json(await answer.json());
};
