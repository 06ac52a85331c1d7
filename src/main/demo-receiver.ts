import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import type { Pool } from '../db/pool.ts';
import type { NewTenant } from '../db/tenant/tenants.ts';
import { insertEndpoint, lockEndpoint, updateEndpoint, type EndpointRow } from '../db/webhook/endpoints.ts';
import { EVENT_TYPES } from '../domain/webhook/events.ts';
import { secretsAt } from '../domain/webhook/secret.ts';
import { freePort } from '../embedded/ports.ts';
import type { Vault } from '../vault/vault.ts';
import { openSecrets, sealSecrets } from '../webhooks/secrets.ts';
import { mintWebhookSecret, signatureHeaders } from '../webhooks/sign.ts';
import { readJson, writePrivate } from './local-keys.ts';

const Saved = z.object({ port: z.number(), endpoint_id: z.uuid() });

interface DemoParts {
  pool: Pool;
  vault: Vault;
  tenant: NewTenant;
  dataDir: string;
  print(line: string): void;
}

/** Plays the tenant's backend: verifies and prints webhooks. A deleted endpoint is not created again. */
export async function startDemoReceiver({
  pool,
  vault,
  tenant,
  dataDir,
  print,
}: DemoParts): Promise<{ stop(): Promise<void> }> {
  const file = join(dataDir, 'demo-receiver.json');
  const saved = Saved.safeParse(await readJson(file)).data;
  const port = await freePort(saved?.port);
  const url = `http://127.0.0.1:${port}/webhooks`;
  const endpoint = await pool.transaction(async (tx) => {
    if (saved === undefined) return insertEndpoint(tx, newEndpoint(vault, tenant, url));
    const before = await lockEndpoint(tx, saved.endpoint_id);
    return before && updateEndpoint(tx, before, { ...before, url });
  });
  if (endpoint === null) return { stop: () => Promise.resolve() };
  await writePrivate(file, { port, endpoint_id: endpoint.id });
  const server = createServer((request, response) => {
    void receive(request, vault, endpoint).then(
      (line) => {
        print(line);
        response.writeHead(204).end();
      },
      () => response.writeHead(400).end(),
    );
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function newEndpoint(vault: Vault, { tenant_id, test }: NewTenant, url: string) {
  const owner = { id: uuidv7(), tenant_id, application_id: test.application_id };
  const sealed = sealSecrets(vault, owner, { current: mintWebhookSecret(), next: null });
  return { ...owner, ...sealed, environment: 'test' as const, url, events: [...EVENT_TYPES], active: true };
}

const WebhookEvent = z.object({
  id: z.uuid(),
  type: z.string(),
  sequence: z.number().nullable(),
  data: z.object({ connection: z.object({ hostname: z.string() }).optional() }),
});

async function receive(request: IncomingMessage, vault: Vault, endpoint: EndpointRow): Promise<string> {
  const body = await buffer(request);
  const { id, type, sequence, data } = WebhookEvent.parse(JSON.parse(body.toString()));
  const timestamp = Number(request.headers['x-svc-timestamp']);
  const wanted = signatureHeaders(
    { eventId: id, body, timestamp },
    secretsAt(openSecrets(vault, endpoint), Date.now()),
  );
  const isGenuine =
    request.headers['x-svc-signature'] === wanted['x-svc-signature'] && Math.abs(Date.now() / 1_000 - timestamp) <= 300;
  const about = [sequence === null ? '' : `#${sequence}`, data.connection?.hostname ?? ''].filter(Boolean).join(' ');
  return `  webhook  ${type} ${about}  signature ${isGenuine ? 'valid' : 'NOT VALID'}`;
}
