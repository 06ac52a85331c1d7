import { getApplication } from '../../db/applications.ts';
import {
  archiveConnection,
  createConnection,
  findHolder,
  findUnproved,
  getConnection,
  lockConnection,
} from '../../db/connections.ts';
import { isPublicSuffix, kindOf, publicSuffix, registrableDomain } from '../../dns/suffix.ts';
import { presentConnection } from '../../domain/connection-resource.ts';
import { invalid, notFound, ServiceError } from '../../domain/errors.ts';
import { normalizeHostname } from '../../domain/hostname.ts';
import { desiredRecords } from '../../domain/template.ts';
import { untilEveryCopyKnows } from '../../edge/barrier.ts';
import { presentCreated, presentDetail } from '../present.ts';
import { route, type Caller } from '../route.ts';
import { Id, Nothing } from '../schemas/common.ts';
import { Connection, ConnectionCreated, ConnectionDetail, CreateConnection } from '../schemas/connections.ts';

/** A test key reaches test objects only; what is out of reach is not there. */
function within<T extends { environment: 'test' | 'live' }>(caller: Caller, object: T | null): T {
  if (object === null || (caller.environment === 'test' && object.environment === 'live')) throw notFound();
  return object;
}

const create = route({
  method: 'post',
  path: '/connections',
  summary: 'Start connecting a domain',
  needs: 'connections:write',
  params: Nothing,
  query: Nothing,
  body: CreateConnection,
  replies: { 200: ConnectionCreated, 201: ConnectionCreated },
  errors: ['not_found', 'HostnameConflict'],
  async handle({ caller, body, tx, deps, now }) {
    const application = within(caller, await getApplication(tx, body.application_id));
    const hostname = hostnameFor(body.hostname, application.environment);
    const { held, own } = await findHolder(tx, hostname);
    if (held) throw hostnameConflict(hostname, own);
    const waiting = await findUnproved(tx, application.id, hostname);
    if (waiting) return { status: 200, body: presentCreated(waiting) };
    const kind = kindOf(hostname);
    const name = { hostname, kind, domain: registrableDomain(hostname), suffix: publicSuffix(hostname) };
    const row = await createConnection(tx, {
      tenant_id: caller.tenantId,
      application_id: application.id,
      environment: application.environment,
      hostname,
      kind,
      external_id: body.external_id ?? null,
      desired_records: (connectionId) =>
        desiredRecords(application.record_template, { connectionId, ...name }, deps.edge),
      now,
    });
    return { status: 201, body: presentCreated(row) };
  },
});

const get = route({
  method: 'get',
  path: '/connections/{id}',
  summary: 'Read a connection with its records, certificate, findings and timeline',
  needs: 'connections:read',
  params: Id,
  query: Nothing,
  body: Nothing,
  replies: { 200: ConnectionDetail },
  errors: ['not_found'],
  async handle({ caller, params, tx }) {
    return { status: 200, body: await presentDetail(tx, within(caller, await getConnection(tx, params.id))) };
  },
});

const archive = route({
  method: 'delete',
  path: '/connections/{id}',
  summary: 'Offboard a domain: free its hostname and remove what we wrote',
  needs: 'connections:write',
  params: Id,
  query: Nothing,
  body: Nothing,
  replies: { 200: Connection },
  errors: ['not_found'],
  async handle({ caller, params, tx, now }) {
    const row = within(caller, await lockConnection(tx, params.id));
    return { status: 200, body: presentConnection(await archiveConnection(tx, row, now)) };
  },
  afterCommit: ({ params, deps }) => untilEveryCopyKnows(deps.pool, { connectionId: params.id }),
});

export const connectionRoutes = [create, get, archive];

function hostnameFor(text: string, environment: 'test' | 'live'): string {
  const result = normalizeHostname(text, { test: environment === 'test' });
  if (!result.ok) {
    const { code, message, suggestion } = result;
    throw invalid([{ path: 'body.hostname', code, message, ...(suggestion === undefined ? {} : { suggestion }) }]);
  }
  if (isPublicSuffix(result.hostname))
    throw invalid([
      {
        path: 'body.hostname',
        code: 'public_suffix',
        message: `${result.hostname} is a public suffix; connect a name below it.`,
      },
    ]);
  return result.hostname;
}

/** Whoever holds the name stays unnamed, unless it is the caller. */
function hostnameConflict(hostname: string, own: { id: string; environment: string } | null): ServiceError {
  const where = own === null ? '' : ` by a connection of yours in the ${own.environment} environment`;
  return new ServiceError('HostnameConflict', `${hostname} is already connected${where}.`, {
    details: { hostname, same_tenant: own !== null, connection_id: own?.id ?? null },
  });
}
