import { getConnection } from '../src/db/connection/connections.ts';
import { isWantedElsewhere } from '../src/db/connection/rivals.ts';
import { save } from '../src/db/connection/save.ts';
import type { Change } from '../src/db/connection/transitions.ts';
import { subjectOf } from '../src/db/observation/subject.ts';
import { danglingFinding, danglingRecords, departureAt } from '../src/domain/connection/departure.ts';
import type { DnsRecord } from '../src/domain/record.ts';
import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { attempt, checking } from './attempt.ts';
import type { Deps } from './deps.ts';

export function departureActivities(deps: Deps) {
  /**
   * Checks whether an archived hostname still points here, when that is due: others could then connect it. Returns the
   * time until the next check; null after the last one, or if the connection is gone.
   */
  async function checkDeparture(id: string): Promise<number | null> {
    const { now, signal } = attempt();
    const row = await getConnection(deps.pool, id);
    if (row?.archived_at == null || !row.serve) return null;
    const { isDue, nextMs } = departureAt(
      row.archived_at.getTime(),
      row.departure_checked_at?.getTime() ?? null,
      now,
      speedOf(row),
    );
    if (isDue) await saveFound(row, await stillPublished(row, now, signal), new Date(now));
    return nextMs;
  }

  /** Returns the records that no connection needs any more; undefined if no name server answered. */
  async function stillPublished(
    row: ConnectionRow,
    now: number,
    signal: AbortSignal,
  ): Promise<DnsRecord[] | undefined> {
    const check = await checking(() => deps.checkerFor(row).records(subjectOf(row), now, signal));
    if (check.verdict === 'unknown') return undefined;
    const records = danglingRecords(check);
    return records.length > 0 && (await isWantedElsewhere(deps.pool, row, records)) ? [] : records;
  }

  /** Saves the check, and reports the records that it found. Without an answer it saves only its time. */
  const saveFound = (seen: ConnectionRow, records: DnsRecord[] | undefined, now: Date): Promise<ConnectionRow> =>
    save(deps.pool, seen, (row) => {
      const checked = { now, departure_checked_at: now };
      if (records === undefined) return { moves: [{ trigger: null, change: checked }] };
      const found = records.length === 0 ? [] : [danglingFinding(row.hostname, records)];
      const others = row.findings.filter(({ code }) => code !== 'dangling');
      const report: Partial<Change> =
        found[0] === undefined
          ? {}
          : { reason: found[0].message, alsoNotify: ['domain.dangling'], eventData: { records } };
      const change = { ...checked, dangling: found.length > 0, findings: [...others, ...found], ...report };
      return { moves: [{ trigger: null, change }] };
    });

  const speedOf = (row: ConnectionRow): number => deps.checkerFor(row).paceOf(subjectOf(row)).speed;

  return { checkDeparture };
}
