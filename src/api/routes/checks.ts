import { getConnectionDetail } from '../../db/connection/connection-detail.ts';
import { findHolders } from '../../db/connection/connect-facts.ts';
import { getConnection } from '../../db/connection/connections.ts';
import type { ConnectionRow } from '../../db/connection/connection-row.ts';
import { recordMail } from '../../db/observation/mail.ts';
import { recordObservation } from '../../db/observation/observations.ts';
import { touchConnection } from '../../db/connection/touches.ts';
import { blockedAmong } from '../../db/edge/blocked.ts';
import { registrableDomain } from '../../dns/suffix.ts';
import { observeAllMail } from '../../domain/email/observe-mail.ts';
import type { RecordsCheck } from '../../domain/observation/check.ts';
import { challengeName } from '../../domain/connection/challenge.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { VerifyOutcome } from '../../domain/connection/snapshot.ts';
import { subjectOf } from '../../db/observation/subject.ts';
import { serverAnswers } from '../../domain/observation/server-answers.ts';
import { relativeHost } from '../../domain/record.ts';
import { verifyConnection } from '../../temporal/client.ts';
import { refuseArchived, reach } from '../caller.ts';
import type { ApiDeps } from '../deps.ts';
import { hostnameBlocked, hostnameConflict } from '../hostnames.ts';
import { presentDetail } from '../present.ts';
import { waitingRoute, type InTransaction } from '../route.ts';
import { Id } from '../schemas/common.ts';
import { ConnectionDetail } from '../schemas/connections.ts';
import { RecordsCheckAnswer } from '../schemas/checks.ts';

const VERIFY_DEADLINE_MS = 20_000;
const RETRY_AFTER_SECONDS = 5;
const CHECK_DEADLINE_MS = 10_000;

const verify = waitingRoute({
  method: 'post',
  path: '/connections/{id}/verify',
  summary: 'Check the ownership record now',
  needs: ['connections:write'],
  limit: { by: 'verify', key: ({ id }) => id },
  params: Id,
  replies: { 200: ConnectionDetail, 202: ConnectionDetail },
  errors: ['not_found', 'ownership_not_found', 'HostnameConflict', 'invalid_state', 'unavailable'],
  async handle({ caller, params, deps, now, inTransaction }) {
    const row = refuseArchived(reach(caller, await inTransaction((tx) => getConnection(tx, params.id))));
    const blocked = await inTransaction((tx) => blockedAmong(tx, [row.hostname]));
    if (blocked.has(row.hostname)) throw hostnameBlocked(row.hostname);
    const verified = await checkNow(deps, row);
    const shown = async () =>
      presentDetail(reach(caller, await inTransaction((tx) => getConnectionDetail(tx, row.id))), now, deps.edge);
    if (verified === 'running') return { status: 202, body: await shown(), retryAfterSeconds: RETRY_AFTER_SECONDS };
    const { outcome, ...seen } = verified;
    if (outcome === 'verified') return { status: 200, body: await shown() };
    if (outcome === 'conflict') {
      const [holder] = await inTransaction((tx) => findHolders(tx, [row.hostname], now));
      throw hostnameConflict(
        caller,
        row.hostname,
        holder?.own ?? null,
        `The TXT record is correct, but ${row.hostname} is already connected`,
      );
    }
    throw refusalOf(row, { outcome, ...seen });
  },
});

const check = waitingRoute({
  method: 'post',
  path: '/connections/{id}/records:check',
  summary: 'Check all records of a connection now',
  needs: ['connections:write'],
  widget: {},
  params: Id,
  replies: { 200: RecordsCheckAnswer },
  errors: ['not_found', 'invalid_state'],
  async handle({ caller, params, deps, now, inTransaction }) {
    const row = refuseArchived(reach(caller, await inTransaction((tx) => getConnection(tx, params.id))));
    const checked = await checkRecords(deps, row, now, inTransaction);
    const zone = registrableDomain(row.hostname);
    const records = checked.records.map(({ observed: _observed, ...record }) => ({
      ...record,
      relative_host: relativeHost(record.host, zone),
      servers: serverAnswers(checked.evidence, record),
    }));
    return { status: 200, body: { records } };
  },
});

/** Checks all wanted records and saves the result. The worker then also checks more often for a while. */
export async function checkRecords(
  deps: Pick<ApiDeps, 'checkerFor' | 'lookupFor'>,
  row: ConnectionRow,
  now: Date,
  inTransaction: InTransaction,
): Promise<RecordsCheck> {
  const signal = AbortSignal.timeout(CHECK_DEADLINE_MS);
  const domain = registrableDomain(row.hostname);
  const [checked, mail] = await Promise.all([
    deps.checkerFor(row).records(subjectOf(row), now.getTime(), signal),
    observeAllMail(domain, deps.lookupFor(domain, row.tenant_id, signal)),
  ]);
  await inTransaction(async (tx) => {
    await recordObservation(tx, row, 'records', checked, now);
    await recordMail(tx, row, mail, now);
    await touchConnection(tx, row, now);
  });
  return checked;
}

export const checkRoutes = [verify, check];

/** Asks the connection's workflow to check. If no worker accepts the request in time, the answer is a 503. */
async function checkNow({ temporal }: ApiDeps, row: ConnectionRow): Promise<VerifyOutcome | 'running'> {
  try {
    return await verifyConnection(temporal, row, VERIFY_DEADLINE_MS);
  } catch (error) {
    throw new ServiceError(
      'unavailable',
      'The check could not start in time. We keep checking in the background. Try again.',
      { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }
}

type Refused = VerifyOutcome & { outcome: Exclude<VerifyOutcome['outcome'], 'verified' | 'conflict'> };

function refusalOf(row: ConnectionRow, { outcome, observed, checkedAt }: Refused): ServiceError {
  if (outcome === 'archived') return new ServiceError('invalid_state', 'The connection is archived. Create a new one.');
  const name = challengeName(row.hostname);
  const sentence = {
    missing: `There is no TXT record at ${name} yet.`,
    mismatch: `The TXT record at ${name} has another value.`,
    unknown: `The name servers of ${row.hostname} did not answer.`,
  }[outcome];
  return new ServiceError('ownership_not_found', sentence, {
    details: { name, expected: row.challenge_token, outcome, observed, checked_at: checkedAt },
  });
}
