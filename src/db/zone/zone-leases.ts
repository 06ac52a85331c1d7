import { z } from 'zod';
import { none, sql, type Queryable } from '../pool.ts';

const Taken = z.object({ holder: z.uuid() });

/** Takes the lease if it is free or expired, or extends the holder's own. Returns false if another holder has it. */
export const takeZoneLease = async (db: Queryable, zone: string, holder: string, lastsMs: number): Promise<boolean> => {
  const taken = await db.maybeOne(sql.type(Taken)`
    INSERT INTO zone_leases (zone, holder, expires_at)
    VALUES (${zone}, ${holder}, clock_timestamp() + ${lastsMs} * interval '1 millisecond')
    ON CONFLICT (zone) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
      WHERE zone_leases.holder = excluded.holder OR zone_leases.expires_at < clock_timestamp()
    RETURNING holder
  `);
  return taken !== null;
};

/** Extends a lease that has not expired. Returns false if it has, because another process may have held it since. */
export const extendZoneLease = async (
  db: Queryable,
  zone: string,
  holder: string,
  lastsMs: number,
): Promise<boolean> => {
  const extended = await db.maybeOne(sql.type(Taken)`
    UPDATE zone_leases SET expires_at = clock_timestamp() + ${lastsMs} * interval '1 millisecond'
    WHERE zone = ${zone} AND holder = ${holder} AND expires_at >= clock_timestamp()
    RETURNING holder
  `);
  return extended !== null;
};

/** Ends leases of several zones. A lease that another holder has taken over stays. */
export async function endZoneLeases(db: Queryable, leases: readonly { zone: string; holder: string }[]): Promise<void> {
  const ended = sql.unnest(leases.map(({ zone, holder }) => [zone, holder]), ['text', 'uuid']); // prettier-ignore
  await db.query(sql.type(none)`
    DELETE FROM zone_leases USING ${ended} AS ended (zone, holder)
    WHERE zone_leases.zone = ended.zone AND zone_leases.holder = ended.holder
  `);
}
