import { ApplicationFailure } from '@temporalio/common';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { isGrpcServiceError } from '@temporalio/client';
import { execFileSync } from 'node:child_process';
import { z } from 'zod';
import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { sql } from '../../src/db/pool.ts';
import type { State } from '../../src/domain/connection/connection.ts';
import type { Verdict } from '../../src/domain/observation/verdict.ts';
import { keepCredential, preflight } from '../../src/provisioning/credentials.ts';
import { connectionWorkflowId, webhookDeliveryWorkflowId } from '../../workflows/messages.ts';
import globalSetup from '../runner/global-setup.ts';
import { tearDown } from '../runner/global-teardown.ts';
import type { Lab } from '../support/fixtures/workflow-lab.ts';
import { startPowerDnsApi, type PowerDnsApi } from '../support/servers/powerdns-api.ts';
import { until } from '../support/until.ts';
import { WebhookLab } from '../support/fixtures/webhook-lab.ts';
import { RECORDED_VAULT_KEY, dumpTables, lastMigration, saveRelease, type ReleaseDump } from './release-dump.ts';

/**
 * Records a release, so that later versions can be tested on its data: connections in every state, the histories of
 * their workflows, a credential, records written through it, and webhook deliveries.
 *
 * Usage: `node test/upgrade/record-release.ts 0.1.0 [commit]`
 */
const [version, named = 'HEAD'] = process.argv.slice(2);
if (version === undefined) throw new Error('Name the release: node test/upgrade/record-release.ts 0.1.0');
const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
const commit = git('rev-parse', `${named}^{commit}`);
const changed = git('diff', '--name-only', commit, '--', 'src', 'workflows', 'activities', 'migrations');
if (changed !== '') throw new Error(`These files are not as commit ${commit} has them:\n${changed}`);

const Delivery = z.object({ event_type: z.string(), event_id: z.string(), endpoint_id: z.string() });

/** Zones for records that people set and for records written through the credential. */
const MANUAL_ZONE = 'example-customer.com';
const WRITTEN_ZONE = 'automatic-customer.com';
/** Returns the first label of a hostname, which names the final state: the scripted DNS and edge read it there. */
const endOf = (hostname: string): string => hostname.slice(0, hostname.indexOf('.'));
const labelOf = (state: State): string => state.replace('_', '-');

/** Scripts DNS, the edge and the setup step so that every connection ends in the state that its hostname names. */
async function script(lab: Lab): Promise<{ drift(): void; endCheck(): void }> {
  const check = Promise.withResolvers<Verdict>();
  let recordsOfDrifted: Verdict = 'match';
  lab.scenario.challenge = (_now, hostname) => {
    const end = endOf(hostname);
    if (end === 'verifying') return check.promise;
    return end === 'pending-ownership' || end === 'failed' ? 'mismatch' : 'match';
  };
  lab.scenario.records = (_now, hostname) => {
    const end = endOf(hostname);
    if (end === 'drifted') return recordsOfDrifted;
    return end === 'propagating' || end === 'stalled' ? 'mismatch' : 'match';
  };
  const issued = lab.scenario.certificate;
  lab.scenario.certificate = (now, hostname) =>
    endOf(hostname) === 'issuing-cert'
      ? { outcome: 'blocked', errorCode: 'caa_blocked', sentence: 'CAA.', findings: [], retryAfterMs: 60_000 }
      : issued(now, hostname);
  const { chooseSetup } = lab.activities;
  lab.activities.chooseSetup = async (id, now) => {
    if (endOf((await lab.row(id)).hostname) === 'verified')
      throw ApplicationFailure.retryable('Held for the recording.');
    return chooseSetup(id, now);
  };
  await lab.restartWorker(); // activities are registered when a worker starts
  return { drift: () => (recordsOfDrifted = 'mismatch'), endCheck: () => check.resolve('unknown') };
}

/** Brings a connection to each state, starting with states that need days. Returns all connections. */
async function fill(lab: Lab, dns: PowerDnsApi, drift: () => void): Promise<ConnectionRow[]> {
  const rows: ConnectionRow[] = [];
  const start = async (hostname: string): Promise<ConnectionRow> => {
    const row = await lab.create(hostname);
    rows.push(row);
    await lab.relay();
    return row;
  };
  const named = (state: State, zone = MANUAL_ZONE) => start(`${labelOf(state)}.${zone}`);
  await lab.skipUntil((await named('failed')).id, 'failed', '1 day', 20);
  const archived = await named('archived');
  await lab.untilState(archived.id, 'live');
  await lab.archive(archived.id);
  await lab.relay();
  await lab.handle(archived).result();
  const drifted = await named('drifted');
  await lab.untilState(drifted.id, 'live');
  await lab.skipUntil((await named('stalled')).id, 'stalled', '10 minutes', 20);
  drift();
  await lab.skipUntil(drifted.id, 'drifted', '20 minutes', 20);
  await lab.untilState((await start('sandbox.auto.test')).id, 'live');
  await lab.untilState((await named('live', WRITTEN_ZONE)).id, 'live');
  await dns.stop(); // so the next write fails
  for (const state of ['live', 'issuing_cert', 'propagating', 'verified', 'verifying', 'pending_ownership'] as const)
    await lab.untilState((await named(state)).id, state);
  await lab.untilState((await named('dns_writing', WRITTEN_ZONE)).id, 'dns_writing');
  return rows;
}

async function giveCredential({ lab }: WebhookLab, dns: PowerDnsApi): Promise<void> {
  const given = {
    tenantId: lab.tenant.tenant_id,
    applicationId: lab.tenant.test.application_id,
    provider: 'powerdns',
    credential: { api_url: dns.apiUrl, api_key: dns.apiKey },
    label: null,
  };
  const health = await preflight(lab.providerAccess, given);
  await lab.pool.transaction((tx) => keepCredential(lab.providerAccess, tx, given, health));
}

const NOT_FOUND = 5; // gRPC's status code
const isNotFound = (error: unknown): boolean => isGrpcServiceError(error) && error.code.valueOf() === NOT_FOUND;

/** Returns the histories of the connections' runs and of deliveries that have a run of their own. */
async function readHistories({ lab }: WebhookLab, rows: ConnectionRow[]): Promise<ReleaseDump['histories']> {
  const deliveries = await lab.pool.any(
    sql.type(Delivery)`SELECT event_type, event_id, endpoint_id FROM webhook_deliveries`,
  );
  const ids = [...rows.map(connectionWorkflowId), ...deliveries.map(webhookDeliveryWorkflowId)];
  const histories: ReleaseDump['histories'] = {};
  for (const id of ids)
    try {
      const history = await lab.temporal.client.workflow.getHandle(id).fetchHistory();
      histories[id] = JSON.parse(historyToJSON(history)) as { events: unknown[] };
    } catch (error) {
      if (!isNotFound(error)) throw error; // the delivery shares a run with others
    }
  return histories;
}

await globalSetup();
const dns = await startPowerDnsApi();
await dns.createZone(WRITTEN_ZONE);
const webhooks = await WebhookLab.open('time-skipping', { vaultKey: RECORDED_VAULT_KEY });
const { lab } = webhooks;
const { drift, endCheck } = await script(lab);
try {
  await giveCredential(webhooks, dns);
  await webhooks.endpoint({ tenant: lab.tenant });
  const refusing = await webhooks.endpoint({ tenant: lab.tenant, events: ['domain.flow.completed'] });
  refusing.receiver.answer = (response) => response.writeHead(500).end();
  const rows = await fill(lab, dns, drift);
  await lab.relay();
  await until(async () => (await webhooks.deliveriesTo(refusing.endpoint.id)).length > 0);
  const tables = await dumpTables(lab.databaseUrl);
  saveRelease({
    release: {
      version,
      commit,
      last_migration: lastMigration(),
      recorded_at: new Date(await lab.env.currentTimeMs()).toISOString(),
    },
    tables,
    histories: await readHistories(webhooks, rows),
  });
  for (const { id } of rows) {
    const { hostname, state } = await lab.row(id);
    process.stdout.write(`recorded ${hostname} ${state}\n`);
  }
} finally {
  endCheck();
  await webhooks.close();
  await tearDown();
}
