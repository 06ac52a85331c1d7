import { ServiceError } from '../domain/errors.ts';

/** Why it was blocked is the operator's to tell. */
export const hostnameBlocked = (hostname: string): ServiceError =>
  new ServiceError('forbidden', `${hostname} is blocked by the operator of this service.`, {
    details: { hostname, reason: 'hostname_blocked' },
  });
