import { createLink, endSession, listSessions, type SessionRow } from '../../db/tenant/console-sessions.ts';
import { DEFAULT_SCOPES, endsOf } from '../../domain/console-session.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';
import { environmentsOf } from '../caller.ts';
import { linkUrl } from '../console-session.ts';
import { pager } from '../cursor.ts';
import { route } from '../route.ts';
import { Id, ListQuery, Nothing } from '../schemas/common.ts';
import { ConsoleSessionCreated, ConsoleSessionList, CreateConsoleSession } from '../schemas/console-sessions.ts';

/** A repeated Idempotency-Key creates another link, as for widget tokens: the first answer's link is not stored. */
const create = route({
  method: 'post',
  path: '/console-sessions',
  summary: 'Create a link that signs a person in to the console, once and within 2 minutes',
  needs: ['apps:admin'],
  createsCredential: true,
  audit: 'console_session.created',
  body: CreateConsoleSession,
  replies: { 201: ConsoleSessionCreated },
  errors: ['invalid_state'],
  async handle({ caller, body = {}, tx, deps, now }) {
    if (deps.console === null)
      throw new ServiceError('invalid_state', 'This service has no console: its operator has set CONSOLE=off.');
    if (caller.credential.kind !== 'key') throw new ServiceError('forbidden', 'Only an API key can create sessions.');
    const scopes = [...new Set(body.scopes ?? DEFAULT_SCOPES)];
    const lacking = scopes.filter((scope) => !caller.scopes.has(scope));
    if (lacking.length > 0)
      throw new ServiceError('forbidden', `A key cannot grant scopes that it does not have: ${lacking.join(', ')}.`);
    const { linkExpiresAt, expiresAt } = endsOf(now, body.expires_in);
    const { tenantId: tenant_id, environment } = caller;
    const grant = { tenant_id, environment, scopes, made_by: 'key', key_id: caller.credential.keyId, now, expiresAt } as const; // prettier-ignore
    const { id, secret } = await createLink(tx, grant, linkExpiresAt);
    return {
      status: 201,
      body: {
        id,
        url: linkUrl(deps.baseUrl, secret),
        link_expires_at: linkExpiresAt.toISOString(),
        expires_at: expiresAt.toISOString(),
      },
      audited: { id, environment },
    };
  },
});

const list = route({
  method: 'get',
  path: '/console-sessions',
  summary: 'List console sessions, and links that were not used yet, newest first',
  needs: ['apps:admin'],
  query: ListQuery,
  replies: { 200: ConsoleSessionList },
  errors: [],
  async handle({ caller, query, tx, deps, now }) {
    const pages = pager(deps.keys.signedState, caller.tenantId, 'console sessions');
    const page = pages.request(query, 20);
    const rows = await listSessions(tx, environmentsOf(caller), now, page);
    return { status: 200, body: pages.answer(rows, page, present) };
  },
});

const end = route({
  method: 'delete',
  path: '/console-sessions/{id}',
  summary: 'End a console session or a link. The next request of the browser is refused.',
  needs: ['apps:admin'],
  audit: 'console_session.ended',
  params: Id,
  replies: { 204: Nothing },
  errors: ['not_found'],
  async handle({ caller, params, tx, now }) {
    const ended = await endSession(tx, params.id, environmentsOf(caller), now);
    if (ended === null) throw notFound();
    return { status: 204, body: null, audited: ended };
  },
});

export const consoleSessionRoutes = [create, list, end];

const present = (row: SessionRow) => ({
  id: row.id,
  made_by: { kind: row.made_by, key_id: row.key_id },
  scopes: row.scopes,
  environment: row.environment,
  created_at: row.created_at.toISOString(),
  signed_in_at: row.signed_in_at?.toISOString() ?? null,
  last_seen_at: row.last_seen_at?.toISOString() ?? null,
  expires_at: row.expires_at.toISOString(),
});
