import { z } from 'zod';
import { listForOperator, lockConnection } from '../../db/connection/connections.ts';
import { presentDetail } from '../../api/present.ts';
import { getConnectionDetail, type ConnectionDetailRow } from '../../db/connection/connection-detail.ts';
import type { ConnectionRow } from '../../db/connection/connection-row.ts';
import { enqueue } from '../../db/outbox.ts';
import type { Tx } from '../../db/pool.ts';
import { STATES, type State } from '../../domain/connection/connection.ts';
import { presentConnection } from '../../domain/connection/connection-resource.ts';
import { archiveAndWait } from '../../api/archive.ts';
import { idIn, problemLines, type Command, type Values } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';

const ONE = {
  options: { connection: { type: 'string', value: 'ID', help: 'The connection' } },
  requires: ['connection'],
} as const;

const list: Command = {
  name: 'connection list',
  summary: 'Lists the newest 200 connections',
  options: {
    stuck: { type: 'boolean', help: 'Only connections whose next check is long overdue' },
    state: { type: 'string', value: 'STATE', help: 'Only connections in this state' },
  },
  requires: [],
  examples: ['connection list --stuck', 'connection list --state propagating'],
  async run(values, { pool }) {
    const state = values['state'] === undefined ? null : stateIn(values);
    const rows = await listForOperator(pool, { stuck: values['stuck'] === true, state });
    return {
      json: rows.map((row) => ({
        ...presentConnection(row),
        tenant_id: row.tenant_id,
        next_check_at: row.next_check_at,
      })),
      lines: rows.length === 0 ? ['No connections.'] : rows.map(lineOf),
    };
  },
};

const show: Command = {
  ...ONE,
  name: 'connection show',
  summary: 'Shows the state of a connection, its findings and its timeline',
  examples: ['connection show --connection 01a1e812-8b29-7612-a7a6-0ab24065ea05'],
  async run(values, { pool, config }) {
    const row = await getConnectionDetail(pool, idIn(values, 'connection'));
    if (row === null) throw new CommandError(`There is no connection ${idIn(values, 'connection')}.`);
    return { json: presentDetail(row, new Date(), config.edge), lines: describe(row) };
  },
};

const recheck: Command = {
  ...ONE,
  name: 'connection recheck',
  summary: 'Checks a connection now, and often for the next two minutes',
  examples: ['connection recheck --connection 01a1e812-8b29-7612-a7a6-0ab24065ea05'],
  run: (values, { pool }) =>
    pool.transaction(async (tx) => {
      const row = await locked(tx, values);
      if (row.state === 'archived') throw new CommandError(`${row.hostname} is archived and no longer checked.`);
      if (row.state === 'failed')
        throw new CommandError(`${row.hostname} has failed. Call POST /v1/connections/${row.id}/verify to resume it.`);
      await enqueue(tx, row, 'touch'); // not coalesced with other touches, because the operator waits for this check
      return { json: { id: row.id, touched: true }, lines: [`${row.hostname} is being checked now.`] };
    }),
};

const archive: Command = {
  ...ONE,
  name: 'connection archive',
  summary: 'Archives a connection: releases its hostname and removes our records',
  examples: ['connection archive --connection 01a1e812-8b29-7612-a7a6-0ab24065ea05'],
  async run(values, { pool }) {
    const row = await archiveAndWait(pool, idIn(values, 'connection'));
    if (row === null) throw new CommandError(`There is no connection ${idIn(values, 'connection')}.`);
    return {
      json: presentConnection(row),
      lines: [`${row.hostname} is archived. The records that we wrote are being removed.`],
    };
  },
};

export const connectionCommands = [list, show, recheck, archive];

function stateIn(values: Values): State {
  const state = z.enum(STATES).safeParse(values['state']);
  if (!state.success) throw new UsageError(`--state must be one of ${STATES.join(', ')}.`);
  return state.data;
}

async function locked(tx: Tx, values: Values): Promise<ConnectionRow> {
  const row = await lockConnection(tx, idIn(values, 'connection'));
  if (row === null) throw new CommandError(`There is no connection ${idIn(values, 'connection')}.`);
  return row;
}

const lineOf = (row: Pick<ConnectionRow, 'id' | 'state' | 'hostname' | 'error_code'>): string =>
  `${row.id}  ${row.state.padEnd(17)}  ${row.hostname}${row.error_code === null ? '' : `  (${row.error_code})`}`;

const describe = (row: ConnectionDetailRow): string[] => [
  lineOf(row),
  `Since ${row.phase_started_at?.toISOString() ?? 'its creation'}; last check ${row.last_checked_at?.toISOString() ?? 'never'}, next ${row.next_check_at?.toISOString() ?? 'none'}.`,
  `Provider ${row.provider ?? 'unknown'}, ${row.setup_type}; certificate ${row.certificate_status}.`,
  ...row.findings.flatMap(({ code, message, fix }) => problemLines(`${code}: ${message}`, fix)),
  ...row.timeline.map(
    ({ at, kind, from_state, to_state, reason }) =>
      `${at.toISOString()}  ${kind === 'move' ? `${from_state ?? ''} → ${to_state ?? ''}` : kind}${reason === null ? '' : `  ${reason}`}`,
  ),
];
