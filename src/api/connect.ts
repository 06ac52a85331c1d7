import type { ApplicationRow } from '../db/tenant/applications.ts';
import type { ConnectionRow } from '../db/connection/connection-row.ts';
import { createConnections, findHolders, findUnproved, type NewConnection } from '../db/connection/connections.ts';
import type { Tx } from '../db/pool.ts';
import { kindOf, publicSuffix, registrableDomain } from '../dns/suffix.ts';
import { companionName } from '../domain/hostname.ts';
import { invalid, ServiceError } from '../domain/errors.ts';
import type { Hostname } from '../domain/hostname.ts';
import { connectKindOf, granted, periodAt } from '../domain/billing/usage.ts';
import { planOfTenant } from '../db/billing/plans.ts';
import { blockedAmong } from '../db/edge/blocked.ts';
import { holdConnects, usedConnects } from '../db/billing/usage.ts';
import { desiredRecords, templateMisfit, type EdgeTargets } from '../domain/connection/template.ts';
import type { Caller } from './caller.ts';
import { hostnameBlocked } from './hostname-blocked.ts';
import { hostnameConflict } from './hostname-conflict.ts';

/** One name that is to be connected, by a request of its own or as a row of a batch. */
export interface Wish {
  caller: Caller;
  application: ApplicationRow;
  hostname: Hostname;
  /** Where the request says the name, for what is wrong with it. */
  path: string;
  external_id: string | null;
  batch_id: string | null;
  /** Whether the name beside it is wanted too, if it has one. */
  companion: boolean;
  /** Where this is that name: the connection beside which it stands. */
  companion_of?: string;
  edge: EdgeTargets;
  /** Where the tenant gets more than its plan allows. */
  upgradeUrl: string;
  now: Date;
}

export type Outcome = { result: 'created' | 'existing'; row: ConnectionRow } | { refusal: ServiceError };

/** Requests for one name may race; the second finds what the first made, as if it had come later. */
const ATTEMPTS = 3;

/**
 * For each wish, all of one application, what becomes of it. The companions of those that are wanted with one are made
 * beside them; a companion whose name is held by another connection is left out, because its main one works without.
 */
export async function connectAll(tx: Tx, wishes: readonly Wish[]): Promise<readonly Outcome[]> {
  const outcomes = await connectNames(tx, wishes);
  const companions = wishes.flatMap((wish, index) => {
    const outcome = outcomes[index];
    const name = wish.companion ? companionName(wish.hostname, registrableDomain(wish.hostname)) : null;
    if (name === null || outcome === undefined || 'refusal' in outcome || outcome.row.companion_of !== null) return [];
    return [{ ...wish, hostname: name as Hostname, companion: false, companion_of: outcome.row.id }];
  });
  await connectNames(tx, companions);
  return outcomes;
}

/**
 * For each wish, all of one application: the connection that it makes, or the one that waits for its proof already; a
 * name that is held is refused. Two wishes for the same name and customer are one connection.
 */
async function connectNames(tx: Tx, wishes: readonly Wish[]): Promise<readonly Outcome[]> {
  const outcomes = new Map<string, Outcome>();
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const open = new Map(wishes.filter((wish) => !outcomes.has(keyOf(wish))).map((wish) => [keyOf(wish), wish]));
    if (open.size === 0) break;
    for (const [key, outcome] of await tryAll(tx, open)) outcomes.set(key, outcome);
  }
  const answered = new Set<string>();
  return wishes.map((wish) => {
    const key = keyOf(wish);
    const outcome = outcomes.get(key) ?? { refusal: raced() };
    const isRepeated = answered.has(key);
    answered.add(key);
    return isRepeated && 'row' in outcome ? { ...outcome, result: 'existing' } : outcome;
  });
}

/** The same for one wish, whose refusal is the whole answer. */
export async function connect(tx: Tx, wish: Wish): Promise<Exclude<Outcome, { refusal: ServiceError }>> {
  const [outcome = { refusal: raced() }] = await connectAll(tx, [wish]);
  if ('refusal' in outcome) throw outcome.refusal;
  return outcome;
}

const raced = () =>
  new ServiceError('unavailable', 'Other requests are connecting the same name. Try again.', { retryAfterSeconds: 1 });

/** What makes two wishes for a connection of an application the same wish. */
const keyOf = ({ hostname, external_id }: { hostname: string; external_id: string | null }): string =>
  JSON.stringify([hostname, external_id]);

/** Each wish that another request did not come before, with its outcome. */
async function tryAll(tx: Tx, wishes: ReadonlyMap<string, Wish>): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  const open = () => [...wishes].filter(([key]) => !outcomes.has(key)).map(([, wish]) => wish);
  const [first] = open();
  if (first === undefined) return outcomes;
  const hostnames = new Set(open().map(({ hostname }) => hostname));
  const blocked = await blockedAmong(tx, [...hostnames]);
  for (const wish of open())
    if (blocked.has(wish.hostname)) outcomes.set(keyOf(wish), { refusal: hostnameBlocked(wish.hostname) });
  const held = new Map((await findHolders(tx, [...hostnames], first.now)).map(({ hostname, own }) => [hostname, own]));
  for (const wish of open()) {
    const own = held.get(wish.hostname);
    if (own !== undefined) outcomes.set(keyOf(wish), { refusal: hostnameConflict(wish.caller, wish.hostname, own) });
  }
  for (const row of await findUnproved(tx, first.application.id, open()))
    outcomes.set(keyOf(row), { result: 'existing', row });
  const wanted = open().flatMap((wish) => {
    const connection = newConnection(wish);
    if (connection instanceof ServiceError) outcomes.set(keyOf(wish), { refusal: connection });
    return connection instanceof ServiceError ? [] : [connection];
  });
  for (const [connection, refusal] of await beyondQuota(tx, first, wanted))
    outcomes.set(keyOf(connection), { refusal });
  const allowed = wanted.filter((connection) => !outcomes.has(keyOf(connection)));
  for (const row of await createConnections(tx, allowed, first.now))
    outcomes.set(keyOf(row), { result: 'created', row });
  return outcomes;
}

/**
 * Returns those that the tenant's plan does not allow this month, each with its refusal; the first ones are allowed first.
 * The count is held until the transaction ends, in which the connections are made and counted. Sandbox hostnames have no
 * limit.
 */
async function beyondQuota(
  tx: Tx,
  { application, now, upgradeUrl }: Wish,
  wanted: readonly NewConnection[],
): Promise<[NewConnection, ServiceError][]> {
  const counted = wanted.filter((connection) => connectKindOf(connection) !== null);
  if (counted.length === 0) return [];
  const { tenant_id } = application;
  const { id: plan, connects_per_period: limit } = await planOfTenant(tx, tenant_id);
  const known = await usedConnects(tx, tenant_id, now);
  // Where nothing is left, nobody has to wait for those that are just being made.
  const used = limit !== null && known >= limit ? known : await holdConnects(tx, tenant_id, now);
  const allowed = granted(counted.length, used, limit);
  const refusal = () =>
    new ServiceError('QuotaExceeded', `The plan ${plan} allows ${String(limit)} connects a month, and all are used.`, {
      details: { limit, used: used + allowed, plan, period_end: periodAt(now).end.toISOString() },
      fields: { upgrade_url: upgradeUrl },
    });
  return counted.slice(allowed).map((connection) => [connection, refusal()]);
}

function newConnection(wish: Wish): NewConnection | ServiceError {
  const { application, hostname, path, external_id, batch_id, edge } = wish;
  const kind = kindOf(hostname);
  const subject = { hostname, kind, domain: registrableDomain(hostname), suffix: publicSuffix(hostname) };
  const recordsOf = (connectionId: string) =>
    desiredRecords(application.record_template, { ...subject, connectionId }, edge);
  // Ids are all of one length, so what fits one connection fits every other of this hostname.
  const misfit = templateMisfit(recordsOf(application.id), subject);
  if (misfit !== null) return invalid([{ path, ...misfit }]);
  return {
    tenant_id: application.tenant_id,
    application_id: application.id,
    environment: application.environment,
    hostname,
    kind,
    external_id,
    batch_id,
    companion_of: wish.companion_of ?? null,
    desired_records: recordsOf,
  };
}
