import { uuidv7 } from 'uuidv7';
import type { ApiDeps } from '../../src/api/deps.ts';
import { recordTestEvent } from '../../src/db/webhook/events.ts';
import { getDelivery } from '../../src/db/webhook/deliveries.ts';
import { none, sql } from '../../src/db/pool.ts';
import { insertEndpoint } from '../../src/db/webhook/endpoints.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { sealSecrets } from '../../src/webhooks/secrets.ts';
import { mintWebhookSecret } from '../../src/webhooks/sign.ts';

/** A webhook endpoint of the tenant's live application, with one event that is on its way to it. */
export function makeEndpoint({ pool, providerAccess }: ApiDeps, { tenant_id, live }: NewTenant) {
  return pool.transaction(async (tx) => {
    // The tests make one for every request, and an application has only so many.
    await tx.query(sql.type(none)`DELETE FROM webhook_endpoints WHERE application_id = ${live.application_id}`);
    const owner = { id: uuidv7(), tenant_id, application_id: live.application_id };
    const endpoint = (await insertEndpoint(tx, {
      ...owner,
      ...sealSecrets(providerAccess.vault, owner, { current: mintWebhookSecret(), next: null }),
      environment: 'live',
      url: 'https://hooks.shop-site.com/',
      events: ['domain.added'],
      active: true,
    }))!;
    const event = { now: new Date(), data: {} };
    const delivery = (await getDelivery(tx, await recordTestEvent(tx, endpoint, 'webhook.test', event)))!;
    return { endpointId: endpoint.id, deliveryId: delivery.id, eventId: delivery.event_id };
  });
}
