import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { Router, type Request } from 'express';
import { asTenant } from '../db/pool.ts';
import { getApplication } from '../db/tenant/applications.ts';
import { ServiceError } from '../domain/errors.ts';
import { mcpServer } from '../mcp/server.ts';
import { TOOLS, type CallApi, type Tool } from '../mcp/tools.ts';
import { releaseVersion } from '../release-version.ts';
import { authenticate } from './auth.ts';
import { bodyReader } from './body.ts';
import type { BearerCaller } from './caller.ts';
import { cors } from './cors.ts';
import type { ApiDeps } from './deps.ts';
import type { Limiter } from './limiter.ts';
import { API_PREFIX } from './route.ts';

export const MCP_PATH = '/mcp';
const BODY_LIMIT_KB = 100;
const VERSION = releaseVersion();

/**
 * Serves the Model Context Protocol to agents: streamable HTTP without sessions, so that any API process can answer. Each
 * tool is a request to the API with the agent's own credential, so scopes, limits, audit and usage are those of the API.
 */
export function mcp(deps: ApiDeps, limiter: Limiter): Router {
  const readBody = bodyReader(BODY_LIMIT_KB);
  const router = Router();
  router.all(MCP_PATH, cors([{ method: 'post', widget: {} }], deps));
  router.post(MCP_PATH, async (request, response) => {
    const { caller } = await limiter.countFailures(request, response, () => authenticate(request, deps));
    await refuseForeignOrigin(request, caller, deps);
    const message = await readBody(request, response);
    // A tool's request counts by itself.
    if (!callsTool(message)) limiter.countCaller(caller, response);
    const context = { call: callAs(request), applicationId: caller.credential.applicationId };
    const server = mcpServer(VERSION, toolsFor(caller), context);
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    response.once('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response, message);
  });
  router.all(MCP_PATH, (_request, response) => {
    response.set('Allow', 'POST');
    throw new ServiceError(
      'method_not_allowed',
      'This server keeps no sessions and sends no messages of its own. Use POST.',
    );
  });
  return router;
}

/** Returns the tools that the credential may use. A tool that would be refused is not shown. */
const toolsFor = ({ scopes, credential }: BearerCaller): Tool[] =>
  TOOLS.filter(
    ({ needs, widget }) => (widget || credential.kind === 'key') && needs.some((scope) => scopes.has(scope)),
  );

const callsTool = (message: unknown): boolean =>
  [message].flat().some((one) => (one as { method?: unknown } | null)?.method === 'tools/call');

/** Refuses pages of other origins, which could use a server that the browser reaches and they do not (DNS rebinding). */
async function refuseForeignOrigin(request: Request, caller: BearerCaller, deps: ApiDeps): Promise<void> {
  const origin = request.get('origin');
  if (origin === undefined || origin === new URL(deps.baseUrl).origin) return;
  const { applicationId } = caller.credential;
  const application = await asTenant(deps.pool, caller.tenantId, (tx) => getApplication(tx, applicationId));
  if (application?.allowed_origins.includes(origin)) return;
  throw new ServiceError(
    'forbidden',
    `The origin ${origin} is not among the allowed_origins of application ${applicationId}.`,
  );
}

/** Returns a function that requests a path at the listener of this request, for the same caller. */
function callAs({ headers: { authorization = '', origin }, socket }: Request): CallApi {
  const { localAddress = '', localPort = 0 } = socket;
  const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress;
  const headers = { authorization, ...(origin === undefined ? {} : { origin }) };
  return async ({ method, path, query = {}, body }) => {
    const url = `http://${host}:${localPort}${API_PREFIX}${path}?${new URLSearchParams(query).toString()}`;
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await fetch(url, { method, headers: { ...headers, ...type }, ...sent });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
  };
}
