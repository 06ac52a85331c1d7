import { WorkflowNotFoundError } from '@temporalio/client';
import { presentDetail } from '../../api/present.ts';
import { getConnectionDetail, type ConnectionDetailRow } from '../../db/connection/connection-detail.ts';
import {
  admissionOfName,
  connectionsOfName,
  recentDeliveries,
  type AdmissionOfName,
  type RecentDelivery,
} from '../../db/connection/diagnosis.ts';
import { whyBlocked } from '../../db/edge/blocked.ts';
import { whileSuspended } from '../../domain/edge/admission.ts';
import { ENDED, PROVED } from '../../domain/connection/state-sets.ts';
import { wildcardAbove } from '../../domain/hostname.ts';
import { outlookOf } from '../../domain/connection/outlook.ts';
import { openTemporal, withDeadline } from '../../temporal/client.ts';
import { connectionWorkflowId } from '../../../workflows/messages.ts';
import { EXIT, hostnameIn, problemLines, type Command } from '../command.ts';
import type { ServiceAccess } from '../service-access.ts';

const diagnose: Command = {
  name: 'diagnose',
  summary: 'Shows what is wrong with a hostname, how to fix it and what happens next',
  options: {},
  examples: ['diagnose shop.customer.com'],
  requires: ['HOSTNAME'],
  positional: 'HOSTNAME',
  async run(values, access) {
    const hostname = hostnameIn(values, 'HOSTNAME');
    const found = await connectionsOfName(access.pool, hostname);
    if (found.length === 0) {
      const wildcard = wildcardAbove(hostname);
      const isCovered = (await admissionOfName(access.pool, wildcard)) !== null;
      const hint = `The wildcard ${wildcard} covers it. Run diagnose '${wildcard}'.`;
      return {
        json: { hostname, connections: [], covered_by: isCovered ? wildcard : null },
        lines: [`${hostname} has never been connected.`, ...(isCovered ? [hint] : [])],
        exitCode: EXIT.unknown,
      };
    }
    const admission = await admissionOfName(access.pool, hostname);
    const connections = [];
    for (const { id } of found) connections.push(await diagnosisOf(access, id, admission));
    const known = connections.filter((one) => one !== null);
    const isHealthy = known.some(({ healthy }) => healthy);
    return {
      json: {
        hostname,
        healthy: isHealthy,
        edge: shownAdmission(admission),
        connections: known.map(({ json }) => json),
      },
      lines: [edgeLine(hostname, admission), ...known.flatMap(({ lines }) => ['', ...lines])],
      exitCode: isHealthy ? 0 : EXIT.wrong,
    };
  },
};

export const diagnoseCommands = [diagnose];

async function diagnosisOf(access: ServiceAccess, id: string, admission: AdmissionOfName | null) {
  const { pool, config } = access;
  const row = await getConnectionDetail(pool, id);
  if (row === null) return null;
  const detail = presentDetail(row, new Date(), config.edge);
  const run = await runOf(access, row);
  const blockedReason = await whyBlocked(pool, row);
  const deliveries = await recentDeliveries(pool, id);
  const isHeldHere = admission?.connection_id === id && PROVED.has(row.state);
  const wrong = wrongWith(row, { run, blockedReason, deliveries, findings: detail.findings });
  const next = outlookOf(row);
  return {
    healthy: row.state === 'live' && wrong.length === 0,
    json: {
      ...detail,
      tenant_id: row.tenant_id,
      environment: row.environment,
      since: row.phase_started_at,
      holds_claim: row.serve && PROVED.has(row.state),
      credential: row.credential,
      workflow: run,
      deliveries,
      withheld: blockedReason,
      wrong,
      next,
    },
    lines: [
      `${row.hostname}: ${row.state} since ${row.phase_started_at?.toISOString() ?? row.created_at.toISOString()}${isHeldHere ? ', holds the hostname' : ''}`,
      `  connection ${id} of tenant ${row.tenant_id}, application ${row.application_id} (${row.environment})`,
      `  last check ${row.last_checked_at?.toISOString() ?? 'never'}; provider ${row.provider ?? 'unknown'}, setup ${row.setup_type}${row.credential === null ? '' : `, credential ${row.credential.status}`}`,
      `  certificate ${row.certificate_status}${row.certificate_not_after === null ? '' : ` until ${row.certificate_not_after.toISOString()}`}; workflow ${run}`,
      ...detail.records_to_add.map(({ type, host, value, status }) => `  ${status.padEnd(9)} ${type} ${host} ${value}`),
      ...deliveries.map((one) => `  webhook ${one.event_type}: ${one.status} after ${one.attempts} attempts`),
      ...wrong.flatMap(({ what, fix }) => problemLines(what, fix)),
      `> ${next}`,
    ],
  };
}

interface Wrong {
  what: string;
  fix: string | null;
}

interface Facts {
  run: string;
  blockedReason: string | null;
  deliveries: readonly RecentDelivery[];
  findings: readonly { severity: string; message: string; fix: string | null }[];
}

const LATE_MS = 10 * 60_000;

/** Returns the problems. Informational findings are not problems, and neither is a customer who still has time. */
function wrongWith(row: ConnectionDetailRow, { run, blockedReason, deliveries, findings }: Facts): Wrong[] {
  const wrong: Wrong[] = [];
  const add = (is: boolean, what: string, fix: string | null) => {
    if (is) wrong.push({ what, fix });
  };
  add(blockedReason !== null, blockedReason ?? '', 'Run tenant resume or hostname unblock to serve it again.');
  for (const { severity, message, fix } of findings) add(severity !== 'info', message, fix);
  const overdue = row.next_check_at !== null && Date.now() - row.next_check_at.getTime() > LATE_MS;
  const isWatched = !ENDED.has(row.state);
  add(isWatched && overdue, 'Its next check is overdue.', `Run connection recheck --connection ${row.id}.`);
  add(isWatched && run === 'none', 'No workflow is running for it.', 'Run reconcile --all.');
  add(
    row.cleanup === 'failed',
    'The records that we wrote could not be removed from its zone.',
    'See its timeline for the reason.',
  );
  const failed = deliveries.filter(({ status }) => status === 'failed').length;
  add(
    failed > 0,
    `${failed} of its last webhook deliveries failed permanently.`,
    'Run events resend ID to send an event again.',
  );
  return wrong;
}

const TEMPORAL_TIMEOUT_MS = 3_000;

/** Returns the status of the workflow: `running`, `ended (…)`, `none`, or why it is unknown. */
async function runOf(
  { addresses, env, config }: ServiceAccess,
  row: { id: string; hostname: string },
): Promise<string> {
  if (addresses.temporal_address === null) return 'not checked (TEMPORAL_ADDRESS is not set)';
  const temporal = openTemporal({ ...env, TEMPORAL_ADDRESS: addresses.temporal_address }, config.TEMPORAL_TASK_QUEUE);
  try {
    const handle = temporal.client.workflow.getHandle(connectionWorkflowId(row));
    const { status } = await withDeadline(temporal, TEMPORAL_TIMEOUT_MS, () => handle.describe());
    return status.name.toLowerCase() === 'running' ? 'running' : `ended (${status.name.toLowerCase()})`;
  } catch (error) {
    return error instanceof WorkflowNotFoundError ? 'none' : 'unknown (Temporal does not answer)';
  } finally {
    await temporal.connection.close();
  }
}

const shownAdmission = (admission: AdmissionOfName | null) =>
  admission && {
    standing: admission.suspended ? whileSuspended(admission.standing) : admission.standing,
    connection_id: admission.connection_id,
    origin_url: admission.origin_url,
    blocked: admission.blocked,
    suspended: admission.suspended,
  };

function edgeLine(hostname: string, admission: AdmissionOfName | null): string {
  const shown = shownAdmission(admission);
  if (shown === null) return `At the edge, ${hostname} is unknown, because ownership was never proved.`;
  const why = shown.suspended ? ' (tenant suspended)' : shown.blocked === null ? '' : ` (blocked: ${shown.blocked})`;
  return `At the edge, ${hostname} is ${shown.standing}${why}. Its origin is ${shown.origin_url ?? 'not set'}.`;
}
