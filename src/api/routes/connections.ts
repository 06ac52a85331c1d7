import { getApplication, type ApplicationRow } from '../../db/tenant/applications.ts';
import {
  findConnectionDetail,
  getConnectionDetail,
  type ConnectionDetailRow,
} from '../../db/connection/connection-detail.ts';
import { readConnectFacts, type Wanted } from '../../db/connection/connect-facts.ts';
import { listConnections } from '../../db/connection/connection-list.ts';
import { archiveConnection, lockConnection } from '../../db/connection/connections.ts';
import { saveRoute } from '../../db/connection/own-routes.ts';
import { remain } from '../../db/connection/transitions.ts';
import { enqueue } from '../../db/outbox.ts';
import { asTenant } from '../../db/pool.ts';
import { coveringCredential } from '../../db/zone/credentials.ts';
import { touchConnection } from '../../db/connection/touches.ts';
import { registrableDomain } from '../../dns/suffix.ts';
import { presentConnection } from '../../domain/connection/connection-resource.ts';
import { PROVED } from '../../domain/connection/state-sets.ts';
import { changeTo } from '../../domain/connection/record-change.ts';
import type { Variables } from '../../domain/connection/variables.ts';
import type { EdgeTargets } from '../../domain/connection/edge-addresses.ts';
import type { ConnectionRow } from '../../db/connection/connection-row.ts';
import { companionName, normalizeHostname } from '../../domain/hostname.ts';
import { invalid, notFound, ServiceError, type Problem } from '../../domain/errors.ts';
import { untilEveryCopyKnows } from '../../edge/barrier.ts';
import { nextPollSeconds } from '../../domain/connection/next-poll.ts';
import { waitForArchive } from '../archive.ts';
import { reachApplication, reach, refuseArchived, type Caller } from '../caller.ts';
import { connect, timingOf } from '../connect.ts';
import { recordsFor } from '../wanted-records.ts';
import { pager } from '../cursor.ts';
import type { ApiDeps } from '../deps.ts';
import { applyLink, type ApplyLink } from '../domain-connect.ts';
import { environmentsFor } from '../environments.ts';
import { etagOf } from '../etag.ts';
import { connectableHostname } from '../hostnames.ts';
import { presentCreated, presentDetail } from '../present.ts';
import { presentEmailSetup } from '../present-email.ts';
import { refuseLoop, ROUTE_FIELDS, routeOf, undialableOrigins } from '../own-routes.ts';
import { findingRoute, route } from '../route.ts';
import { Id } from '../schemas/common.ts';
import {
  Connection,
  ConnectionCreated,
  ConnectionDetail,
  ConnectionList,
  ConnectionQuery,
  CreateConnection,
  DetailQuery,
  UpdateConnection,
} from '../schemas/connections.ts';

const create = route({
  method: 'post',
  path: '/connections',
  summary: 'Connect a domain, or resume a connection that waits for its ownership proof',
  needs: ['connections:write'],
  widget: { applicationId: (body) => body.application_id, hostname: (body) => body.hostname },
  idempotent: { secrets: [] },
  body: CreateConnection,
  replies: { 200: ConnectionCreated, 201: ConnectionCreated },
  errors: ['not_found', 'HostnameConflict', 'QuotaExceeded'],
  prepare: ({ body, deps }) => undialableOrigins([body], deps),
  async handle({ caller, body, tx, deps, now, prepared: undialable }) {
    const given = caller.credential.kind === 'widget' ? { ...body, ...caller.credential.bound } : body;
    const { before_dns, point, serve = true, variables = {} } = given;
    const of = likelyWanted(caller, body, serve);
    const facts = await readConnectFacts(tx, body.application_id, of, now);
    const application = reachApplication(caller, facts?.application ?? null);
    const hostname = connectableHostname(body.hostname, 'body.hostname', application.environment, deps.ownHosts);
    const external_id = externalIdOf(caller, body);
    refuseFromBrowser(caller, body);
    const companion = companionWanted(caller, body, hostname) ?? application.companion;
    const { edge, upgradeUrl, delegation } = deps;
    const routed = routeOf({ before: null, given, path: 'body', undialable }, deps);
    if ('problems' in routed) throw invalid(routed.problems);
    const companionHost = companion ? companionName(hostname, registrableDomain(hostname)) : null;
    await refuseLoop(tx, { hostname, ...routed, companion: companionHost }, 'body');
    refuseFieldsOfServed(given, serve);
    const known = facts === null ? {} : { known: { facts, of } };
    const request = { caller, application, batch_id: null, companion, edge, upgradeUrl, now, before_dns, point, delegation, ...known }; // prettier-ignore
    const { result, row } = await connect(tx, request, { hostname, path: 'body.hostname', external_id, serve, variables, ...routed }); // prettier-ignore
    if (result === 'existing') await touchConnection(tx, row, now);
    return { status: result === 'created' ? 201 : 200, body: presentCreated(row) };
  },
});

/** Time after which a page that shows connections may ask again. */
const LIST_POLL_SECONDS = 5;

const list = route({
  method: 'get',
  path: '/connections',
  summary: 'List connections, newest first',
  needs: ['connections:read'],
  query: ConnectionQuery,
  replies: { 200: ConnectionList },
  errors: [],
  polled: true,
  async handle({ caller, query: { cursor, limit, environment, dangling, ...filter }, tx, deps }) {
    const pages = pager(deps.keys.signedState, caller.tenantId, 'connections');
    const page = pages.request({ cursor, limit }, 20);
    const rows = await listConnections(
      tx,
      {
        ...filter,
        dangling: dangling === 'true',
        environments: environmentsFor(caller, { environment, ...filter }),
        hostname: filter.hostname === undefined ? undefined : canonicalHostname(filter.hostname),
        hostname_prefix: filter.hostname_prefix === undefined ? undefined : canonicalPrefix(filter.hostname_prefix),
      },
      page,
    );
    const body = pages.answer(rows, page, presentConnection);
    return { status: 200, body, etag: etagOf(body), retryAfterSeconds: LIST_POLL_SECONDS };
  },
});

const get = findingRoute({
  method: 'get',
  path: '/connections/{id}',
  summary: 'Retrieve a connection with its records, certificate, findings and timeline',
  needs: ['connections:read'],
  widget: {},
  params: Id,
  query: DetailQuery,
  replies: { 200: ConnectionDetail },
  errors: ['not_found'],
  polled: true,
  find: ({ id }, { include }) => findConnectionDetail(id, { mail: include === 'email_setup' }),
  handle({ caller, query: { include }, found, deps, now }) {
    const row = reach(caller, found);
    const detail = presentDetail(row, now, deps.edge, linkFor(row, caller, deps, now));
    const body = include === 'email_setup' ? { ...detail, email_setup: presentEmailSetup(row) } : detail;
    const retryAfterSeconds = nextPollSeconds(row.state, row.next_check_at, now);
    return { status: 200, body, etag: etagOf(body), retryAfterSeconds };
  },
});

const update = route({
  method: 'patch',
  path: '/connections/{id}',
  summary: 'Update a connection. Fields that you omit stay as they are, and null returns to the default.',
  needs: ['connections:write'],
  audit: 'connection.updated',
  params: Id,
  body: UpdateConnection,
  replies: { 200: ConnectionDetail },
  errors: ['not_found', 'invalid_state'],
  prepare: ({ body, deps }) => undialableOrigins([body], deps),
  async handle({ caller, params, body, tx, deps, now, prepared: undialable }) {
    const row = refuseArchived(reach(caller, await lockConnection(tx, params.id)));
    const application = reachApplication(caller, await getApplication(tx, row.application_id));
    const isWritable = (await coveringCredential(tx, application.id, row.hostname)) !== null;
    const wanted = {
      before_dns: body.before_dns === undefined ? row.before_dns : (body.before_dns ?? undefined),
      point: body.point === undefined ? row.point : (body.point ?? undefined),
    };
    const dns = { application, ...wanted, delegation: deps.delegation };
    const timing = row.serve ? timingOf(dns, { hostname: row.hostname, isWritable }) : {};
    if (timing instanceof ServiceError) throw timing;
    refuseFieldsOfServed(body, row.serve);
    const routed = routeOf({ before: row.route, given: body, path: 'body', undialable }, deps);
    if ('problems' in routed) throw invalid(routed.problems);
    await refuseLoop(tx, { hostname: row.hostname, ...routed }, 'body');
    const records = body.variables === undefined ? {} : recordsAfter(row, application, body.variables, deps.edge, now);
    if (row.companion_of !== null && routed.route !== null) throw invalid([COMPANION_ROUTE]);
    await saveRoute(tx, row.id, routed.route);
    await remain(tx, row, { now, ...timing, ...records });
    await enqueue(tx, row, 'credentials_changed');
    const after = await getConnectionDetail(tx, row.id);
    if (after === null) throw notFound();
    const { id, environment } = row;
    return {
      status: 200,
      body: presentDetail(after, now, deps.edge, linkFor(after, caller, deps, now)),
      audited: { id, environment },
    };
  },
  // The answer means that every edge in reach knows the change.
  afterCommit: ({ params, deps: { pool } }) => untilEveryCopyKnows(pool, { connectionId: params.id }),
});

/** Returns the records with other variables. The application's template of today applies. */
function recordsAfter(
  row: ConnectionRow,
  application: ApplicationRow,
  variables: Variables,
  edge: EdgeTargets,
  now: Date,
) {
  const { serve } = row;
  // An imported hostname wants its target, so variables of the template have no effect.
  if (row.proof_target !== null) return { variables };
  const records = recordsFor(application, { hostname: row.hostname, path: 'body', serve, variables }, edge);
  if ('problems' in records) throw invalid(records.problems);
  const desired_records = records.of(row.id);
  return { desired_records, variables, ...changeTo(desired_records, row, { isProved: PROVED.has(row.state), now }) };
}

const COMPANION_ROUTE: Problem = {
  path: 'body',
  code: 'companion',
  message: 'body: a companion redirects to its main connection. Change that one.',
};

const archive = route({
  method: 'delete',
  path: '/connections/{id}',
  summary: 'Archive a connection. Releases its hostname and removes the records that we wrote.',
  needs: ['connections:write'],
  params: Id,
  replies: { 200: Connection },
  errors: ['not_found'],
  async handle({ caller, params, tx, now }) {
    const row = reach(caller, await lockConnection(tx, params.id));
    return { status: 200, body: presentConnection(await archiveConnection(tx, row, now)) };
  },
  async afterCommit({ caller, params, deps: { pool } }) {
    await waitForArchive(pool, (body) => asTenant(pool, caller.tenantId, body), params.id);
  },
});

export const connectionRoutes = [create, list, get, update, archive];

const OF_SERVED = ['before_dns', 'point', 'companion', ...ROUTE_FIELDS] as const;

/** Refuses what has no meaning for a connection that wants records only. */
function refuseFieldsOfServed(body: Partial<Record<(typeof OF_SERVED)[number], unknown>>, serve: boolean): void {
  const given = OF_SERVED.filter((name) => body[name] !== undefined && body[name] !== null && body[name] !== false);
  if (serve || given.length === 0) return;
  throw invalid(
    given.map((name) => ({
      path: `body.${name}`,
      code: 'not_served',
      message: `body.${name}: the connection wants records only (serve: false).`,
    })),
  );
}

const NOT_FROM_BROWSERS = ['before_dns', 'point', 'serve', 'variables', ...ROUTE_FIELDS] as const;

/** A browser can choose neither when certificates are ordered, which the tenant pays for, nor where visitors go. */
function refuseFromBrowser(
  { credential }: Caller,
  body: Partial<Record<(typeof NOT_FROM_BROWSERS)[number], unknown>>,
): void {
  const given = NOT_FROM_BROWSERS.filter((name) => body[name] !== undefined);
  if (credential.kind !== 'widget' || given.length === 0) return;
  throw invalid(
    given.map((name) => ({
      path: `body.${name}`,
      code: 'widget_token',
      message: `body.${name}: only API keys can set it.`,
    })),
  );
}

/** Returns the connection that a valid request wants, so that it is read together with the application. */
function likelyWanted(
  { credential }: Caller,
  body: { hostname: string; external_id?: string | null },
  serve: boolean,
): Wanted[] {
  const result = normalizeHostname(body.hostname, { test: true, wildcard: true });
  const external_id = credential.kind === 'widget' ? credential.externalId : (body.external_id ?? null);
  return result.ok ? [{ hostname: result.hostname, external_id, serve }] : [];
}

/** Takes a browser's external id from its token, so that a customer cannot create connections for another. */
function externalIdOf({ credential }: Caller, body: { external_id?: string | null }): string | null {
  if (credential.kind !== 'widget') return body.external_id ?? null;
  if (body.external_id !== undefined) {
    const message = 'body.external_id: a widget token carries the external id. Send it to POST /v1/tokens instead.';
    throw invalid([{ path: 'body.external_id', code: 'widget_token', message }]);
  }
  return credential.externalId;
}

/** Returns the companion field of the request. Refuses true if the hostname has no companion, or if the token is bound. */
function companionWanted({ credential }: Caller, body: { companion?: boolean }, hostname: string): boolean | undefined {
  if (body.companion !== true) return body.companion;
  if (credential.kind === 'widget' && credential.hostname !== null)
    throw new ServiceError('forbidden', `This widget token is bound to ${credential.hostname}.`);
  if (companionName(hostname, registrableDomain(hostname)) === null) {
    const message = `body.companion: ${hostname} is neither an apex nor its www, so it has no companion.`;
    throw invalid([{ path: 'body.companion', code: 'no_companion', message }]);
  }
  return true;
}

/** Returns the Domain Connect link. A caller without the scope connections:write gets none. */
function linkFor(row: ConnectionDetailRow, { credential, scopes }: Caller, deps: ApiDeps, now: Date): ApplyLink | null {
  const { domainConnect: identity, edge, baseUrl, keys } = deps;
  if (identity === null || !scopes.has('connections:write')) return null;
  return applyLink({ identity, edge, baseUrl, stateKeys: keys.signedState }, row, sessionOf(credential), now);
}

function sessionOf(credential: Caller['credential']): string {
  if (credential.kind === 'key') return credential.keyId;
  return credential.kind === 'session' ? credential.sessionId : credential.tokenId;
}

/** Normalizes a filter. Text that is not a hostname stays unchanged and matches nothing. */
function canonicalHostname(text: string): string {
  const result = normalizeHostname(text, { test: true, wildcard: true });
  return result.ok ? result.hostname : text;
}

/** Normalizes the beginning of a hostname. Other alphabets have an A-label only for a complete name. */
const canonicalPrefix = (text: string): string =>
  /^[ -~]*$/.test(text) ? text.trim().toLowerCase() : canonicalHostname(text);
