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

/** Addresses of this instance, for people, scripts and tests. */
export interface Addresses {
  base_url: string;
  internal_url: string;
  temporal_address: string;
  temporal_ui_url: string | null;
  edge_https_url: string | null;
  edge_ca_file: string | null;
}

/** Returns the saved demo tenant if the database still has its keys, or creates one. */
export async function demoTenant(pool: Pool, dataDir: string, plan: string): Promise<NewTenant> {
  const saved = Demo.safeParse(await readJson(join(dataDir, 'demo.json')));
  const known =
    saved.success && (await findKey(pool, saved.data.test.key)) && (await findKey(pool, saved.data.live.key));
  return known ? saved.data : createTenant(pool, 'Demo', plan);
}

export const writeDemo = (dataDir: string, addresses: Addresses, tenant: NewTenant): Promise<void> =>
  writePrivate(join(dataDir, 'demo.json'), { ...addresses, ...tenant });

/** Returns the text that `npm start` prints: addresses, keys, and commands to paste. */
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
    '  Connect a sandbox domain and watch it go live. Its webhooks are printed here:',
    '',
    `    curl -s ${addresses.base_url}/v1/connections -H 'Authorization: Bearer ${tenant.test.key}' -H 'Content-Type: application/json' -d '{"application_id":"${tenant.test.application_id}","hostname":"${name}"}'`,
    `    curl -s '${addresses.base_url}/v1/connections?hostname=${name}' -H 'Authorization: Bearer ${tenant.test.key}'`,
    ...(issuer === 'acme' ? [] : visitLines(addresses, name)),
    '',
    STOP_LINE,
    '',
  ].join('\n');
}

/** Returns the start text of a service that other machines can reach. It contains no keys, because output ends in logs. */
export function guardedStartBlock(addresses: Addresses, dataDir: string, filters: readonly UiLink[]): string {
  return [
    '',
    ...placeLines(addresses, filters),
    `  Internal     ${addresses.internal_url}`,
    `  Keys         in ${join(dataDir, 'demo.json')}, which only this account can read`,
    '',
    '  Other machines can reach this service, so it applies the production guards: see "Guards" in docs/operations.md.',
    STOP_LINE,
    '',
  ].join('\n');
}

const STOP_LINE = '  Ctrl-C stops everything. The next start continues with the same data.';

const placeLines = (addresses: Addresses, filters: readonly UiLink[]): string[] => [
  `  API          ${addresses.base_url}/v1`,
  `  API docs     ${addresses.base_url}/docs`,
  ...(addresses.temporal_ui_url === null ? [] : [`  Temporal UI  ${addresses.temporal_ui_url}`]),
  ...filters.map(({ title, url }) => `               ${title}: ${url}`),
  ...(addresses.edge_https_url === null ? [] : [`  Edge         ${addresses.edge_https_url}`]),
];

/** Returns a curl command that visits a sandbox hostname, with the edge's address and CA, which no client knows. */
function visitLines({ edge_https_url, edge_ca_file }: Addresses, name: string): string[] {
  if (edge_https_url === null) return [];
  const { hostname, port: given } = new URL(edge_https_url);
  const port = given || '443';
  const trust = edge_ca_file === null ? '' : ` --cacert '${edge_ca_file}'`;
  return [
    '',
    '  When it is live, visit it through the edge:',
    '',
    `    curl${trust} --connect-to ${name}:${port}:${hostname}:${port} https://${name}:${port}/`,
  ];
}
