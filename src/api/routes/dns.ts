import { getApplication } from '../../db/tenant/applications.ts';
import { coveringCredential } from '../../db/zone/credentials.ts';
import { getConnection } from '../../db/connection/connections.ts';
import type { ConnectionRow } from '../../db/connection/connection-row.ts';
import { challengeOf } from '../../db/observation/subject.ts';
import { touchConnection } from '../../db/connection/touches.ts';
import { writtenRecords, type EdgeTargets } from '../../domain/connection/edge-addresses.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Plan } from '../../domain/zone/plan.ts';
import { relativeHost, type DnsRecord } from '../../domain/record.ts';
import { openAccount } from '../../provisioning/account.ts';
import { planFor } from '../../provisioning/plan.ts';
import { removeWritten } from '../../provisioning/remove.ts';
import { findZone } from '../../provisioning/write.ts';
import type { Zone } from '../../providers/contract.ts';
import { refuseArchived, reach } from '../caller.ts';
import { asProviderAnswer } from '../provider-answer.ts';
import { waitingRoute } from '../route.ts';
import { Id } from '../schemas/common.ts';
import { DnsPlan, DnsReverted, RevertDns } from '../schemas/credentials.ts';

const PROVIDER_DEADLINE_MS = 25_000;

const plan = waitingRoute({
  method: 'post',
  path: '/connections/{id}/dns:plan',
  summary: 'Preview the changes that writing the records would make. Read-only.',
  needs: ['connections:write'],
  params: Id,
  replies: { 200: DnsPlan },
  errors: ['not_found', 'invalid_state', 'provider_error'],
  async handle({ caller, params, deps, inTransaction }) {
    const { row, credential, policy } = await inTransaction(async (tx) => {
      const reached = reach(caller, await getConnection(tx, params.id));
      const application = await getApplication(tx, reached.application_id);
      return {
        row: reached,
        credential: await coveringCredential(tx, reached.application_id, reached.hostname),
        policy: application?.conflict_policy ?? 'refuse',
      };
    });
    refuseArchived(row);
    if (credential === null)
      throw new ServiceError('invalid_state', `No credential of the application covers ${row.hostname}.`);
    const signal = AbortSignal.timeout(PROVIDER_DEADLINE_MS);
    return asProviderAnswer(credential.provider, async () => {
      const account = openAccount(deps.providerAccess, credential);
      const found = await findZone(deps.providerAccess, account, credential, row.hostname, signal);
      if ('problem' in found) throw new ServiceError('invalid_state', found.problem);
      const request = {
        zone: found.zone,
        row,
        desired: wantedOf(row, deps.edge),
        policy,
        purpose: 'connection',
      } as const;
      const made = await planFor(deps.providerAccess, account, request, signal);
      return { status: 200, body: present(made.plan, credential.provider, found.zone) };
    });
  },
});

const revert = waitingRoute({
  method: 'post',
  path: '/connections/{id}/dns:revert',
  summary: 'Remove all records that we wrote for a purpose, and restore the records that they replaced',
  needs: ['connections:write'],
  params: Id,
  body: RevertDns,
  replies: { 200: DnsReverted },
  errors: ['not_found', 'invalid_state', 'provider_error'],
  async handle({ caller, params, body, deps, now, inTransaction }) {
    const row = reach(caller, await inTransaction((tx) => getConnection(tx, params.id)));
    refuseArchived(row);
    const signal = AbortSignal.timeout(PROVIDER_DEADLINE_MS);
    const result = await removeWritten(deps.providerAccess, row.id, {
      now,
      signal,
      purpose: body?.purpose ?? 'connection',
    });
    // Triggers a check now, so that the connection shows the removal, even if some zones could not be cleaned.
    await inTransaction((tx) => touchConnection(tx, row, now));
    if (result.outcome !== 'removed') throw new ServiceError('provider_error', result.sentence);
    return { status: 200, body: { reverted: result.values > 0, values: result.values } };
  },
});

export const dnsRoutes = [plan, revert];

const wantedOf = (row: ConnectionRow, edge: EdgeTargets): DnsRecord[] => [
  challengeOf(row),
  ...writtenRecords(row.desired_records, edge),
];

function present(made: Plan, provider: string, zone: Zone) {
  const record = (one: Pick<DnsRecord, 'host' | 'value' | 'ttl' | 'priority'> & { type: string }) => ({
    host: one.host,
    relative_host: relativeHost(one.host, zone.name),
    type: one.type,
    value: one.value,
    ttl: one.ttl,
    priority: one.priority,
  });
  return {
    provider,
    zone: zone.name,
    creates: made.creates.map((written) => record(written.record)),
    keeps: made.keeps.map(record),
    conflicts: made.conflicts.map(({ wanted, found, reason }) => ({
      wanted: record(wanted),
      found: found.map(record),
      reason,
    })),
    removals: made.removals.map(record),
    restores: made.restores.map(record),
  };
}
