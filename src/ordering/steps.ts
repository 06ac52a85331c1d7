import { setTimeout as pause } from 'node:timers/promises';
import type { AcmeClient } from '../acme/client.ts';
import type { Authorization, Order } from '../acme/messages.ts';
import { AcmeError, AcmeUnreachable, detailOf, typeOf } from '../acme/problem.ts';
import { openKey } from '../certificates/keys.ts';
import {
  challengesOf,
  getOrder,
  saveChallenge,
  saveOrderUrl,
  type AcmeOrderRow,
} from '../db/certificate/acme-orders.ts';
import { ownAccount, reserveOwnOrder } from '../db/certificate/certificate-orders.ts';
import { getConnection } from '../db/connection/connections.ts';
import type { ConnectionRow } from '../db/connection/connection-row.ts';
import type { Pool } from '../db/pool.ts';
import { challengeHost } from '../domain/certificate/dns-validation.ts';
import { PROVED } from '../domain/connection/state-sets.ts';
import type { Observer } from '../domain/observation/observer.ts';
import { challengeText as judgeText } from '../domain/observation/verdict.ts';
import { NotYet, type At, type StepResult } from '../domain/step.ts';
import { writeToZone } from '../provisioning/write.ts';
import type { ProviderAccess } from '../provisioning/account.ts';
import type { Vault } from '../vault/vault.ts';
import { signingRequest } from '../x509/request.ts';
import type { AcmeAccounts } from './accounts.ts';
import { challengeText, type Delegation } from './delegation.ts';
import { refuseByCaa, type CaaSettings } from './caa.ts';
import { judged, OrderFailed, refusedBy, takenChallenge } from './failure.ts';
import { placeOf } from './place.ts';
import { saveFailed, saveIssued } from './results.ts';

export interface Ordering {
  pool: Pool;
  vault: Vault;
  providerAccess: ProviderAccess;
  accounts: AcmeAccounts;
  /** Directory of the CA at which new orders are placed; null if none is placed. */
  directory: string | null;
  observer: Pick<Observer, 'observeChallenge' | 'lookup' | 'caa'>;
  caa: CaaSettings;
  delegation: Delegation | null;
  /** Certificate profile of the CA, such as `shortlived`. */
  profile: string | undefined;
  registrableDomain(hostname: string): string;
}

/** The parts of an order in progress. */
interface InProgress extends At {
  order: AcmeOrderRow;
  row: ConnectionRow;
  client: AcmeClient;
}

type Step = (ordering: Ordering, at: InProgress) => Promise<void>;

/** Pause between two requests while the CA works. */
const POLL_MS = 1_000;
/** Longest time that one attempt of a step waits for the CA. */
const POLL_FOR_MS = 60_000;

/**
 * Runs a step of an order. Each step reads what the database and the CA already know, so it can be repeated after a
 * crash at any point. An order whose connection has lost its claim ends.
 */
export async function runStep(ordering: Ordering, id: string, step: Step, at: At): Promise<StepResult> {
  const order = await getOrder(ordering.pool, id);
  if (order === null || order.outcome !== null) return 'ended';
  const row = await getConnection(ordering.pool, order.connection_id);
  if (row === null || !PROVED.has(row.state)) return 'ended';
  try {
    const client = await ordering.accounts.clientOf(order.directory);
    await step(ordering, { order, row, client, ...at });
    return 'done';
  } catch (thrown) {
    const error = thrown instanceof AcmeError ? judged(row.hostname, thrown) : thrown;
    if (error instanceof AcmeUnreachable) throw new NotYet(error.message, 10_000);
    if (!(error instanceof OrderFailed)) throw error;
    await saveFailed(ordering.pool, order, row, error, at.now);
    return 'ended';
  }
}

/** Places the order, within the limits of the CA. */
export const place: Step = async (ordering, at) => {
  const { pool, profile, registrableDomain } = ordering;
  const { order, row, client, now, signal } = at;
  if (order.url !== null) return;
  await refuseByCaa(ordering, { hostname: row.hostname, directory: order.directory }, signal);
  const ledgerOrder = {
    hostname: row.hostname,
    registeredDomain: registrableDomain(row.hostname),
    account: ownAccount(order.directory),
    replaces: order.replaces !== null,
  };
  const reserved = await reserveOwnOrder(pool, order.id, ledgerOrder, now);
  if (reserved.outcome !== 'reserved')
    throw new NotYet('A limit of the certificate authority is used up.', Math.max(1_000, reserved.until - now));
  const wanted = { names: order.names, profile };
  const { url } = await client.order({ ...wanted, replaces: order.replaces ?? undefined }).catch((error: unknown) => {
    // An attempt that crashed has replaced it already, or the CA no longer knows it.
    if (order.replaces === null || !(error instanceof AcmeError) || !ABOUT_REPLACES.has(error.type)) throw error;
    return client.order(wanted);
  });
  await saveOrderUrl(pool, order.id, url);
};
const ABOUT_REPLACES: ReadonlySet<string> = new Set(['alreadyReplaced', 'conflict', 'malformed', 'unauthorized']);

/** Publishes the challenges of every name that the CA has not validated yet. */
export const publish: Step = async (ordering, at) => {
  const { pool, observer, delegation, providerAccess } = ordering;
  const { order, row, client, signal, now } = at;
  const lookup = observer.lookup(signal);
  for (const { identifier, challenges, status } of await authorizations(at)) {
    const token = challenges.find(({ type }) => type === 'dns-01')?.token;
    if (status !== 'pending' || token === undefined) continue;
    const host = challengeHost(identifier.value);
    const place = await placeOf({ db: pool, lookup, delegation }, row, host);
    if (place.kind === 'taken') throw takenChallenge(host, place.target);
    if (place.kind === 'none') throw new NotYet(`Waiting for the record ${host}.`);
    await saveChallenge(pool, order.id, { host, value: await client.dnsValue(token), published_at: place.name });
  }
  const wanted = await challengesOf(pool, order.id);
  const inZone = wanted.filter(({ host, published_at }) => published_at === host);
  for (const { host, value, published_at } of wanted)
    if (published_at !== null && published_at !== host) await delegation?.publish(published_at, value, signal);
  const [first] = inZone;
  if (first === undefined) return;
  const records = inZone.map(({ host, value }) => challengeText(host, value));
  const options = { purpose: 'certificate', policy: 'refuse', at: first.host, now: new Date(now), signal } as const;
  const written = await writeToZone(providerAccess, row, records, options);
  if (written.outcome === 'later') throw new NotYet(written.sentence, written.retryAfterMs);
  if (written.outcome === 'not_ours') throw new NotYet(`Waiting for a credential for ${first.host}.`);
  const [finding] = written.outcome === 'refused' ? written.findings : [];
  if (finding !== undefined) throw new OrderFailed(finding);
};

/** Waits until every authoritative server that answers, and at least one, returns the values: CAs ask any of them. */
export const awaitPublished: Step = async ({ pool, observer }, { order, signal }) => {
  for (const { host, value, published_at } of await challengesOf(pool, order.id)) {
    const challenge = { name: published_at ?? host, value };
    const seen = await observer.observeChallenge(challenge.name, challenge, signal);
    if (judgeText(seen, challenge).verdict !== 'match')
      throw new NotYet(`Not every name server returns the challenge ${challenge.name} yet.`);
  }
};

/** Asks the CA to validate, and waits for its verdict. */
export const validate: Step = async (_ordering, at) => {
  const { client, row } = at;
  for (const { status, challenges } of await authorizations(at)) {
    const challenge = challenges.find(({ type }) => type === 'dns-01');
    if (status === 'pending' && challenge?.status === 'pending') await client.answer(challenge.url);
  }
  await polled(at, async () => {
    const found = await authorizations(at);
    const failed = found.find(({ status }) => status !== 'pending' && status !== 'valid');
    const problem = failed?.challenges.find(({ error }) => error !== undefined)?.error;
    if (failed !== undefined)
      throw problem === undefined
        ? refusedBy(row.hostname, failed.status, 'The authorization is no longer valid.')
        : refusedBy(row.hostname, typeOf(problem), detailOf(problem));
    return found.every(({ status }) => status === 'valid');
  });
};

/** Sends the signing request, waits for the certificate, and saves it. */
export const finalize: Step = async (ordering, at) => {
  const { order, row, client } = at;
  const key = openKey(ordering.vault, order);
  const placed = await readOrder(at);
  if (placed.status === 'ready') await client.finalize(placed, await signingRequest(key, order.names));
  let certificateUrl: string | undefined;
  await polled(at, async () => {
    const { status, error, certificate } = await readOrder(at);
    if (status === 'invalid')
      throw refusedBy(row.hostname, error ? typeOf(error) : 'invalid', error ? detailOf(error) : 'The order failed.');
    certificateUrl = certificate;
    return status === 'valid' && certificate !== undefined;
  });
  const chain = await client.download(certificateUrl ?? '');
  await saveIssued(ordering, order, { chain, key }, at.now);
};

const readOrder = ({ order, client }: InProgress): Promise<Order> => client.readOrder(order.url ?? '');

async function authorizations(at: InProgress): Promise<Authorization[]> {
  const { authorizations: urls } = await readOrder(at);
  return Promise.all(urls.map((url) => at.client.readAuthorization(url)));
}

/** Repeats until it is done. A CA needs a few seconds; after a minute the step is repeated as a whole. */
async function polled({ signal }: At, isDone: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + POLL_FOR_MS;
  while (!(await isDone())) {
    if (performance.now() > until) throw new NotYet('The certificate authority is still working.');
    await pause(POLL_MS, undefined, { signal });
  }
}
