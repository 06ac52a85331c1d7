import {
  createApplication,
  getApplication,
  listApplications,
  lockApplication,
  updateApplication,
  type ApplicationRow,
  type ApplicationSettings,
} from '../../db/tenant/applications.ts';
import { clearRefusals, listTouchable } from '../../db/connection/connections.ts';
import { touchConnections } from '../../db/connection/touches.ts';
import type { Environment } from '../../domain/connection/connection.ts';
import { invalid, ServiceError, type Problem } from '../../domain/errors.ts';
import { untilEveryCopyKnows } from '../../edge/barrier.ts';
import { environmentsOf, reachApplication } from '../caller.ts';
import { pager } from '../cursor.ts';
import type { ApiDeps } from '../deps.ts';
import { addressProblem, checkOrigin, checkOriginUrl } from '../origins.ts';
import { templateProblems } from '../record-templates.ts';
import { route } from '../route.ts';
import { Application, ApplicationList, CreateApplication, UpdateApplication } from '../schemas/applications.ts';
import { Id, ListQuery } from '../schemas/common.ts';

const create = route({
  method: 'post',
  path: '/applications',
  summary: 'Create an application',
  needs: ['apps:admin'],
  idempotent: { secrets: [] },
  audit: 'application.created',
  body: CreateApplication,
  replies: { 201: Application },
  errors: [],
  prepare: ({ body, deps }) => originProblem(body, deps),
  async handle({ caller, body: { environment = 'test', name, ...settings }, tx, deps, prepared }) {
    if (environment === 'live' && caller.environment === 'test')
      throw new ServiceError('forbidden', 'A test key cannot create a live application.');
    const checked = checkSettings(settings, environment, deps, prepared);
    const row = await createApplication(tx, { tenant_id: caller.tenantId, environment, name, ...checked });
    return { status: 201, body: present(row) };
  },
});

const list = route({
  method: 'get',
  path: '/applications',
  summary: 'List applications',
  needs: ['apps:admin'],
  query: ListQuery,
  replies: { 200: ApplicationList },
  errors: [],
  async handle({ caller, query, tx, deps }) {
    const pages = pager(deps.keys.signedState, caller.tenantId, 'applications');
    const page = pages.request(query, null);
    const rows = await listApplications(tx, environmentsOf(caller), page);
    return { status: 200, body: pages.answer(rows, page, present) };
  },
});

const get = route({
  method: 'get',
  path: '/applications/{id}',
  summary: 'Retrieve an application',
  needs: ['apps:admin'],
  params: Id,
  replies: { 200: Application },
  errors: ['not_found'],
  async handle({ caller, params, tx }) {
    return { status: 200, body: present(reachApplication(caller, await getApplication(tx, params.id))) };
  },
});

const update = route({
  method: 'patch',
  path: '/applications/{id}',
  summary: 'Update an application. Fields that you omit stay as they are.',
  needs: ['apps:admin'],
  audit: 'application.updated',
  params: Id,
  body: UpdateApplication,
  replies: { 200: Application },
  errors: ['not_found'],
  prepare: ({ body, deps }) => originProblem(body, deps),
  async handle({ caller, params, body, tx, deps, now, prepared }) {
    const before = reachApplication(caller, await lockApplication(tx, params.id));
    const after = await updateApplication(tx, before, checkSettings(body, before.environment, deps, prepared));
    if (after.conflict_policy !== before.conflict_policy) await clearRefusals(tx, after.id, null);
    await touchConnections(tx, await listTouchable(tx, after.id), now);
    return { status: 200, body: present(after) };
  },
  async afterCommit({ params, body, deps }) {
    if (body.origin_url !== undefined || body.display_name !== undefined)
      await untilEveryCopyKnows(deps.pool, { applicationId: params.id });
  },
});

export const applicationRoutes = [create, list, get, update];

const present = (row: ApplicationRow) => ({
  id: row.id,
  name: row.name,
  environment: row.environment,
  allowed_origins: row.allowed_origins,
  record_template: row.record_template,
  origin_url: row.origin_url,
  display_name: row.display_name,
  conflict_policy: row.conflict_policy,
  drift_policy: row.drift_policy,
  offboarding: row.offboarding,
  offboarding_email: row.offboarding_email,
  widget_email: row.widget_email,
  companion: row.companion,
  created_at: row.created_at.toISOString(),
});

const ORIGIN_PATH = 'body.origin_url';

/** Queries DNS, so it runs before the transaction. Does not resolve a URL whose text is already invalid. */
function originProblem({ origin_url: url }: ApplicationSettings, deps: ApiDeps): Promise<Problem | null> {
  const isGiven = typeof url === 'string' && checkOriginUrl(url, ORIGIN_PATH, deps.ownHosts).ok;
  return isGiven ? addressProblem(url, ORIGIN_PATH, deps.originDial) : Promise.resolve(null);
}

/** Validates what a schema cannot: origins, addresses and record templates. Reports all problems together. */
function checkSettings<S extends ApplicationSettings>(
  settings: S,
  environment: Environment,
  deps: ApiDeps,
  ofOrigin: Problem | null,
): S {
  const problems: Problem[] = templateProblems(settings.record_template ?? [], 'body.record_template');
  if (ofOrigin !== null) problems.push(ofOrigin);
  const keep = <T>(checked: { ok: true; value: T } | { ok: false; problem: Problem }): T[] => {
    if (checked.ok) return [checked.value];
    problems.push(checked.problem);
    return [];
  };
  const origins = settings.allowed_origins?.flatMap((origin, index) =>
    keep(checkOrigin(origin, `body.allowed_origins.${index}`, environment)),
  );
  const [originUrl] =
    typeof settings.origin_url === 'string'
      ? keep(checkOriginUrl(settings.origin_url, ORIGIN_PATH, deps.ownHosts))
      : [];
  if (problems.length > 0) throw invalid(problems);
  return {
    ...settings,
    ...(origins === undefined ? {} : { allowed_origins: [...new Set(origins)] }),
    ...(originUrl === undefined ? {} : { origin_url: originUrl }),
  };
}
