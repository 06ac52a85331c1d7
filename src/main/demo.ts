import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { findKey } from '../db/tenant/keys.ts';
import type { Pool } from '../db/pool.ts';
import { createTenant, type NewTenant } from '../db/tenant/tenants.ts';
import type { UiLink } from '../temporal/ui-links.ts';
import { readJson, writePrivate } from './local-keys.ts';

const Side = z.object({ application_id: z.uuid(), key: z.string() });
const Demo = z.object({ tenant_id: z.uuid(), test: Side, live: Side });

/** How to reach this instance, for people, scripts and tests. */
export interface Addresses {
  base_url: string;
  internal_url: string;
  temporal_address: string;
  temporal_ui_url: string | null;
  edge_https_url: string | null;
  edge_ca_file: string | null;
}

/** Made once, found again at every start, as long as the database knows its keys. */
export async function demoTenant(pool: Pool, dataDir: string, plan: string): Promise<NewTenant> {
  const kept = Demo.safeParse(await readJson(join(dataDir, 'demo.json')));
  const known = kept.success && (await findKey(pool, kept.data.test.key)) && (await findKey(pool, kept.data.live.key));
  return known ? kept.data : createTenant(pool, 'Demo', plan);
}

export const writeDemo = (dataDir: string, addresses: Addresses, tenant: NewTenant): Promise<void> =>
  writePrivate(join(dataDir, 'demo.json'), { ...addresses, ...tenant });

/** What a newcomer needs, ready to paste. */
export function startBlock(
  addresses: Addresses,
  tenant: NewTenant,
  issuer: Config['EDGE'],
  filters: readonly UiLink[],
): string {
  const name = `shop-${Math.random().toString(36).slice(2, 8)}.auto.test`;
  return [
    '',
    `  Demo         ${addresses.base_url}/demo`,
    ...placeLines(addresses, filters),
    `  Test         application ${tenant.test.application_id}`,
    `               key ${tenant.test.key}`,
    `  Live         application ${tenant.live.application_id}`,
    `               key ${tenant.live.key}`,
    '',
    '  Connect a sandbox domain, then watch it go live; its webhooks are received and printed here:',
    '',
    `    curl -s ${addresses.base_url}/v1/connections -H 'Authorization: Bearer ${tenant.test.key}' -H 'Content-Type: application/json' -d '{"application_id":"${tenant.test.application_id}","hostname":"${name}"}'`,
    `    curl -s '${addresses.base_url}/v1/connections?hostname=${name}' -H 'Authorization: Bearer ${tenant.test.key}'`,
    ...(issuer === 'acme' ? [] : visitLines(addresses, name)),
    '',
    STOP_LINE,
    '',
  ].join('\n');
}

/** For a service that other machines reach: output ends in logs, so no key and no demo are in it. */
export function guardedStartBlock(addresses: Addresses, dataDir: string, filters: readonly UiLink[]): string {
  return [
    '',
    ...placeLines(addresses, filters),
    `  Internal     ${addresses.internal_url}`,
    `  Keys         in ${join(dataDir, 'demo.json')}, which no other account can read`,
    '',
    '  Other machines can reach this service, so the guards of production apply: see "Guards" in docs/operations.md.',
    STOP_LINE,
    '',
  ].join('\n');
}

const STOP_LINE = '  Ctrl-C stops everything; the next start goes on where this one ended.';

const placeLines = (addresses: Addresses, filters: readonly UiLink[]): string[] => [
  `  API          ${addresses.base_url}/v1`,
  `  API docs     ${addresses.base_url}/docs`,
  ...(addresses.temporal_ui_url === null ? [] : [`  Temporal UI  ${addresses.temporal_ui_url}`]),
  ...filters.map(({ title, url }) => `               ${title}: ${url}`),
  ...(addresses.edge_https_url === null ? [] : [`  Edge         ${addresses.edge_https_url}`]),
];

/**
 * The sandbox's names exist in no DNS, and the edge's authority is in no browser: curl is told both. Where a public
 * authority issues there is nothing to visit, for it is never asked about them.
 */
function visitLines({ edge_https_url, edge_ca_file }: Addresses, name: string): string[] {
  if (edge_https_url === null) return [];
  const { hostname, port: given } = new URL(edge_https_url);
  const port = given || '443';
  const trust = edge_ca_file === null ? '' : ` --cacert '${edge_ca_file}'`;
  return [
    '',
    '  Once it is live, visit it over the edge:',
    '',
    `    curl${trust} --connect-to ${name}:${port}:${hostname}:${port} https://${name}:${port}/`,
  ];
}
