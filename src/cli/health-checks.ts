import { listEdges } from '../db/edge/edges.ts';
import { isMigrated } from '../db/migrate.ts';
import { secretsByKey, serverHealth } from '../db/server-health.ts';
import { endpointSchema } from '../dns/endpoint.ts';
import { createResolver } from '../dns/resolver.ts';
import { openTemporal, withDeadline } from '../temporal/client.ts';
import { keyIdsOf } from '../vault/vault.ts';
import { searchAttributes } from '../../workflows/messages.ts';
import type { ServiceAccess } from './service-access.ts';

/** What one check found: a sentence, and what to do where all is not well. */
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

const PATIENCE_MS = 5_000;
const CLOSE_TO_FULL = 0.8;
const SKEW_WARN_MS = 2_000;
const SKEW_FAIL_MS = 30_000;
const SILENT_SECONDS = 5;

const CHECKS: readonly { name: string; look(access: ServiceAccess): Promise<Found[]> }[] = [
  { name: 'database', look: checkDatabase },
  { name: 'schema', look: checkSchema },
  { name: 'clock', look: checkClock },
  { name: 'temporal', look: checkTemporal },
  { name: 'edge', look: checkEdges },
  { name: 'ask', look: checkAsk },
  { name: 'dns', look: checkResolvers },
  { name: 'keys', look: checkKeys },
];

/** One after the other, so that what is told of one is not the load of the others. A check that breaks has failed. */
export async function checkHealth(access: ServiceAccess): Promise<HealthCheck[]> {
  const found: HealthCheck[] = [];
  for (const { name, look } of CHECKS) {
    const results = await look(access).catch((error: unknown) => [
      fail(firstLine(error), 'See docs/runbooks for this part of the service.'),
    ]);
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
      ? warn(`${used}.`, 'Raise max_connections, lower DATABASE_POOL, or put a pooler between.')
      : ok(`${used}.`),
  ];
}

async function checkSchema({ databaseUrl }: ServiceAccess): Promise<Found[]> {
  return [
    (await isMigrated(databaseUrl))
      ? ok('The schema is that of this version or newer.')
      : fail('Migrations of this version are missing.', 'Run the migrate command with MIGRATION_DATABASE_URL.'),
  ];
}

/** Deadlines are Temporal's and the database's; a token, a signature and a certificate are judged by our own clock. */
async function checkClock({ pool }: ServiceAccess): Promise<Found[]> {
  const before = Date.now();
  const { now } = await serverHealth(pool);
  const after = Date.now();
  const skew = Math.max(0, before - now.getTime(), now.getTime() - after);
  const sentence = `This machine's clock and the database's are ${skew < 1_000 ? 'less than a second' : `${Math.round(skew / 1_000)} s`} apart.`;
  const fix = 'Keep both clocks by NTP.';
  return [skew > SKEW_FAIL_MS ? fail(sentence, fix) : skew > SKEW_WARN_MS ? warn(sentence, fix) : ok(sentence)];
}

async function checkTemporal({ addresses, env, config }: ServiceAccess): Promise<Found[]> {
  const address = addresses.temporal_address;
  if (address === null)
    return [warn('TEMPORAL_ADDRESS is not set, so nobody was asked.', 'Set it as the worker has it.')];
  const temporal = openTemporal({ ...env, TEMPORAL_ADDRESS: address }, config.TEMPORAL_TASK_QUEUE);
  const { namespace, connection } = temporal;
  const asked = <T>(call: () => Promise<T>) => withDeadline(temporal, PATIENCE_MS, call);
  try {
    const { serverVersion } = await asked(() => connection.workflowService.getSystemInfo({}));
    const reached = ok(`Temporal ${serverVersion} answers at ${address}.`);
    const known = await asked(() => connection.workflowService.describeNamespace({ namespace })).then(() => true, () => false); // prettier-ignore
    if (!known) return [reached, fail(`There is no namespace ${namespace}.`, 'Make it, or set TEMPORAL_NAMESPACE.')];
    const { customAttributes } = await asked(() => connection.operatorService.listSearchAttributes({ namespace }));
    const missing = Object.values(searchAttributes).filter(({ name }) => !(name in customAttributes));
    return [
      reached,
      missing.length === 0
        ? ok(`The namespace ${namespace} has every search attribute.`)
        : fail(
            `The namespace ${namespace} lacks the search attributes ${missing.map(({ name }) => name).join(', ')}.`,
            'A worker adds them at its start where it may; else add them by hand (docs/operations.md).',
          ),
    ];
  } catch (error) {
    const fix = 'Connections are accepted and happen later; see docs/runbooks/temporal-is-lost.md.';
    return [fail(`Temporal does not answer at ${address}: ${firstLine(error)}.`, fix)];
  } finally {
    await connection.close();
  }
}

async function checkEdges({ pool }: ServiceAccess): Promise<Found[]> {
  const edges = await listEdges(pool);
  if (edges.length === 0) return [warn('No edge has registered.', 'Run the agent beside each Caddy (docs/edge.md).')];
  return edges.map(({ name, is_trusted, silent_seconds }) =>
    is_trusted && silent_seconds < SILENT_SECONDS
      ? ok(`The edge ${name} is up to date.`)
      : fail(
          `The edge ${name} was last heard of ${Math.round(silent_seconds)} s ago.`,
          'docs/runbooks/an-edge-is-cut-off.md',
        ),
  );
}

/** A name that nobody can have is denied by a service that works. */
async function checkAsk({ addresses, config }: ServiceAccess): Promise<Found[]> {
  const internal_url = config.EDGE_API_URL ?? addresses.internal_url;
  const url = `${internal_url}/internal/ask?domain=doctor.invalid`;
  const status = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).then((answer) => answer.status, () => null); // prettier-ignore
  if (status === 403 || status === 400) return [ok(`Ask answers at ${internal_url}.`)];
  const fix = "Set EDGE_API_URL to the API's internal listener, or look at the API.";
  return [
    status === null
      ? warn(`Nobody answers at ${internal_url}.`, fix)
      : fail(`Ask answers ${status} at ${internal_url}: it cannot tell.`, fix),
  ];
}

async function checkResolvers({ config }: ServiceAccess): Promise<Found[]> {
  const resolver = createResolver();
  try {
    const found: Found[] = [];
    for (const address of config.DNS_RESOLVERS) {
      const question = { name: 'com', type: 'NS', recursion: true, checkingDisabled: false } as const;
      const reply = await resolver.ask(endpointSchema.parse(address), question, AbortSignal.timeout(PATIENCE_MS));
      found.push(
        reply.ok
          ? ok(`The resolver ${address} answers.`)
          : fail(
              `The resolver ${address} does not answer (${reply.cause}).`,
              'Let UDP and TCP port 53 out, or change DNS_RESOLVERS.',
            ),
      );
    }
    return found;
  } finally {
    resolver.close();
  }
}

async function checkKeys({ pool, credentialKeys, config }: ServiceAccess): Promise<Found[]> {
  const found: Found[] = [];
  for (const setting of ['WIDGET_TOKEN_KEYS', 'CURSOR_KEY'] as const)
    if (config.NODE_ENV === 'production') found.push(ok(`${setting} is set, ${config[setting]?.length ?? 0} keys.`));
  if (credentialKeys === undefined)
    return [
      ...found,
      warn('CREDENTIAL_KEYS is not set here, so it is not known which secrets open.', 'Set it as the worker has it.'),
    ];
  const kids = keyIdsOf(credentialKeys);
  const sealed = await secretsByKey(pool);
  for (const { key_id, secrets, since } of sealed) {
    const sentence = `The key ${key_id} seals ${secrets} secrets, the oldest since ${since.toISOString().slice(0, 10)}`;
    if (!kids.includes(key_id))
      found.push(
        fail(
          `${sentence}, and is not among CREDENTIAL_KEYS.`,
          'Add it again, behind the newest; else these must be given anew.',
        ),
      );
    else if (key_id !== kids[0])
      found.push(warn(`${sentence}, and is not the newest.`, 'credentials rewrap; docs/runbooks/a-key-must-go.md'));
    else found.push(ok(`${sentence}.`));
  }
  return sealed.length === 0 ? [...found, ok(`CREDENTIAL_KEYS has ${kids.length} keys and seals nothing yet.`)] : found;
}
