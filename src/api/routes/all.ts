import type { Route } from '../route.ts';
import { applicationRoutes } from './applications.ts';
import { auditRoutes } from './audit.ts';
import { connectionRoutes } from './connections.ts';
import { credentialRoutes } from './credentials.ts';
import { dnsRoutes } from './dns.ts';
import { domainRoutes } from './domains.ts';
import { keyRoutes } from './keys.ts';
import { checkRoutes } from './checks.ts';
import { providerRoutes } from './providers.ts';
import { sandboxRoutes } from './sandbox.ts';
import { shareRoutes } from './share.ts';
import { tokenRoutes } from './tokens.ts';

/** Every route there is, in the order of the documentation. */
export const routes: readonly Route[] = [
  ...connectionRoutes,
  ...checkRoutes,
  ...dnsRoutes,
  ...shareRoutes,
  ...domainRoutes,
  ...tokenRoutes,
  ...applicationRoutes,
  ...keyRoutes,
  ...credentialRoutes,
  ...providerRoutes,
  ...auditRoutes,
  ...sandboxRoutes,
];
