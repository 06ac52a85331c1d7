import { uuidv7 } from 'uuidv7';
import type { Pool } from '../../src/db/pool.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { insertEndpoint, type EndpointRow } from '../../src/db/webhook/endpoints.ts';
import { CONTRACT_EVENTS } from '../../src/domain/webhook/events.ts';
import type { Vault } from '../../src/vault/vault.ts';
import { sealSecrets } from '../../src/webhooks/secrets.ts';
import { mintWebhookSecret } from '../../src/webhooks/sign.ts';

/** An endpoint of the tenant's test application, as the API would make it, and the secret that the API would tell. */
export async function subscribe(
  { pool, vault }: { pool: Pool; vault: Vault },
  tenant: NewTenant,
  settings: Pick<EndpointRow, 'url'> & Partial<Pick<EndpointRow, 'events'>>,
): Promise<{ endpoint: EndpointRow; secret: string }> {
  const owner = { id: uuidv7(), tenant_id: tenant.tenant_id, application_id: tenant.test.application_id };
  const secret = mintWebhookSecret();
  const endpoint = await pool.transaction((tx) =>
    insertEndpoint(tx, {
      ...owner,
      ...sealSecrets(vault, owner, { current: secret, next: null }),
      environment: 'test',
      events: [...CONTRACT_EVENTS],
      active: true,
      ...settings,
    }),
  );
  if (endpoint === null) throw new Error('The application has as many endpoints as it may have.');
  return { endpoint, secret };
}
