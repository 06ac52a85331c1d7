/** The bundle's one entry: what it exports, the worker can run. */
export { connection } from './connection.ts';
export { webhookBatch, webhookDelivery } from './webhook-delivery.ts';
