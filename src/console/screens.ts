import type { ComponentType } from 'preact';
import type { Scope } from '../domain/scope.ts';
import type { IconName } from './parts/icon.tsx';

/**
 * How to add a screen:
 *
 * 1. Write `screens/<name>.tsx` with a default export, a component without props. It gets the parts of its path from
 *    `useParams()` of wouter-preact, the address and the scope (environment, application) from `usePlace()`, and data
 *    from `useLive(path, {params, query})`, which polls. Changes go through `post`, `put`, `patch` and `del` of api.ts,
 *    followed by `refresh('/v1/…')`. A button needs `useMay(scope)`.
 * 2. Use the parts: `Page` (title, actions), `Card`, `DataTable` with `Pager`, `Time`, `StateBadge`, `Badge`, `Button`,
 *    `Dialog`, `Field`, `Select`, `Copy`, `Diff`, `toast`. Styles are in console.css, colours only from the tokens.
 * 3. Add a line below. A session sees the screen in its menu if it has one of the scopes in `needs`. Without it, the
 *    screen's address names the missing scope. `icon` is null for a screen that is not in the menu.
 * 4. Add the screen to SCREENS in test/browser/console.test.ts, which checks it with axe, and to the screenshots.
 */
export interface Screen {
  /** Below /console. */
  path: string;
  title: string;
  needs: readonly Scope[];
  icon: IconName | null;
  /** Only sessions of this environment have the screen in their menu. */
  environment?: 'test';
  load: () => Promise<{ default: ComponentType }>;
}

export const SCREENS: readonly Screen[] = [
  {
    path: '/',
    title: 'Overview',
    needs: ['connections:read'],
    icon: 'home',
    load: () => import('./screens/overview.tsx'),
  },
  {
    path: '/domains',
    title: 'Domains',
    needs: ['connections:read'],
    icon: 'globe',
    load: () => import('./screens/domains.tsx'),
  },
  {
    path: '/domains/:id',
    title: 'Domain',
    needs: ['connections:read'],
    icon: null,
    load: () => import('./screens/domain.tsx'),
  },
  {
    path: '/connect',
    title: 'Connect',
    needs: ['connections:write'],
    icon: 'plus',
    load: () => import('./screens/connect.tsx'),
  },
  {
    path: '/connect/:id',
    title: 'Batch',
    needs: ['connections:read'],
    icon: null,
    load: () => import('./screens/batch.tsx'),
  },
  {
    path: '/credentials',
    title: 'Credentials',
    needs: ['apps:admin'],
    icon: 'plug',
    load: () => import('./screens/credentials.tsx'),
  },
  {
    path: '/credentials/new',
    title: 'Credential',
    needs: ['apps:admin'],
    icon: null,
    load: () => import('./screens/credential.tsx'),
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    needs: ['webhooks:write', 'apps:admin'],
    icon: 'bell',
    load: () => import('./screens/webhooks.tsx'),
  },
  {
    path: '/webhooks/:id',
    title: 'Endpoint',
    needs: ['webhooks:write', 'apps:admin'],
    icon: null,
    load: () => import('./screens/webhook.tsx'),
  },
  {
    path: '/webhooks/deliveries/:id',
    title: 'Delivery',
    needs: ['webhooks:write', 'apps:admin'],
    icon: null,
    load: () => import('./screens/delivery.tsx'),
  },
  {
    path: '/keys',
    title: 'Keys',
    needs: ['apps:admin'],
    icon: 'key',
    load: () => import('./screens/keys.tsx'),
  },
  {
    path: '/plan',
    title: 'Usage and plan',
    needs: ['usage:read', 'connections:read'],
    icon: 'chart',
    load: () => import('./screens/plan.tsx'),
  },
  {
    path: '/audit',
    title: 'Audit',
    needs: ['apps:admin'],
    icon: 'list',
    load: () => import('./screens/audit.tsx'),
  },
  {
    path: '/sessions',
    title: 'Sessions',
    needs: ['apps:admin'],
    icon: 'people',
    load: () => import('./screens/sessions.tsx'),
  },
  {
    path: '/sandbox',
    title: 'Sandbox',
    needs: ['connections:read'],
    icon: 'flask',
    environment: 'test',
    load: () => import('./screens/sandbox.tsx'),
  },
];
