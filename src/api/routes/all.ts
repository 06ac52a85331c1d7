import type { Route } from '../route.ts';
import { applicationRoutes } from './applications.ts';
import { auditRoutes } from './audit.ts';
import { billingRoutes } from './billing.ts';
import { batchRoutes } from './batches.ts';
import { certificateRoutes } from './certificates.ts';
import { connectionCountRoutes } from './connection-counts.ts';
import { consoleSessionRoutes } from './console-sessions.ts';
import { connectionRoutes } from './connections.ts';
import { credentialRoutes } from './credentials.ts';
import { cutoverRoutes } from './cutovers.ts';
import { edgeSecretRoutes } from './edge-secrets.ts';
import { dnsRoutes } from './dns.ts';
import { domainRoutes } from './domains.ts';
import { emailRoutes } from './email.ts';
import { keyRoutes } from './keys.ts';
import { checkRoutes } from './checks.ts';
import { providerRoutes } from './providers.ts';
import { sandboxRoutes } from './sandbox.ts';
import { shareRoutes } from './share.ts';
import { tokenRoutes } from './tokens.ts';
import { deliveryRoutes } from './deliveries.ts';
import { eventRoutes } from './events.ts';
import { webhookEndpointRoutes } from './webhook-endpoints.ts';

export const routes: readonly Route[] = [
  ...connectionRoutes,
  ...connectionCountRoutes,
  ...certificateRoutes,
  ...checkRoutes,
  ...dnsRoutes,
  ...cutoverRoutes,
  ...emailRoutes,
  ...batchRoutes,
  ...shareRoutes,
  ...domainRoutes,
  ...tokenRoutes,
  ...applicationRoutes,
  ...keyRoutes,
  ...edgeSecretRoutes,
  ...consoleSessionRoutes,
  ...credentialRoutes,
  ...webhookEndpointRoutes,
  ...deliveryRoutes,
  ...eventRoutes,
  ...providerRoutes,
  ...billingRoutes,
  ...auditRoutes,
  ...sandboxRoutes,
];
