import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { findKey } from '../db/tenant/keys.ts';
import type { Pool } from '../db/pool.ts';
import { createTenant, type NewTenant } from '../db/tenant/tenants.ts';
import { UI_SEARCHES } from '../temporal/ui-links.ts';
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

/** Returns the text that `npm start` prints: addresses, keys, and commands to paste. Lines fit 80 columns. */
export function startBlock(addresses: Addresses, tenant: NewTenant, config: Pick<Config, 'EDGE' | 'CONSOLE'>): string {
  const name = `shop-${Math.random().toString(36).slice(2, 8)}.auto.test`;
  const { base_url } = addresses;
  return [
    '',
    `  Demo         ${base_url}/demo`,
    ...(config.CONSOLE === 'on' ? [`  Console      ${base_url}/console`] : []),
    ...placeLines(addresses, searchLines(base_url)),
    `  Test         application ${tenant.test.application_id}`,
    `               key ${tenant.test.key}`,
    `  Live         application ${tenant.live.application_id}`,
    `               key ${tenant.live.key}`,
    '',
    '  Connect a sandbox domain and watch it go live. Its webhooks are printed here:',
    '',
    `    export KEY=${tenant.test.key}`,
    `    export APP=${tenant.test.application_id}`,
    `    curl -s ${base_url}/v1/connections \\`,
    `      -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\`,
    `      -d '{"application_id":"'$APP'","hostname":"${name}"}'`,
    '    curl -s -H "Authorization: Bearer $KEY" \\',
    `      '${base_url}/v1/connections?hostname=${name}'`,
    ...(config.EDGE === 'acme' ? [] : visitLines(addresses, name)),
    '',
    STOP_LINE,
    '',
  ].join('\n');
}

/** Returns the start text of a service that other machines can reach. It contains no keys, because output ends in logs. */
export function guardedStartBlock(addresses: Addresses, dataDir: string): string {
  return [
    '',
    ...placeLines(addresses, ['               `npm run -s cli -- status` links to stuck connections']),
    `  Internal     ${addresses.internal_url}`,
    `  Keys         in ${join(dataDir, 'demo.json')}, which only this account can read`,
    '',
    '  Other machines can reach this service, so it applies the production guards:',
    '  see "Guards" in docs/operations.md.',
    STOP_LINE,
    '',
  ].join('\n');
}

const STOP_LINE = '  Ctrl-C stops everything. The next start continues with the same data.';

/** Returns short links to searches in the Temporal UI. temporal-pages.ts redirects them. */
const searchLines = (baseUrl: string): string[] =>
  UI_SEARCHES.map(({ name, title }) => `               ${title.padEnd(17)}  ${baseUrl}/temporal/${name}`);

const placeLines = (addresses: Addresses, searches: readonly string[]): string[] => [
  `  API          ${addresses.base_url}/v1`,
  `  API docs     ${addresses.base_url}/docs`,
  ...(addresses.temporal_ui_url === null ? [] : [`  Temporal UI  ${addresses.temporal_ui_url}`, ...searches]),
  ...(addresses.edge_https_url === null ? [] : [`  Edge         ${addresses.edge_https_url}`]),
];

/** Returns a curl command that visits a sandbox hostname, with the edge's address and CA, which no client knows. */
function visitLines({ edge_https_url, edge_ca_file }: Addresses, name: string): string[] {
  if (edge_https_url === null) return [];
  const { hostname, port: given } = new URL(edge_https_url);
  const port = given || '443';
  return [
    '',
    '  When it is live, visit it through the edge:',
    '',
    `    curl --connect-to ${name}:${port}:${hostname}:${port} \\`,
    ...(edge_ca_file === null ? [] : [`      --cacert '${edge_ca_file}' \\`]),
    `      https://${name}:${port}/`,
  ];
}
