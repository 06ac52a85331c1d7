import { z } from 'zod';
import { none, sql } from '../../src/db/pool.ts';
import { allEndpoints } from '../../src/db/webhook/endpoints.ts';
import { allCredentials } from '../../src/db/zone/credentials.ts';
import { preflight, replaceSecret } from '../../src/provisioning/credentials.ts';
import { openSecrets } from '../../src/webhooks/secrets.ts';
import { Receiver } from '../support/doubles/receiver.ts';
import type { WebhookLab } from '../support/fixtures/webhook-lab.ts';
import type { PowerDnsApi, PowerDnsSet } from '../support/servers/powerdns-api.ts';

// The recorded addresses of the tenant's servers are gone, so new servers take their place.

/** Starts a receiver for each endpoint of the release, with the secrets that the release encrypted. By endpoint id. */
export async function startReceivers({ lab, access }: WebhookLab): Promise<ReadonlyMap<string, Receiver>> {
  const receivers = new Map<string, Receiver>();
  for (const endpoint of await allEndpoints(lab.pool)) {
    const receiver = await Receiver.start();
    receiver.secrets = [openSecrets(access.vault, endpoint).current];
    await lab.pool.query(sql.type(none)`
      UPDATE webhook_endpoints SET url = ${receiver.url} WHERE id = ${endpoint.id}
    `);
    receivers.set(endpoint.id, receiver);
  }
  return receivers;
}

const Written = z.object({ host: z.string(), type: z.string(), value: z.string(), ttl: z.number() });

/** Creates the zone as the release left it, with the records in its ledger, and gives the credential its new address. */
export async function restoreZone({ lab }: WebhookLab, dns: PowerDnsApi, zone: string): Promise<void> {
  const written = await lab.pool.any(sql.type(Written)`
    SELECT host, type, value, ttl FROM dns_ledger WHERE zone_name = ${zone} AND status = 'standing'
  `);
  await dns.createZone(zone, written.map(setOf));
  const [before] = await allCredentials(lab.pool);
  const given = {
    tenantId: before!.tenant_id,
    applicationId: before!.application_id,
    provider: before!.provider,
    credential: { api_url: dns.apiUrl, api_key: dns.apiKey },
    label: before!.label,
  };
  const health = await preflight(lab.providerAccess, given);
  await lab.pool.transaction((tx) => replaceSecret(lab.providerAccess, tx, before!, given, health));
}

const setOf = ({ host, type, value, ttl }: z.infer<typeof Written>): PowerDnsSet => {
  const content = type === 'TXT' ? `"${value}"` : `${value}.`;
  return { name: `${host}.`, type, ttl, records: [{ content, disabled: false }] };
};
