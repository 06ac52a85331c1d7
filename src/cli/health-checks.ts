import { listEdges } from '../db/edge/edges.ts';
import { isMigrated } from '../db/migrate.ts';
import { secretsByKey, serverHealth } from '../db/server-health.ts';
import { endpointSchema } from '../dns/endpoint.ts';
import { createResolver } from '../dns/resolver.ts';
import { openTemporal, withDeadline } from '../temporal/client.ts';
import { keyIdsOf } from '../vault/vault.ts';
import { searchAttributes } from '../../workflows/messages.ts';
import type { ServiceAccess } from './service-access.ts';

/** Result of one check. `fix` is null if nothing is wrong. */
export interface HealthCheck {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  fix: string | null;
}

type Found = Omit<HealthCheck, 'name'>;
const ok = (message: string): Found => ({ status: 'ok', message, fix: null });
const warn = (message: string, fix: string): Found => ({ status: 'warn', message, fix });
const fail = (message: string, fix: string): Found => ({ status: 'fail', message, fix });

const TIMEOUT_MS = 5_000;
/** Share of max_connections at which the check warns. */
const CLOSE_TO_FULL = 0.8;
const SKEW_WARN_MS = 2_000;
const SKEW_FAIL_MS = 30_000;
/** Time without a report after which an edge counts as cut off from the database. */
const SILENT_SECONDS = 5;

const CHECKS: readonly { name: string; run(access: ServiceAccess): Promise<Found[]> }[] = [
  { name: 'database', run: checkDatabase },
  { name: 'schema', run: checkSchema },
  { name: 'clock', run: checkClock },
  { name: 'temporal', run: checkTemporal },
  { name: 'edge', run: checkEdges },
  { name: 'ask', run: checkAsk },
  { name: 'dns', run: checkResolvers },
  { name: 'keys', run: checkKeys },
];

/** Runs all checks in sequence, so that they do not slow each other down. A check that throws has failed. */
export async function checkHealth(access: ServiceAccess): Promise<HealthCheck[]> {
  const found: HealthCheck[] = [];
  for (const { name, run } of CHECKS) {
    const results = await run(access).catch((error: unknown) => [fail(firstLine(error), 'See docs/runbooks.')]);
    found.push(...results.map((result) => ({ name, ...result })));
  }
  return found;
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';

async function checkDatabase({ pool }: ServiceAccess): Promise<Found[]> {
  const { version, connections, max_connections, size_bytes } = await serverHealth(pool);
  const used = `Postgres ${version}, ${Math.round(size_bytes / 1e6)} MB, ${connections} of ${max_connections} connections in use`;
  return [
    connections >= CLOSE_TO_FULL * max_connections
      ? warn(`${used}.`, 'Raise max_connections, lower DATABASE_POOL, or add a connection pooler.')
      : ok(`${used}.`),
  ];
}

async function checkSchema({ databaseUrl }: ServiceAccess): Promise<Found[]> {
  return [
    (await isMigrated(databaseUrl))
      ? ok('The schema is up to date.')
      : fail('Migrations of this version are missing.', 'Run the migrate command with MIGRATION_DATABASE_URL.'),
  ];
}

/** Tokens, signatures and certificates are checked by this machine's clock, so it must agree with the database's. */
async function checkClock({ pool }: ServiceAccess): Promise<Found[]> {
  const before = Date.now();
  const { now } = await serverHealth(pool);
  const after = Date.now();
  const skew = Math.max(0, before - now.getTime(), now.getTime() - after);
  const sentence = `This machine's clock and the database's are ${skew < 1_000 ? 'less than a second' : `${Math.round(skew / 1_000)} s`} apart.`;
  const fix = 'Synchronize both clocks with NTP.';
  return [skew > SKEW_FAIL_MS ? fail(sentence, fix) : skew > SKEW_WARN_MS ? warn(sentence, fix) : ok(sentence)];
}

async function checkTemporal({ addresses, env, config }: ServiceAccess): Promise<Found[]> {
  const address = addresses.temporal_address;
  if (address === null)
    return [warn('TEMPORAL_ADDRESS is not set, so Temporal was not checked.', 'Use the same setting as the worker.')];
  const temporal = openTemporal({ ...env, TEMPORAL_ADDRESS: address }, config.TEMPORAL_TASK_QUEUE);
  const { namespace, connection } = temporal;
  const inTime = <T>(call: () => Promise<T>) => withDeadline(temporal, TIMEOUT_MS, call);
  try {
    const { serverVersion } = await inTime(() => connection.workflowService.getSystemInfo({}));
    const reached = ok(`Temporal ${serverVersion} answers at ${address}.`);
    const known = await inTime(() => connection.workflowService.describeNamespace({ namespace })).then(() => true, () => false); // prettier-ignore
    if (!known) return [reached, fail(`There is no namespace ${namespace}.`, 'Create it, or set TEMPORAL_NAMESPACE.')];
    const { customAttributes } = await inTime(() => connection.operatorService.listSearchAttributes({ namespace }));
    const missing = Object.values(searchAttributes).filter(({ name }) => !(name in customAttributes));
    return [
      reached,
      missing.length === 0
        ? ok(`The namespace ${namespace} has every search attribute.`)
        : fail(
            `The namespace ${namespace} lacks the search attributes ${missing.map(({ name }) => name).join(', ')}.`,
            'A worker adds them when it starts, if it has the permission. Otherwise add them manually (docs/operations.md).',
          ),
    ];
  } catch (error) {
    const fix = 'New connections wait until Temporal answers. See docs/runbooks/temporal-is-lost.md.';
    return [fail(`Temporal does not answer at ${address}: ${firstLine(error)}.`, fix)];
  } finally {
    await connection.close();
  }
}

/** Checks that every edge is trusted, which means that the lease on its copy of the admissions is valid. */
async function checkEdges({ pool }: ServiceAccess): Promise<Found[]> {
  const edges = await listEdges(pool);
  if (edges.length === 0) return [warn('No edge has registered.', 'Run the agent next to each Caddy (docs/edge.md).')];
  return edges.map(({ name, is_trusted, silent_seconds }) =>
    is_trusted && silent_seconds < SILENT_SECONDS
      ? ok(`The edge ${name} is up to date.`)
      : fail(
          `The edge ${name} last reported ${Math.round(silent_seconds)} s ago.`,
          'See docs/runbooks/an-edge-is-cut-off.md.',
        ),
  );
}

/** Asks the ask endpoint about a hostname that cannot exist. A working service denies that hostname. */
async function checkAsk({ addresses, config }: ServiceAccess): Promise<Found[]> {
  const internal_url = config.EDGE_API_URL ?? addresses.internal_url;
  const url = `${internal_url}/internal/ask?domain=doctor.invalid`;
  const status = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).then((answer) => answer.status, () => null); // prettier-ignore
  if (status === 403 || status === 400) return [ok(`The ask endpoint answers at ${internal_url}.`)];
  const fix = "Set EDGE_API_URL to the API's internal listener, or check the API.";
  return [
    status === null
      ? warn(`The ask endpoint does not answer at ${internal_url}.`, fix)
      : fail(`The ask endpoint at ${internal_url} answers ${status}.`, fix),
  ];
}

async function checkResolvers({ config }: ServiceAccess): Promise<Found[]> {
  const resolver = createResolver();
  try {
    const found: Found[] = [];
    for (const address of config.DNS_RESOLVERS) {
      const question = { name: 'com', type: 'NS', recursion: true, checkingDisabled: false } as const;
      const reply = await resolver.ask(endpointSchema.parse(address), question, AbortSignal.timeout(TIMEOUT_MS));
      found.push(
        reply.ok
          ? ok(`The resolver ${address} answers.`)
          : fail(
              `The resolver ${address} does not answer (${reply.cause}).`,
              'Allow outgoing UDP and TCP on port 53, or change DNS_RESOLVERS.',
            ),
      );
    }
    return found;
  } finally {
    resolver.close();
  }
}

/**
 * Checks that CREDENTIAL_KEYS has every key with which a stored secret is encrypted. The command `credentials rewrap`
 * encrypts all secrets with the newest key.
 */
async function checkKeys({ pool, credentialKeys, config }: ServiceAccess): Promise<Found[]> {
  const found: Found[] = [];
  for (const setting of ['WIDGET_TOKEN_KEYS', 'CURSOR_KEY'] as const)
    if (config.NODE_ENV === 'production') found.push(ok(`${setting} has ${config[setting]?.length ?? 0} keys.`));
  if (credentialKeys === undefined)
    return [
      ...found,
      warn(
        'CREDENTIAL_KEYS is not set here, so the stored secrets were not checked.',
        'Use the same setting as the worker.',
      ),
    ];
  const keyIds = keyIdsOf(credentialKeys);
  const inUse = await secretsByKey(pool);
  for (const { key_id, secrets, since } of inUse) {
    const sentence = `The key ${key_id} encrypts ${secrets} secrets, the oldest since ${since.toISOString().slice(0, 10)}`;
    if (!keyIds.includes(key_id))
      found.push(
        fail(
          `${sentence}, and is not among CREDENTIAL_KEYS.`,
          'Add the key again after the newest one. Without it, these secrets must be entered again.',
        ),
      );
    else if (key_id !== keyIds[0])
      found.push(
        warn(`${sentence}, and is not the newest key.`, 'Run credentials rewrap. See docs/runbooks/a-key-must-go.md.'),
      );
    else found.push(ok(`${sentence}.`));
  }
  return inUse.length === 0
    ? [...found, ok(`CREDENTIAL_KEYS has ${keyIds.length} keys. No secrets are stored yet.`)]
    : found;
}
