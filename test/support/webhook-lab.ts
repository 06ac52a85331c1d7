import { Worker } from '@temporalio/worker';
import { z } from 'zod';
import { webhookActivities } from '../../activities/webhook.ts';
import { getDelivery, recordAttempts, type DeliveryRow } from '../../src/db/webhook/deliveries.ts';
import { getEndpoint, type EndpointRow } from '../../src/db/webhook/endpoints.ts';
import { sql } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { webhookTaskQueue } from '../../src/temporal/webhook-runs.ts';
import type { WebhookAccess } from '../../src/webhooks/deliver.ts';
import { InFlight } from '../../src/webhooks/in-flight.ts';
import { together } from '../../src/webhooks/together.ts';
import { EVERY_NETWORK } from '../../src/net/address.ts';
import { webhookSender, type SenderOptions } from '../../src/webhooks/send.ts';
import { Lab } from './lab.ts';
import { Receiver } from './receiver.ts';
import { subscribe } from './subscribe.ts';

export interface TestEndpoint {
  endpoint: EndpointRow;
  receiver: Receiver;
  secret: string;
  tenant: NewTenant;
}

/** A lab in which webhooks are sent too: the real workflows and activities, to receivers on this machine. */
export class WebhookLab {
  readonly lab: Lab;
  readonly access: WebhookAccess;
  readonly attempts: string[] = [];
  private readonly receivers: Receiver[] = [];
  private worker: { stop(): Promise<void> } | undefined;

  private constructor(lab: Lab, sender: Partial<SenderOptions>) {
    this.lab = lab;
    this.access = {
      pool: lab.pool,
      vault: lab.providerAccess.vault,
      sender: webhookSender({ allowed: EVERY_NETWORK, ...sender }),
      inFlight: new InFlight(),
      record: together((made) => recordAttempts(lab.pool, made)),
      random: () => 0.5,
      noteAttempt: ({ outcome }) => void this.attempts.push(outcome),
    };
  }

  static async open(
    kind: 'time-skipping' | 'dev-server',
    { vaultKey, ...sender }: Partial<SenderOptions> & { vaultKey?: string } = {},
  ): Promise<WebhookLab> {
    const lab = new WebhookLab(await Lab.open(kind, vaultKey), sender);
    await lab.startWorker();
    return lab;
  }

  async startWorker(): Promise<void> {
    const { env, temporal } = this.lab;
    const worker = await Worker.create({
      connection: env.nativeConnection,
      namespace: temporal.namespace,
      taskQueue: webhookTaskQueue(temporal.taskQueue),
      workflowBundle: { codePath: process.env['TEST_WORKFLOW_BUNDLE']! },
      activities: webhookActivities(this.access),
      maxConcurrentWorkflowTaskExecutions: 20, // a thousand deliveries under way: what one receiver takes in its patience
    });
    const done = worker.run();
    this.worker = {
      stop: async () => {
        worker.shutdown();
        await done;
      },
    };
  }

  /** An endpoint of a test application, that of a new tenant unless one is given, and the receiver behind it. */
  async endpoint({
    tenant: given,
    ...settings
  }: Partial<Pick<EndpointRow, 'events' | 'url'>> & { tenant?: NewTenant } = {}): Promise<TestEndpoint> {
    const receiver = await Receiver.start();
    this.receivers.push(receiver);
    const { pool } = this.lab;
    const tenant = given ?? (await createTenant(pool, 'Webhooks'));
    const { endpoint, secret } = await subscribe(this.access, tenant, { url: receiver.url, ...settings });
    receiver.secrets = [secret];
    return { endpoint, receiver, secret, tenant };
  }

  async row(id: string): Promise<EndpointRow> {
    return (await getEndpoint(this.lab.pool, id))!;
  }

  async delivery(id: string): Promise<DeliveryRow> {
    return (await getDelivery(this.lab.pool, id))!;
  }

  deliveriesTo(endpointId: string): Promise<readonly string[]> {
    return this.lab.pool.anyFirst(sql.type(z.object({ id: z.uuid() }))`
      SELECT id FROM webhook_deliveries WHERE endpoint_id = ${endpointId} ORDER BY created_at, id
    `);
  }

  async close(): Promise<void> {
    await this.worker?.stop();
    await this.access.sender.close();
    for (const receiver of this.receivers) await receiver.stop();
    await this.lab.close();
  }
}
