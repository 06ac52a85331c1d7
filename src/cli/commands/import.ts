import { connectableHostname } from '../../api/hostnames.ts';
import type { GivenRoute } from '../../api/schemas/own-routes.ts';
import { openVault } from '../../vault/vault.ts';
import { applicationIn, batchRequest, undialableIn } from '../batch-request.ts';
import { APPLICATION, required, type Command, type Output, type Values } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';
import { approximatedSource } from '../import/approximated.ts';
import { caddySource } from '../import/caddy.ts';
import { cloudflareSource } from '../import/cloudflare.ts';
import { csvSource } from '../import/csv.ts';
import { carryOut, planImport, type ImportJob } from '../import/importing.ts';
import { countsOf, exitCodeOf, skippedLines, summaryOf, writeReport, type ReportedRow } from '../import/report.ts';
import type { Findings, ImportSource } from '../import/source.ts';
import { progressLine } from '../progress.ts';
import type { ServiceAccess } from '../service-access.ts';
import type { Config } from '../../config.ts';
import { isTargetApproved } from '../../db/connection/cname-targets.ts';
import type { ApplicationRow } from '../../db/tenant/applications.ts';

const READERS: Readonly<Record<string, (file: string, normalize: ImportJob['normalize']) => ImportSource>> = {
  caddy: caddySource,
  cloudflare: cloudflareSource,
  approximated: approximatedSource,
  csv: csvSource,
};

const move: Command = {
  name: 'import',
  summary: "Connects the hostnames in another service's export, with the certificates in a Caddy storage",
  details:
    "FILE is a copy of a Caddy storage folder, the answers of Cloudflare's or Approximated's API as JSON, or CSV with the columns of batches. Shows a plan, then creates 500 rows at a time. Run it again after an interruption: rows that are here stay as they are. Exits with 0 if every row is here, 2 if some were skipped, and 1 if none is here.",
  options: {
    from: { type: 'string', value: Object.keys(READERS).join('|'), help: 'The service that exported FILE' },
    ...APPLICATION,
    'dry-run': { type: 'boolean', help: 'Only show the plan' },
    proof: { type: 'string', value: 'cname_target', help: 'Prove hostnames by their CNAME to --target' },
    target: { type: 'string', value: 'NAME', help: 'With --proof: an approved target of the tenant' },
    report: { type: 'string', value: 'FILE', help: 'Write each row with its outcome and reason, as CSV or .json' },
    spreadsheet: { type: 'boolean', help: "Put a ' before cells in --report that a spreadsheet would run as formulas" },
  },
  positional: 'FILE',
  examples: [
    'import --from caddy storage --application 01a1e812-8b29-7612-a7a6-0ab24065ea05 --dry-run',
    'import --from csv fleet.csv --application 01a1e812-8b29-7612-a7a6-0ab24065ea05 --report report.csv',
    'import --from caddy storage --application 01a1e812-8b29-7612-a7a6-0ab24065ea05 --proof cname_target --target sites.saas.com',
  ],
  requires: ['from', 'FILE', 'application'],
  async run(values, access) {
    const line = progressLine(process.stderr);
    const job = await jobOf(values, access, (text) => line.show(text));
    const plan = await planImport(job);
    line.end();
    for (const text of findingLines(plan.findings)) process.stderr.write(`${text}\n`);
    const isDryRun = values['dry-run'] === true;
    if (!isDryRun) process.stderr.write(`Plan for ${summaryOf(plan.rows)}\n`);
    const rows = isDryRun ? plan.rows : await carryOut(job, plan.rows);
    line.end();
    return outputOf(values, rows, plan.findings);
  },
};

export const importCommands = [move];

async function jobOf(values: Values, access: ServiceAccess, progress: ImportJob['progress']): Promise<ImportJob> {
  const { pool, config, credentialKeys } = access;
  const [from, file] = [required(values, 'from'), required(values, 'FILE')];
  const reader = Object.hasOwn(READERS, from) ? READERS[from] : undefined;
  if (reader === undefined) throw new UsageError(`--from must be one of ${Object.keys(READERS).join(', ')}.`);
  if (from === 'caddy' && credentialKeys === undefined)
    throw new CommandError('Set CREDENTIAL_KEYS, with which the private keys are encrypted.');
  const application = await applicationIn(values, access);
  // The export lists every hostname that is served, so no companion is added.
  const request = { ...batchRequest(config, { ...application, companion: false }), cnameProof: config.IMPORT_CNAME_PROOF === 'on' }; // prettier-ignore
  const normalize = (name: string) => connectableHostname(name, file, application.environment, request.ownHosts);
  return {
    pool,
    request,
    normalize,
    progress,
    source: reader(file, normalize),
    options: await proofIn(values, access, application),
    undialable: dialChecks(config),
    vault: credentialKeys === undefined ? null : openVault(credentialKeys),
  };
}

/** Returns the proof that the command chooses for every row. Without one, each hostname is proved by TXT. */
async function proofIn(
  values: Values,
  { pool, config }: ServiceAccess,
  { tenant_id }: ApplicationRow,
): Promise<ImportJob['options']> {
  const { proof, target } = values;
  if (proof === undefined && target === undefined) return {};
  if (proof !== 'cname_target' || typeof target !== 'string')
    throw new UsageError('Give both --proof cname_target and --target NAME, or neither.');
  if (config.IMPORT_CNAME_PROOF !== 'on')
    throw new CommandError('No CNAME proves a hostname here. Set IMPORT_CNAME_PROOF=on first.');
  if (!(await isTargetApproved(pool, tenant_id, target)))
    throw new CommandError(`${target} is not an approved target of the tenant. Run targets approve first.`);
  return { proof_target: target };
}

/** Checks each origin once, because a fleet has few of them and each check queries DNS. */
function dialChecks(config: Config): ImportJob['undialable'] {
  const [checked, refused] = [new Set<string>(), new Set<string>()];
  return async (given: readonly GivenRoute[]) => {
    const fresh = given.filter(({ origin_url: url }) => typeof url === 'string' && !checked.has(url));
    for (const url of await undialableIn(config, fresh)) refused.add(url);
    for (const { origin_url: url } of fresh) if (typeof url === 'string') checked.add(url);
    return refused;
  };
}

const findingLines = ({ warnings, ignored }: Findings): string[] => [
  ...warnings,
  ...ignored.list().map(({ field, rows }) => `Not taken over: the field ${JSON.stringify(field)}, in ${rows} rows.`),
];

async function outputOf(
  values: Values,
  rows: readonly ReportedRow[],
  { ignored, warnings }: Findings,
): Promise<Output> {
  const file = values['report'];
  if (typeof file === 'string') await writeReport(file, rows, { forSpreadsheet: values['spreadsheet'] === true });
  return {
    json: { total: rows.length, outcomes: countsOf(rows), ignored_fields: ignored.list(), warnings, rows },
    lines: [summaryOf(rows), ...skippedLines(rows)],
    exitCode: exitCodeOf(rows),
  };
}
