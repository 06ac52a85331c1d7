import type { Pool } from '../db/pool.ts';
import { caaRecordsOf } from '../domain/caa.ts';
import type { Doctor } from '../domain/certificate.ts';
import { diagnoseCaa } from '../domain/diagnosis.ts';
import { readZone, upwards } from '../db/sandbox-records.ts';

/** Looks for CAA in the sandbox's DNS as an authority would. The sandbox's own authority only warns of what forbids it. */
export const sandboxDoctor = (pool: Pool, identities: string[]): Doctor => ({
  async examine({ tenantId, hostname }, now) {
    const names = upwards(hostname);
    const records = (await readZone(pool, tenantId, names, new Date(now))).filter(({ type }) => type === 'CAA');
    const at = names.find((name) => records.some(({ host }) => host === name)) ?? null;
    const set = records.filter(({ host }) => host === at).flatMap(({ value }) => caaRecordsOf(value));
    const look = { hostname, outcome: at === null ? 'none' : 'found', at, records: set, cause: null } as const;
    return diagnoseCaa(look, { identities, advisory: true });
  },
});
