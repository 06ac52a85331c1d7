import { planCutover } from '../../cutover/zone.ts';
import { getConnection, lockConnection } from '../../db/connection/connections.ts';
import type { ConnectionRow } from '../../db/connection/connection-row.ts';
import type { Tx } from '../../db/pool.ts';
import { coveringCredential, type CoveringCredential } from '../../db/zone/credentials.ts';
import {
  addCutover,
  cancelCutover,
  cutoverInProgress,
  newestCutover,
  type CutoverRow,
} from '../../db/zone/cutovers.ts';
import { isInProgress, isSamePlan, whyNoCutover, type CutoverPlan } from '../../domain/connection/cutover.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';
import { isSandboxName } from '../../domain/hostname.ts';
import { relativeHost } from '../../domain/record.ts';
import { providerOf } from '../../providers/registry.ts';
import { reach, refuseUnserved } from '../caller.ts';
import { asProviderAnswer } from '../provider-answer.ts';
import { route, waitingRoute } from '../route.ts';
import { Id } from '../schemas/common.ts';
import { Cutover, StartCutover } from '../schemas/cutovers.ts';

const PROVIDER_DEADLINE_MS = 25_000;
const PATH = '/connections/{id}/cutover';

const start = waitingRoute({
  method: 'post',
  path: PATH,
  summary: 'Move a running site here: probe it, replace its records, observe it, and restore the records if it fails',
  needs: ['connections:write'],
  params: Id,
  body: StartCutover,
  replies: { 200: Cutover, 202: Cutover },
  errors: ['not_found', 'invalid_state', 'provider_error'],
  async handle({ caller, params, body, deps, now, inTransaction }) {
    const asked = StartCutover.unwrap().parse(body ?? {});
    const { row, credential } = await inTransaction(async (tx) => {
      const reached = refuseUnserved(reach(caller, await getConnection(tx, params.id)));
      return { row: reached, credential: await credentialFor(tx, reached) };
    });
    refuseTtl(asked.lower_ttl, credential.provider);
    const signal = AbortSignal.timeout(PROVIDER_DEADLINE_MS);
    const planned = await asProviderAnswer(credential.provider, () =>
      planCutover(deps.providerAccess, credential, row, signal),
    );
    if ('problem' in planned) throw refused(planned.problem);
    const { plan } = planned;
    const { cutover, isOther } = await inTransaction(async (tx) => {
      const fresh = reach(caller, await lockConnection(tx, params.id));
      await credentialFor(tx, fresh);
      const isChanged = !asked.dry_run && differs(await newestCutover(tx, fresh.id), plan);
      const state = asked.dry_run || isChanged ? 'planned' : asked.lower_ttl === null ? 'probing' : 'waiting_for_ttl';
      const { probe = ANY_ANSWER, observe_for, lower_ttl } = asked;
      const identity = { tenant_id: fresh.tenant_id, connection_id: fresh.id, created_at: now };
      return { cutover: await addCutover(tx, { ...identity, state, plan: stored(plan), probe, observe_for, lower_ttl }), isOther: isChanged }; // prettier-ignore
    });
    if (isOther) throw refused(OTHER_PLAN, { plan: present(cutover).plan });
    return { status: asked.dry_run ? 200 : 202, body: present(cutover) };
  },
});

const read = route({
  method: 'get',
  path: PATH,
  summary: 'Get the newest cutover of a connection',
  needs: ['connections:read'],
  params: Id,
  replies: { 200: Cutover },
  errors: ['not_found'],
  async handle({ caller, params, tx }) {
    const row = reach(caller, await getConnection(tx, params.id));
    const cutover = await newestCutover(tx, row.id);
    if (cutover === null) throw notFound();
    return { status: 200, body: present(cutover) };
  },
});

const cancel = route({
  method: 'delete',
  path: PATH,
  summary: 'Cancel a cutover in progress, and restore the records that it has replaced',
  needs: ['connections:write'],
  params: Id,
  replies: { 202: Cutover },
  errors: ['not_found', 'invalid_state'],
  async handle({ caller, params, tx }) {
    const row = reach(caller, await lockConnection(tx, params.id));
    const cutover = await newestCutover(tx, row.id);
    if (cutover === null) throw notFound();
    const ending = isInProgress(cutover.state) ? await cancelCutover(tx, cutover, 'The cutover was cancelled.') : null;
    if (ending === null) throw refused(`The cutover is ${cutover.state}, so there is nothing to cancel.`);
    return { status: 202, body: present(ending) };
  },
});

export const cutoverRoutes = [start, read, cancel];

const ANY_ANSWER = { path: '/', expect_status: null, expect_text: null };
const OTHER_PLAN =
  'The records in the zone have changed since the dry run. Read the new plan, and repeat the call if you consent to it.';

const refused = (message: string, details?: object) =>
  new ServiceError('invalid_state', message, details === undefined ? {} : { details });

/** Returns the credential with which a connection can be cut over. Throws if it cannot be now. */
async function credentialFor(tx: Tx, row: ConnectionRow): Promise<CoveringCredential> {
  if ((await cutoverInProgress(tx, row.id)) !== null) throw refused('A cutover of this connection is in progress.');
  if (isSandboxName(row.hostname)) throw refused(`${row.hostname} is a sandbox hostname, which no resolver knows.`);
  const problem = whyNoCutover(row);
  if (problem !== null) throw refused(problem);
  const credential = await coveringCredential(tx, row.application_id, row.hostname);
  if (credential === null) throw refused(`No credential of the application covers ${row.hostname}.`);
  return credential;
}

function refuseTtl(lowerTtl: number | null, provider: string): void {
  const descriptor = providerOf(provider)?.descriptor;
  if (lowerTtl === null || descriptor?.limits.atomic === true) return;
  throw refused(
    `${descriptor?.name ?? provider} cannot change a TTL in one step. Start the cutover without lower_ttl.`,
  );
}

/** Whether a dry run showed another plan than the zone gives now. */
const differs = (newest: CutoverRow | null, plan: CutoverPlan): boolean =>
  newest?.state === 'planned' && !isSamePlan(newest.plan, plan);

const stored = ({ removes, adds, ...at }: CutoverPlan): CutoverRow['plan'] => ({ ...at, removes: [...removes], adds: [...adds] }); // prettier-ignore

const present = (row: CutoverRow) => {
  const { id, connection_id, state, plan, probe, observe_for, lower_ttl, probes, reason } = row;
  const named = <T extends { host: string }>(record: T) => ({
    ...record,
    relative_host: relativeHost(record.host, plan.zone),
  });
  return {
    id,
    connection_id,
    state,
    plan: { ...plan, removes: plan.removes.map(named), adds: plan.adds.map(named) },
    probe,
    observe_for,
    lower_ttl,
    probes,
    reason,
    created_at: row.created_at.toISOString(),
    moved_at: row.moved_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
  };
};
