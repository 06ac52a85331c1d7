import type { Route } from '../route.ts';
import { connectionRoutes } from './connections.ts';

/** Every route there is, in the order of the documentation. */
export const routes: readonly Route[] = [...connectionRoutes];
