import type { ConnectionRow } from '../db/connection/connection-row.ts';
import { ServiceError } from '../domain/errors.ts';
import { canReach, type Caller } from './caller.ts';

/** The holder stays unnamed unless it is of the caller's own tenant; its id is told to callers that can reach it. */
export function hostnameConflict(
  caller: Caller,
  hostname: string,
  own: ConnectionRow | null,
  but = `${hostname} is already connected`,
): ServiceError {
  const where = own === null ? '' : ` by a connection of yours in the ${own.environment} environment`;
  const connection_id = own !== null && canReach(caller, own) ? own.id : null;
  return new ServiceError('HostnameConflict', `${but}${where}. ${adviceFor(own, connection_id)}`, {
    details: { hostname, same_tenant: own !== null, connection_id },
  });
}

function adviceFor(own: ConnectionRow | null, connectionId: string | null): string {
  if (connectionId !== null) return `Go on with connection ${connectionId}, or archive it to connect the name anew.`;
  if (own !== null) return 'It must be archived before the name can be connected anew.';
  return (
    'If the domain is yours, have the other account archive it, or ask the operator of this service to; ' +
    'a name whose records have led elsewhere for seven days can be connected by anyone who proves it.'
  );
}
