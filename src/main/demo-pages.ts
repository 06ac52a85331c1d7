import type { Router } from 'express';
import { lockApplication, updateApplication } from '../db/tenant/applications.ts';
import { listCredentials } from '../db/zone/credentials.ts';
import type { Pool } from '../db/pool.ts';
import type { NewTenant } from '../db/tenant/tenants.ts';
import { demo } from '../demo/demo.ts';
import { keepCredential, preflight } from '../provisioning/credentials.ts';
import type { WorkerGraph } from './worker-graph.ts';

/** A sandbox zone. The demo tenant gets a credential for it, so that newcomers can see automatic setup. */
const MANAGED_ZONE = 'managed.test';

export async function demoPages(graph: WorkerGraph, { tenant_id, test }: NewTenant): Promise<Router> {
  await allowOrigins(graph.pool, test.application_id, graph.config.baseUrl);
  await addCredential(graph, tenant_id, test.application_id);
  const { baseUrl, CONSOLE } = graph.config;
  return demo({ baseUrl, applicationId: test.application_id, apiKey: test.key, hasConsole: CONSOLE === 'on' });
}

/** Allows the page's origin with `localhost` and with `127.0.0.1`, because people open both. */
async function allowOrigins(pool: Pool, applicationId: string, baseUrl: string): Promise<void> {
  const { origin } = new URL(baseUrl);
  const origins = [origin, origin.replace('//127.0.0.1', '//localhost'), origin.replace('//localhost', '//127.0.0.1')];
  await pool.transaction(async (tx) => {
    const row = await lockApplication(tx, applicationId);
    if (row === null) return;
    const allowed_origins = [...new Set([...row.allowed_origins, ...origins])];
    if (allowed_origins.length > row.allowed_origins.length) await updateApplication(tx, row, { allowed_origins });
  });
}

async function addCredential(
  { pool, providerAccess }: WorkerGraph,
  tenantId: string,
  applicationId: string,
): Promise<void> {
  const known = await listCredentials(pool, applicationId, { limit: null, after: null });
  if (known.some(({ zones }) => zones.includes(MANAGED_ZONE))) return;
  const given = { tenantId, provider: 'sandbox', credential: { zone: MANAGED_ZONE } };
  const health = await preflight(providerAccess, given);
  await keepCredential(providerAccess, pool, { ...given, applicationId, label: 'Demo' }, health);
}
