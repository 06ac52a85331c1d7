/** The entry of the workflow bundle: workers run the workflows that it exports. */
export { certificateOrder } from './certificate-order.ts';
export { cutover } from './cutover.ts';
export { departure } from './departure.ts';
export { connection } from './connection.ts';
export { webhookBatch, webhookDelivery } from './webhook-delivery.ts';
