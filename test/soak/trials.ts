import { z } from 'zod';
import { recountUsage } from '../../src/db/billing/usage.ts';
import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { sql } from '../../src/db/pool.ts';
import { periodAt } from '../../src/domain/billing/usage.ts';
import { connectionWorkflowId } from '../../workflows/messages.ts';
import { expect } from '../containers/report.ts';
import { violations } from '../support/invariants.ts';
import { showDeletedRows } from './deleted-rows.ts';
import type { Fate } from './fates.ts';
import { overfullTables } from './growth.ts';
import { openRuns } from './open-runs.ts';
import type { Soak } from './soak.ts';

/** A run continues as new at a hundred events, and its last round adds some. */
const MOST_EVENTS = 120;
const MOST_BYTES = 200_000;

/** Checks at the end of a soak, by the guarantee. Each returns what it saw, or throws. */
export const TRIALS: Readonly<Record<string, (soak: Soak) => Promise<string>>> = {
  'every connection is where its life led it': everyConnectionIsWhereItsLifeLedIt,
  'no row is without a run, and no run without a row': runsMatchRows,
  'the reconciler found no run missing': (soak) => {
    expect(soak.restarted === 0, `${soak.restarted} restarted`);
    return Promise.resolve('none');
  },
  'sequences are gapless, and no move and no event is lost or doubled': async ({ database }) => {
    await showDeletedRows(database);
    const broken = await violations(database);
    await database.query('RESET search_path');
    expect(broken.length === 0, broken.slice(0, 5).join('; '));
    const { rows } = await database.query<{ n: number }>('SELECT count(*)::integer AS n FROM whole.events');
    return `${rows[0]!.n} events`;
  },
  'receivers got every event that they wanted': receiversGotEveryEvent,
  'zones hold our records for open connections only': (soak) => {
    for (const [i, { zone }] of soak.fates.tenants.entries()) {
      const wanted = openFates(soak).filter(({ tenant, setup }) => tenant === i && setup === 'automatic').length * 2;
      expect(soak.customers.written(zone) === wanted, `${zone}: ${soak.customers.written(zone)} instead of ${wanted}`);
    }
    return Promise.resolve(`${soak.fates.tenants.length} zones`);
  },
  'counters of usage equal their sources': async (soak) => {
    const differences = await recountUsage(soak.lab.pool, periodAt(await soak.time.now()));
    expect(differences.length === 0, JSON.stringify(differences.slice(0, 3)));
    return 'no difference';
  },
  'histories are bounded': ({ longest }) => {
    expect(longest.events > 0 && longest.events <= MOST_EVENTS && longest.bytes <= MOST_BYTES, JSON.stringify(longest));
    return Promise.resolve(`${longest.events} events, ${(longest.bytes / 1_000).toFixed(0)} kB at most`);
  },
  'tables are bounded per hostname': ({ years }) => {
    const overfull = years.flatMap(overfullTables);
    expect(years.length > 0 && overfull.length === 0, overfull.join('; '));
    return Promise.resolve(`${years.at(-1)!.tables.size} tables`);
  },
  'everything happened that the soak is about': whatHappened,
};

const openFates = ({ fates, deletedTenants, rows }: Soak): Fate[] =>
  fates.connections.filter(
    ({ hostname, tenant, archivedOn }) => rows.has(hostname) && !deletedTenants.has(tenant) && archivedOn === null,
  );

async function everyConnectionIsWhereItsLifeLedIt(soak: Soak): Promise<string> {
  const wrong: string[] = [];
  const counts: Record<string, number> = {};
  for (const fate of soak.fates.connections) {
    const row = await soak.lab.row(soak.rows.get(fate.hostname)!.id).catch(() => null);
    const state = row === null ? 'deleted' : row.state;
    const wanted = endOf(soak, fate);
    counts[state] = (counts[state] ?? 0) + 1;
    if (state !== wanted) wrong.push(`${fate.hostname} is ${state}, not ${wanted}`);
  }
  expect(wrong.length === 0, wrong.slice(0, 5).join('; '));
  return Object.entries(counts).map(([state, n]) => `${n} ${state}`).join(', '); // prettier-ignore
}

function endOf({ deletedTenants }: Soak, fate: Fate): string {
  if (deletedTenants.has(fate.tenant)) return 'deleted';
  if (fate.archivedOn !== null) return 'archived';
  return fate.isNeverProved ? 'failed' : 'live';
}

const Present = z.object({ id: z.uuid(), hostname: z.string(), state: z.string() });

async function runsMatchRows(soak: Soak): Promise<string> {
  const { pool } = soak.lab;
  const present = await pool.any(sql.type(Present)`SELECT id, hostname, state FROM connections`);
  const wanted = new Set(
    present.filter(({ state }) => state !== 'failed' && state !== 'archived').map(connectionWorkflowId),
  );
  const open = (await openRuns(soak.lab)).filter((id) => id.startsWith('connection/'));
  const missing = [...wanted].filter((id) => !open.includes(id));
  const extra = open.filter((id) => !wanted.has(id));
  expect(missing.length + extra.length === 0, `missing: ${missing.slice(0, 3).join()}; extra: ${extra.slice(0, 3).join()}`); // prettier-ignore
  for (const row of present) if (wanted.has(connectionWorkflowId(row))) await readAndCheck(soak, row);
  return `${open.length} runs`;
}

/** Reads the history of an open run, in which no workflow task may have failed. */
async function readAndCheck(soak: Soak, row: Pick<ConnectionRow, 'id' | 'hostname'>): Promise<void> {
  const text = await soak.readHistory(row);
  expect(!text.includes('workflowTaskFailedEventAttributes":{'), `a workflow task of ${row.hostname} failed`);
}

async function receiversGotEveryEvent({ customers, database }: Soak): Promise<string> {
  const received = customers.receivers.flatMap((receiver) => receiver.received.map(({ event }) => event.id));
  const { rows } = await database.query<{ id: string }>('SELECT event_id AS id FROM whole.webhook_deliveries');
  const once = new Set(received);
  const lost = rows.filter(({ id }) => !once.has(id)).length;
  const doubled = received.length - once.size;
  expect(rows.length > 0 && lost === 0 && doubled === 0, `${lost} lost, ${doubled} doubled of ${rows.length}`);
  return `${received.length} webhooks`;
}

/** Counts what the soak is about, so that it cannot pass by playing nothing. */
async function whatHappened(soak: Soak): Promise<string> {
  const count = async (query: string) =>
    (await soak.database.query<{ n: number }>(`SELECT count(*)::integer AS n FROM ${query}`)).rows[0]!.n;
  const happened = {
    renewals: (await count(`whole.events WHERE type = 'ssl.issued'`)) - (await count(`whole.events WHERE type = 'domain.verified'`)), // prettier-ignore
    drifts: await count(`whole.events WHERE type = 'domain.drift'`),
    repairs: await count(`whole.timeline WHERE from_state = 'drifted' AND to_state = 'live'`),
    archives: await count(`whole.timeline WHERE to_state = 'archived'`),
    'records left behind': await count(`whole.events WHERE type = 'domain.dangling'`),
    'deleted tenants': soak.deletedTenants.size,
    checks: soak.checks,
  };
  const isShort = soak.years[0] === undefined || soak.years[0].names < 100;
  const never = Object.entries(happened).filter(([, n]) => n === 0);
  expect(never.length === 0 || isShort, `never happened: ${never.map(([what]) => what).join(', ')}`);
  return Object.entries(happened).map(([what, n]) => `${n} ${what}`).join(', '); // prettier-ignore
}
