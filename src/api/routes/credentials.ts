import { getApplication, type ApplicationRow } from '../../db/tenant/applications.ts';
import {
  deleteCredential,
  describeCredential,
  getCredential,
  listCredentials,
  recordHealth,
  type CredentialHealth,
  type CredentialRow,
} from '../../db/zone/credentials.ts';
import { invalid, notFound } from '../../domain/errors.ts';
import { openAccount, type ProviderAccess } from '../../provisioning/account.ts';
import { tryRefusedAgain, keepCredential, preflight, replaceSecret } from '../../provisioning/credentials.ts';
import { healthOf } from '../../provisioning/health.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import { descriptors, providerOf } from '../../providers/registry.ts';
import { reachApplication } from '../caller.ts';
import { pager } from '../cursor.ts';
import { route, waitingRoute } from '../route.ts';
import { Id, ListQuery, Nothing } from '../schemas/common.ts';
import {
  CreateCredential,
  Credential,
  CredentialList,
  CredentialPath,
  PatchCredential,
} from '../schemas/credentials.ts';

const PROVIDER_DEADLINE_MS = 20_000;

const create = route({
  method: 'post',
  path: '/applications/{id}/credentials',
  summary: 'Add a DNS provider credential. We test it against the provider before saving.',
  needs: ['apps:admin'],
  idempotent: { secrets: [] },
  audit: 'credential.created',
  params: Id,
  body: CreateCredential,
  replies: { 201: Credential },
  errors: ['not_found'],
  async prepare({ caller, params, body, deps, inTransaction }) {
    const application = reachApplication(caller, await inTransaction((tx) => getApplication(tx, params.id)));
    refuseUnknown(body.provider);
    refuseTestOnly(application, body.provider);
    return preflightOrInvalid(deps.providerAccess, caller.tenantId, body.provider, body.credentials);
  },
  async handle({ caller, params, body, deps, tx, prepared }) {
    const application = reachApplication(caller, await getApplication(tx, params.id));
    const given = {
      tenantId: caller.tenantId,
      applicationId: application.id,
      provider: body.provider,
      credential: body.credentials,
      label: body.label ?? null,
      expiresAt: body.expires_at === undefined ? null : new Date(body.expires_at),
    };
    return { status: 201, body: present(await keepCredential(deps.providerAccess, tx, given, prepared), application) };
  },
});

const list = route({
  method: 'get',
  path: '/applications/{id}/credentials',
  summary: "List an application's DNS provider credentials, without secrets",
  needs: ['apps:admin'],
  params: Id,
  query: ListQuery,
  replies: { 200: CredentialList },
  errors: ['not_found'],
  async handle({ caller, params, query, tx, deps }) {
    const application = reachApplication(caller, await getApplication(tx, params.id));
    const pages = pager(deps.keys.signedState, caller.tenantId, `credentials ${application.id}`);
    const page = pages.request(query, 20);
    const rows = await listCredentials(tx, application.id, page);
    return { status: 200, body: pages.answer(rows, page, (row) => present(row, application)) };
  },
});

const test = waitingRoute({
  method: 'post',
  path: '/applications/{id}/credentials/{cid}:test',
  summary: 'Test a credential against its provider again',
  needs: ['apps:admin'],
  params: CredentialPath,
  replies: { 200: Credential },
  errors: ['not_found'],
  async handle({ caller, params, deps, inTransaction }) {
    const { application, row } = await inTransaction(async (tx) => {
      const reached = reachApplication(caller, await getApplication(tx, params.id));
      return { application: reached, row: ofApplication(reached, await getCredential(tx, params.cid)) };
    });
    const signal = AbortSignal.timeout(PROVIDER_DEADLINE_MS);
    const health = await healthOf(openAccount(deps.providerAccess, row), row.provider, signal);
    const after = await inTransaction(async (tx) => {
      await recordHealth(tx, row.id, health);
      const fresh = ofApplication(application, await getCredential(tx, row.id));
      if (fresh.status === 'ok') await tryRefusedAgain(tx, fresh);
      return fresh;
    });
    return { status: 200, body: present(after, application) };
  },
});

const patch = route({
  method: 'patch',
  path: '/applications/{id}/credentials/{cid}',
  summary: 'Update the secret, label or expiry of a credential. Connections continue with the new secret.',
  needs: ['apps:admin'],
  audit: 'credential.updated',
  params: CredentialPath,
  body: PatchCredential,
  replies: { 200: Credential },
  errors: ['not_found'],
  async prepare({ caller, params, body, deps, inTransaction }): Promise<CredentialHealth | null> {
    const { provider } = await inTransaction(async (tx) => {
      const application = reachApplication(caller, await getApplication(tx, params.id));
      return ofApplication(application, await getCredential(tx, params.cid));
    });
    if (body.credentials === undefined) return null;
    return preflightOrInvalid(deps.providerAccess, caller.tenantId, provider, body.credentials);
  },
  async handle({ caller, params, body, deps, tx, prepared }) {
    const application = reachApplication(caller, await getApplication(tx, params.id));
    const before = ofApplication(application, await getCredential(tx, params.cid));
    const label = body.label === undefined ? before.label : body.label;
    const expiryClaim = body.expires_at == null ? null : new Date(body.expires_at);
    if (body.credentials === undefined || prepared === null) {
      const expires_at = body.expires_at === undefined ? before.expires_at : expiryClaim;
      const row = await describeCredential(tx, before.id, { label, expires_at });
      return { status: 200, body: present(row, application) };
    }
    const { tenant_id: tenantId, provider } = before;
    const given = { tenantId, applicationId: application.id, provider, credential: body.credentials, label };
    const row = await replaceSecret(deps.providerAccess, tx, before, { ...given, expiresAt: expiryClaim }, prepared);
    return { status: 200, body: present(row, application) };
  },
});

const remove = route({
  method: 'delete',
  path: '/applications/{id}/credentials/{cid}',
  summary: 'Delete a credential. Records that it wrote stay in place.',
  needs: ['apps:admin'],
  audit: 'credential.deleted',
  params: CredentialPath,
  replies: { 204: Nothing },
  errors: ['not_found'],
  async handle({ caller, params, tx }) {
    const application = reachApplication(caller, await getApplication(tx, params.id));
    const { id } = ofApplication(application, await getCredential(tx, params.cid));
    await deleteCredential(tx, id);
    return { status: 204, body: null, audited: { id, environment: application.environment } };
  },
});

export const credentialRoutes = [create, list, test, patch, remove];

/** Tests a secret against the provider before it is saved. A secret that the provider refuses gets a 400. */
async function preflightOrInvalid(
  providerAccess: ProviderAccess,
  tenantId: string,
  provider: string,
  credential: Readonly<Record<string, string>>,
) {
  try {
    const signal = AbortSignal.timeout(PROVIDER_DEADLINE_MS);
    return await preflight(providerAccess, { tenantId, provider, credential }, signal);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw invalid([{ path: 'body.credentials', code: error.code, message: error.message }]);
  }
}

function refuseUnknown(slug: string): void {
  if (providerOf(slug) !== undefined) return;
  const slugs = descriptors().map((known) => known.slug);
  const message = `provider must be one of ${slugs.join(', ')}.`;
  throw invalid([{ path: 'body.provider', code: 'provider', message }]);
}

/** A live application must not use the sandbox's DNS, whose records no public resolver sees. */
function refuseTestOnly({ environment }: ApplicationRow, slug: string): void {
  const descriptor = providerOf(slug)?.descriptor;
  if (environment === 'test' || descriptor?.test_only !== true) return;
  const message = `${descriptor.name} works only in test applications. Add a credential of the provider that hosts the zone.`;
  throw invalid([{ path: 'body.provider', code: 'test_only', message }]);
}

function ofApplication(application: ApplicationRow, row: CredentialRow | null): CredentialRow {
  if (row?.application_id !== application.id) throw notFound();
  return row;
}

const present = (row: CredentialRow, application: ApplicationRow) => ({
  id: row.id,
  application_id: row.application_id,
  environment: application.environment,
  provider: row.provider,
  label: row.label,
  hint: row.hint,
  zones: row.zones,
  status: row.status,
  reason: row.reason,
  last_verified_at: row.last_verified_at?.toISOString() ?? null,
  expires_at: row.expires_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});
