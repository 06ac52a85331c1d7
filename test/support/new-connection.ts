import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { createConnections } from '../../src/db/connection/connections.ts';
import type { Pool } from '../../src/db/pool.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import type { Environment } from '../../src/domain/connection/connection.ts';

/** A connection of one of the tenant's own applications, as the API would create it. It wants a CNAME where one is named. */
export async function newConnection(
  pool: Pool,
  tenant: NewTenant,
  hostname: string,
  {
    environment = 'test',
    target,
    companionOf = null,
  }: { environment?: Environment; target?: string; companionOf?: string | null } = {},
): Promise<ConnectionRow> {
  const [row] = await pool.transaction((tx) =>
    createConnections(
      tx,
      [
        {
          tenant_id: tenant.tenant_id,
          application_id: tenant[environment].application_id,
          environment,
          hostname,
          kind: 'subdomain',
          external_id: null,
          batch_id: null,
          companion_of: companionOf,
          desired_records: () =>
            target === undefined ? [] : [{ host: hostname, type: 'CNAME', value: target, ttl: 300, priority: null }],
        },
      ],
      new Date(),
    ),
  );
  if (row === undefined) throw new Error(`${hostname} is being connected already.`);
  return row;
}
