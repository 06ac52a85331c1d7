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
import { addressProblem, checkOrigin, checkOriginUrl, checkPageUrl } from '../origins.ts';
import { templateProblems } from '../record-templates.ts';
import { route } from '../route.ts';
import { Application, ApplicationList, CreateApplication, UpdateApplication } from '../schemas/applications.ts';
import { TTL_DEFAULT } from '../../domain/record.ts';
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
  async handle({ caller, body, tx, deps, prepared }) {
    const { environment = caller.environment, name, ...settings } = body;
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
    if (KNOWN_TO_EDGES.some((field) => body[field] !== undefined))
      await untilEveryCopyKnows(deps.pool, { applicationId: params.id });
  },
});

const KNOWN_TO_EDGES = ['origin_url', 'display_name', 'logo_url', 'support_url'] as const;

export const applicationRoutes = [create, list, get, update];

const present = (row: ApplicationRow) => ({
  id: row.id,
  name: row.name,
  environment: row.environment,
  allowed_origins: row.allowed_origins,
  record_template: row.record_template.map((line) => ({
    ...line,
    ttl: line.ttl ?? TTL_DEFAULT,
    priority: line.priority ?? null,
  })),
  origin_url: row.origin_url,
  display_name: row.display_name,
  logo_url: row.logo_url,
  support_url: row.support_url,
  conflict_policy: row.conflict_policy,
  drift_policy: row.drift_policy,
  offboarding: row.offboarding,
  offboarding_email: row.offboarding_email,
  companion: row.companion,
  before_dns: row.before_dns,
  sandbox_speed: row.sandbox_speed,
  created_at: row.created_at.toISOString(),
});

type TemplateLine = ApplicationRow['record_template'][number];

/** Drops the field that records of answers have in addition. */
const storedLine = ({ relative_host: _, ...line }: TemplateLine & { relative_host?: string }): TemplateLine => line;

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
  if (environment === 'live' && typeof settings.sandbox_speed === 'number')
    problems.push({
      path: 'body.sandbox_speed',
      code: 'test_only',
      message: 'body.sandbox_speed: only a test application has a sandbox.',
    });
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
  const pageUrl = (field: 'logo_url' | 'support_url', schemes: readonly string[]) => {
    const text = settings[field];
    if (typeof text !== 'string') return {};
    const [url] = keep(checkPageUrl(text, `body.${field}`, schemes));
    return { [field]: url };
  };
  const ofPages = { ...pageUrl('logo_url', ['https:']), ...pageUrl('support_url', ['https:', 'mailto:']) };
  if (problems.length > 0) throw invalid(problems);
  return {
    ...settings,
    ...(settings.record_template && { record_template: settings.record_template.map(storedLine) }),
    ...(origins === undefined ? {} : { allowed_origins: [...new Set(origins)] }),
    ...(originUrl === undefined ? {} : { origin_url: originUrl }),
    ...ofPages,
  };
}
