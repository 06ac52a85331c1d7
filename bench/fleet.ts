import { moveFleet } from '../test/support/fixtures/fleet-move.ts';
import { table } from './support/process-cost.ts';

/**
 * Moves a fleet with its certificates from an old Caddy to the edge under load, by one record of the tenant, and shows
 * that no request fails, no customer acts and nothing is ordered. `npm run bench:fleet`.
 */
const NAMES = Number(process.env['NAMES'] ?? 1_000);
const PER_SECOND = Number(process.env['PER_SECOND'] ?? 50);

const moved = await moveFleet({ names: NAMES, perSecond: PER_SECOND }, (line) => process.stdout.write(`${line}\n`));
const failed = [...moved.failures.values()].reduce((total, count) => total + count, 0);
table(`${NAMES} names move from an old Caddy at ${PER_SECOND} requests a second`, [
  ['', 'seen', 'goal'],
  ['requests that the old Caddy answered', String(moved.answered.get('old host') ?? 0), ''],
  ['requests that the edge answered', String(moved.answered.get('edge') ?? 0), ''],
  ['requests that failed', String(failed), '0'],
  ['names served with their old certificate before the move', String(moved.servedBefore), String(NAMES)],
  ['names served with their old certificate after the move', String(moved.servedAfter), String(NAMES)],
  ['certificates ordered', String(moved.orders), '0'],
  ['zones of customers that changed', String(moved.changedZones), '0'],
  ['import, names a second', (NAMES / moved.importSeconds).toFixed(0), ''],
  ['proof after the import, names a second', (NAMES / moved.proofSeconds).toFixed(0), ''],
]);
for (const [kind, count] of moved.failures) process.stdout.write(`  failed: ${kind}: ${count}\n`);
process.exitCode =
  failed + moved.orders + moved.changedZones === 0 && moved.servedBefore === NAMES && moved.servedAfter === NAMES
    ? 0
    : 1;
