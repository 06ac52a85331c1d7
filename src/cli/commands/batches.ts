import { stringify } from 'csv-stringify/sync';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeBatch, type BatchEntry } from '../../api/batches.ts';
import { connectableHostname } from '../../api/hostnames.ts';
import { ownHosts } from '../../api/own-hosts.ts';
import type { ApplicationRow } from '../../db/tenant/applications.ts';
import { getBatch, listBatchRows, type BatchRow, type BatchRowDetail } from '../../db/connection/batches.ts';
import type { Pool } from '../../db/pool.ts';
import { BATCH_LIMIT, presentBatch } from '../../domain/connection/batch.ts';
import { challengeName } from '../../domain/connection/challenge.ts';
import { applicationIn, batchRequest, undialableIn } from '../batch-request.ts';
import { APPLICATION, idIn, required, type Command, type Output, type Values } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';
import { readHostnames } from '../hostnames-csv.ts';
import { progressLine, progressOf } from '../progress.ts';
import type { ServiceAccess } from '../service-access.ts';

const FOLLOW = {
  watch: { type: 'boolean', help: 'Wait until all connections have finished' },
  results: { type: 'string', value: 'FILE', help: 'Write one row for each row of the batch, as CSV' },
  spreadsheet: {
    type: 'boolean',
    help: "Put a ' before cells in --results that a spreadsheet would run as formulas",
  },
} as const;

const create: Command = {
  name: 'batch create',
  summary: 'Connects the hostnames in a CSV file',
  details:
    'The columns are hostname and, optionally, external_id. A header may give them in another order, and add the fields of a route: origin_url, host_header, metadata.NAME, redirect.to, redirect.status, redirect.keep_path, security_headers.hsts_max_age and maintenance.message.',
  examples: [
    'batch create --application 01a1e812-8b29-7612-a7a6-0ab24065ea05 --file names.csv --watch --results results.csv',
  ],
  options: {
    ...APPLICATION,
    file: { type: 'string', value: 'FILE', help: 'The CSV file' },
    'skip-invalid': { type: 'boolean', help: 'Connect the valid rows even if others cannot be' },
    ...FOLLOW,
  },
  requires: ['application', 'file'],
  async run(values, access) {
    const application = await applicationIn(values, access);
    const entries = await hostnamesIn(values, application, access);
    const request = { ...batchRequest(access.config, application), entries };
    const undialable = await undialableIn(
      access.config,
      entries.map((entry) => entry.given ?? {}),
    );
    const { batch } = await access.pool.transaction((tx) => makeBatch(tx, { ...request, undialable, now: new Date() }));
    return follow(access.pool, batch, values);
  },
};

const show: Command = {
  name: 'batch show',
  summary: 'Shows the progress of a batch and its failed rows',
  options: { batch: { type: 'string', value: 'ID', help: 'The batch' }, ...FOLLOW },
  examples: ['batch show --batch 01a1e812-8b29-7612-a7a6-0ab24065ea05 --results results.csv'],
  requires: ['batch'],
  async run(values, { pool }) {
    const batch = await getBatch(pool, idIn(values, 'batch'));
    if (batch === null) throw new CommandError(`There is no batch ${idIn(values, 'batch')}.`);
    return follow(pool, batch, values);
  },
};

export const batchCommands = [create, show];

async function hostnamesIn(
  values: Values,
  { environment }: ApplicationRow,
  { config }: ServiceAccess,
): Promise<BatchEntry[]> {
  const file = required(values, 'file');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  });
  const own = ownHosts(config.baseUrl, config.edge);
  const { rows, problems } = readHostnames(text, (name) => connectableHostname(name, file, environment, own));
  if (problems.length > 0 && values['skip-invalid'] !== true)
    throw new CommandError(
      [
        ...problems.map((problem) => `${file}: ${problem}`),
        'No hostname was connected. Fix the file, or use --skip-invalid.',
      ].join('\n'),
    );
  for (const problem of problems) process.stderr.write(`${file}: ${problem}\n`);
  if (rows.every(({ problem }) => problem))
    throw new CommandError(`${file} contains no hostname that can be connected.`);
  if (rows.length > BATCH_LIMIT)
    throw new UsageError(
      `${file} contains ${rows.length} hostnames, but a batch can have at most ${BATCH_LIMIT}. Split the file.`,
    );
  return rows;
}

const POLL_EVERY_MS = 1_000;

/** Shows the batch. With --watch, it waits until all connections have finished. Ending the command does not stop the batch. */
async function follow(pool: Pool, begun: BatchRow, values: Values): Promise<Output> {
  const line = progressLine(process.stderr);
  let batch = begun;
  if (values['watch'] === true) {
    line.show(progressOf(batch));
    while (batch.completed_at === null) {
      await sleep(POLL_EVERY_MS);
      batch = (await getBatch(pool, batch.id)) ?? batch;
      line.show(progressOf(batch));
    }
    line.end();
  }
  const rows = await listBatchRows(pool, batch.id, { which: 'all', page: { limit: null, after: null } });
  const file = values['results'];
  if (typeof file === 'string') await writeFile(file, csvOf(rows, { forSpreadsheet: values['spreadsheet'] === true }));
  const failures = rows.filter(({ problem, state }) => problem !== null || state === 'failed');
  return {
    json: { ...presentBatch(batch), rows: rows.map(shown) },
    lines: [
      `Batch ${batch.id}`,
      progressOf(batch),
      ...failures.map(
        ({ position, hostname, result, problem, error_code }) =>
          `row ${position}  ${hostname}  ${problem === null ? `failed (${error_code ?? 'no reason'})` : `${result}: ${problem.message}`}`,
      ),
    ],
  };
}

const shown = (row: BatchRowDetail) => ({
  row: row.position,
  hostname: row.hostname,
  external_id: row.external_id,
  result: row.result,
  connection_id: row.connection_id,
  state: row.state,
  error_code: row.error_code,
  problem: row.problem?.message ?? null,
  challenge_name: row.challenge_token === null ? null : challengeName(row.hostname),
  challenge_value: row.challenge_token,
});

/**
 * Customers choose hostnames and ids, which a spreadsheet could run as formulas. Programs need the values as they are: a
 * challenge may begin with a dash.
 */
const csvOf = (rows: readonly BatchRowDetail[], { forSpreadsheet }: { forSpreadsheet: boolean }): string =>
  stringify(rows.map(shown), { header: true, escape_formulas: forSpreadsheet });
