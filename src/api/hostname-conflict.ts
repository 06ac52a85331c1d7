import type { ConnectionRow } from '../db/connection-row.ts';
import { ServiceError } from '../domain/errors.ts';
import { canReach, type Caller } from './caller.ts';

/** Whoever holds the name stays unnamed, unless it is the caller's own tenant; its id is told to who can reach it. */
export function hostnameConflict(
  caller: Caller,
  hostname: string,
  own: ConnectionRow | null,
  but = `${hostname} is already connected`,
): ServiceError {
  const where = own === null ? '' : ` by a connection of yours in the ${own.environment} environment`;
  const connection_id = own !== null && canReach(caller, own) ? own.id : null;
  return new ServiceError('HostnameConflict', `${but}${where}.`, {
    details: { hostname, same_tenant: own !== null, connection_id },
  });
}
