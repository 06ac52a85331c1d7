// Generated from docs/openapi.json by `npm run openapi`. Do not edit.
export const IDEMPOTENT_PATHS: readonly string[] = [
  '/v1/connections',
  '/v1/batches',
  '/v1/connections/{id}/share',
  '/v1/applications',
  '/v1/applications/{id}/keys',
  '/v1/applications/{id}/edge-secrets',
  '/v1/applications/{id}/credentials',
  '/v1/webhook-endpoints',
  '/v1/subscriptions',
];
