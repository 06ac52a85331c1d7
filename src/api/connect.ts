import { isDeepStrictEqual } from 'node:util';
import type { ApplicationRow } from '../db/tenant/applications.ts';
import type { ConnectionRow } from '../db/connection/connection-row.ts';
import {
  findHolders,
  findSame,
  readConnectFacts,
  type ConnectFacts,
  type Wanted,
} from '../db/connection/connect-facts.ts';
import { findClaims } from '../db/connection/connections.ts';
import { createConnections, type NewConnection } from '../db/connection/create-connections.ts';
import type { Tx } from '../db/pool.ts';
import { hostnameParts, registrableDomain } from '../dns/suffix.ts';
import type { OwnRoute } from '../domain/edge/own-route.ts';
import { companionName } from '../domain/hostname.ts';
import { isWildcard } from '../domain/certificate/dns-validation.ts';
import { invalid, notFound, ServiceError } from '../domain/errors.ts';
import type { Hostname } from '../domain/hostname.ts';
import { connectKindOf, granted, periodAt } from '../domain/billing/usage.ts';
import { keepDelegationKey } from '../db/certificate/acme-accounts.ts';
import { writableAmong } from '../db/zone/credentials.ts';
import { holdConnects } from '../db/billing/usage.ts';
import { targetRecord } from '../domain/connection/cname-proof.ts';
import type { EdgeTargets } from '../domain/connection/edge-addresses.ts';
import type { Variables } from '../domain/connection/variables.ts';
import type { Caller } from './caller.ts';
import type { ApiDeps } from './deps.ts';
import { hostnameBlocked, hostnameConflict } from './hostnames.ts';
import { unprovable } from './cname-proof.ts';
import { recordsFor } from './wanted-records.ts';
import { wildcardNeedsDns, wildcardsWithoutDns } from './wildcards.ts';

/** Settings that all hostnames of a request share. */
export interface ConnectRequest {
  caller: Caller;
  application: ApplicationRow;
  batch_id: string | null;
  /** Whether to connect the companion too: www next to an apex, or the apex next to www. */
  companion: boolean;
  /** Whether the caller wants the certificate before the DNS moves. Undefined: as the application does. */
  before_dns?: boolean | undefined;
  point?: 'auto' | 'hold' | undefined;
  /** Delegated validation, if customers can delegate challenges to this service. */
  delegation: ApiDeps['delegation'];
  /** Whether a CNAME can prove hostnames that the operator imports (IMPORT_CNAME_PROOF). */
  cnameProof?: boolean;
  /** Addresses of the edge, for the records that customers add. */
  edge: EdgeTargets;
  /** Connects that earlier parts of a plan would use, which nothing has counted yet. */
  planned?: number;
  /** Facts that the transaction has read already. They decide the first attempt if they cover its hostnames. */
  known?: { facts: ConnectFacts; of: readonly Wanted[] };
  /** Page where the tenant can choose a larger plan. */
  upgradeUrl: string;
  now: Date;
}

export interface RequestedHostname {
  hostname: Hostname;
  /** Field of the request that holds the hostname, for error messages. */
  path: string;
  /** The tenant's own id of its customer. */
  external_id: string | null;
  route: OwnRoute | null;
  serve: boolean;
  variables: Variables;
  /**
   * The target whose CNAME proves the hostname. Only the operator's import may set it: no field of a request does. Such a
   * hostname has no companion and needs no order before its DNS moves.
   */
  proof_target?: string;
  /** Id of the main connection, if this hostname is a companion. */
  companion_of?: string;
}

export type Outcome = { result: 'created' | 'existing'; row: ConnectionRow } | { refusal: ServiceError };

/** Requests for the same hostname can race. The loser tries again and then finds the winner's connection. */
const ATTEMPTS = 3;

/**
 * Connects hostnames to an application, with companions if wanted. A companion is skipped if another connection has the
 * claim to its hostname.
 */
export async function connectAll(
  tx: Tx,
  request: ConnectRequest,
  hostnames: readonly RequestedHostname[],
): Promise<readonly Outcome[]> {
  const outcomes = await connectHostnames(tx, request, hostnames);
  if (!request.companion) return outcomes;
  const companions = hostnames.flatMap((requested, index) => {
    const outcome = outcomes[index];
    const name = companionName(requested.hostname, registrableDomain(requested.hostname));
    const isImported = requested.proof_target !== undefined;
    if (name === null || isImported || !requested.serve || outcome === undefined || 'refusal' in outcome) return [];
    if (outcome.row.companion_of !== null) return [];
    return [{ ...requested, hostname: name as Hostname, route: null, companion_of: outcome.row.id }];
  });
  await connectHostnames(tx, request, companions);
  return outcomes;
}

/**
 * Creates a connection for each hostname, or returns the existing connection that waits for proof of ownership. A
 * hostname that another connection has claimed is refused.
 */
async function connectHostnames(
  tx: Tx,
  request: ConnectRequest,
  hostnames: readonly RequestedHostname[],
): Promise<readonly Outcome[]> {
  const outcomes = new Map<string, Outcome>();
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const undecided = new Map(hostnames.filter((one) => !outcomes.has(keyOf(one))).map((one) => [keyOf(one), one]));
    if (undecided.size === 0) break;
    const facts = attempt === 1 ? knownFacts(request, undecided) : null;
    for (const [key, outcome] of await tryAll(tx, request, undecided, facts)) outcomes.set(key, outcome);
  }
  const answered = new Set<string>();
  return hostnames.map((requested) => {
    const key = keyOf(requested);
    const outcome = outcomes.get(key) ?? { refusal: raced() };
    const isRepeated = answered.has(key);
    answered.add(key);
    return isRepeated && 'row' in outcome ? { ...outcome, result: 'existing' } : outcome;
  });
}

/** Connects one hostname, and throws if it is refused. */
export async function connect(
  tx: Tx,
  request: ConnectRequest,
  hostname: RequestedHostname,
): Promise<Exclude<Outcome, { refusal: ServiceError }>> {
  const [outcome = { refusal: raced() }] = await connectAll(tx, request, [hostname]);
  if ('refusal' in outcome) throw outcome.refusal;
  return outcome;
}

/** Returns the refusal for a hostname that lost the race in every attempt. */
const raced = () =>
  new ServiceError('unavailable', 'Other requests are connecting the same hostname. Try again.', {
    retryAfterSeconds: 1,
  });

/** Identifies a connection within its application. */
const keyOf = ({ hostname, external_id, serve }: Wanted): string => JSON.stringify([hostname, external_id, serve]);

/** Returns the facts that were read before, if they cover all of these hostnames. */
function knownFacts({ known }: ConnectRequest, hostnames: ReadonlyMap<string, unknown>): ConnectFacts | null {
  const covered = new Set(known?.of.map(keyOf));
  return known !== undefined && [...hostnames.keys()].every((key) => covered.has(key)) ? known.facts : null;
}

/** Returns an outcome for every hostname, except where a concurrent request created the connection first. */
async function tryAll(
  tx: Tx,
  request: ConnectRequest,
  hostnames: ReadonlyMap<string, RequestedHostname>,
  known: ConnectFacts | null,
): Promise<Map<string, Outcome>> {
  const { caller, application, now } = request;
  const facts = known ?? (await readConnectFacts(tx, application.id, [...hostnames.values()], now));
  if (facts === null) throw notFound();
  const outcomes = new Map<string, Outcome>();
  // An operator's login reads the connections of every tenant.
  const ofTenant = (own: ConnectionRow | null) => (own?.tenant_id === application.tenant_id ? own : null);
  const undecided = () => [...hostnames].filter(([key]) => !outcomes.has(key)).map(([, requested]) => requested);
  const names = [...new Set(undecided().map(({ hostname }) => hostname))];
  for (const requested of undecided())
    if (facts.blocked.has(requested.hostname))
      outcomes.set(keyOf(requested), { refusal: hostnameBlocked(requested.hostname) });
  const proving = { tenantId: application.tenant_id, isOn: request.cnameProof === true };
  for (const { requested, refusal } of await unprovable(tx, proving, undecided()))
    outcomes.set(keyOf(requested), { refusal });
  const holders = await findHolders(tx, facts.held, now);
  const claimed = new Map(holders.map(({ hostname, own }) => [hostname, ofTenant(own)]));
  // A CNAME takes no claim from others, so every claim refuses it.
  const imported = undecided().flatMap(({ hostname, proof_target }) => (proof_target === undefined ? [] : [hostname]));
  for (const row of await findClaims(tx, imported)) claimed.set(row.hostname, ofTenant(row));
  for (const requested of undecided().filter(({ serve }) => serve)) {
    // Undefined without a claim; null if a connection of another tenant has the claim.
    const own = claimed.get(requested.hostname);
    if (own !== undefined)
      outcomes.set(keyOf(requested), { refusal: hostnameConflict(caller, requested.hostname, own) });
  }
  for (const row of facts.has_same ? await findSame(tx, application.id, undecided()) : [])
    outcomes.set(keyOf(row), sameOr409(row, hostnames.get(keyOf(row))));
  const withoutDns = await wildcardsWithoutDns(tx, application, names, request.delegation !== null);
  for (const requested of undecided())
    if (requested.serve && withoutDns.has(requested.hostname))
      outcomes.set(keyOf(requested), { refusal: wildcardNeedsDns(requested.hostname, requested.path) });
  const writable = await writableFor(tx, request, names);
  const wanted = undecided().flatMap((requested) => {
    const connection = newConnection(request, requested, writable);
    if (connection instanceof ServiceError) outcomes.set(keyOf(requested), { refusal: connection });
    return connection instanceof ServiceError ? [] : [connection];
  });
  for (const [connection, refusal] of await beyondQuota(tx, request, facts, wanted))
    outcomes.set(keyOf(connection), { refusal });
  const allowed = wanted.filter((connection) => !outcomes.has(keyOf(connection)));
  // Customers are about to see names that the key makes, so it must never change.
  if (request.delegation !== null && allowed.some(({ delegated_to }) => delegated_to !== null))
    await keepDelegationKey(tx, request.delegation.fingerprint);
  for (const row of await createConnections(tx, allowed, now)) outcomes.set(keyOf(row), { result: 'created', row });
  return outcomes;
}

/** A repeated request continues a connection, unless it wants other variables, which PATCH changes. */
function sameOr409(row: ConnectionRow, requested: RequestedHostname | undefined): Outcome {
  if (requested?.proof_target !== undefined && requested.proof_target !== row.proof_target) {
    const reason = `Connection ${row.id} of ${row.hostname} waits for another proof. Archive it before the import.`;
    return { refusal: invalid([{ path: requested.path, code: 'other_proof', message: reason }]) };
  }
  if (requested === undefined || isDeepStrictEqual(row.variables, { ...requested.variables }))
    return { result: 'existing', row };
  const message = `${row.hostname} is connected with other variables. Change them with PATCH /v1/connections/${row.id}.`;
  return { refusal: new ServiceError('invalid_state', message, { details: { connection_id: row.id } }) };
}

/**
 * Returns the connections that exceed the plan's limit of connects (created connections) a month, each with its
 * refusal. The tenant's counter stays locked until commit. Sandbox hostnames have no limit.
 */
async function beyondQuota(
  tx: Tx,
  { application, now, upgradeUrl, planned = 0 }: ConnectRequest,
  { plan: { id: plan, connects_per_period: limit }, used: committed }: ConnectFacts,
  wanted: readonly NewConnection[],
): Promise<[NewConnection, ServiceError][]> {
  const counted = wanted.filter((connection) => connectKindOf(connection) !== null);
  if (counted.length === 0) return [];
  const { tenant_id } = application;
  const known = planned + committed;
  // If the quota is already used up, there is no need to wait for the lock on the counter.
  const used = limit !== null && known >= limit ? known : planned + (await holdConnects(tx, tenant_id, now));
  const allowed = granted(counted.length, used, limit);
  const refusal = () =>
    new ServiceError('QuotaExceeded', `The plan ${plan} allows ${String(limit)} connects a month, and all are used.`, {
      details: { limit, used: used + allowed, plan, period_end: periodAt(now).end.toISOString() },
      extraFields: { upgrade_url: upgradeUrl },
    });
  return counted.slice(allowed).map((connection) => [connection, refusal()]);
}

/** Returns the hostnames that a credential can write, if the request depends on it. */
const writableFor = (tx: Tx, { application, before_dns, point }: ConnectRequest, names: readonly string[]) =>
  before_dns === true || point !== undefined || application.before_dns || names.some(isWildcard)
    ? writableAmong(tx, application.id, names)
    : new Set<string>();

/** Returns when the certificate is ordered and the records are written, or the problem of the request. */
export function timingOf(
  {
    application,
    before_dns: wanted,
    point,
    delegation,
  }: Pick<ConnectRequest, 'application' | 'before_dns' | 'point' | 'delegation'>,
  { hostname, isWritable }: { hostname: string; isWritable: boolean },
): Pick<NewConnection, 'before_dns' | 'point' | 'delegated_to'> | ServiceError {
  const isPossible = isWritable || delegation !== null;
  if (wanted === true && !isPossible)
    return invalid([
      {
        path: 'body.before_dns',
        code: 'before_dns_needs_dns',
        message:
          'body.before_dns: no credential covers the zone of the hostname, and this service has no delegation zone.',
      },
    ]);
  const before_dns = isPossible && (wanted ?? application.before_dns);
  if (point === 'hold' && !(before_dns && isWritable))
    return invalid([
      { path: 'body.point', code: 'point_needs_dns', message: 'body.point: `hold` needs before_dns and a credential.' },
    ]);
  const isOrdered = before_dns || isWildcard(hostname);
  const delegated_to = isOrdered && !isWritable ? (delegation?.nameFor(hostname) ?? null) : null;
  return { before_dns, point: point ?? 'auto', delegated_to };
}

function newConnection(
  request: ConnectRequest,
  requested: RequestedHostname,
  writable: ReadonlySet<string>,
): NewConnection | ServiceError {
  const { application, batch_id, edge } = request;
  const { hostname, external_id, route, companion_of, serve, variables, proof_target } = requested;
  const isOrdered = serve && proof_target === undefined;
  const timing = isOrdered ? timingOf(request, { hostname, isWritable: writable.has(hostname) }) : NEVER_ORDERED;
  if (timing instanceof ServiceError) return timing;
  const records =
    proof_target === undefined
      ? recordsFor(application, requested, edge)
      : { of: () => [targetRecord(hostname, proof_target)] };
  if ('problems' in records) return invalid(records.problems);
  return {
    tenant_id: application.tenant_id,
    application_id: application.id,
    environment: application.environment,
    hostname,
    kind: hostnameParts(hostname).kind,
    external_id,
    batch_id,
    companion_of: companion_of ?? null,
    route,
    serve,
    variables,
    ...timing,
    proof_target: proof_target ?? null,
    desired_records: records.of,
  };
}

const NEVER_ORDERED = { before_dns: false, point: 'auto', delegated_to: null } as const;
