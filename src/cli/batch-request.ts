import type { BatchRequest } from '../api/batches.ts';
import type { Caller } from '../api/caller.ts';
import { ownHosts } from '../api/own-hosts.ts';
import { undialableOrigins } from '../api/own-routes.ts';
import type { GivenRoute } from '../api/schemas/own-routes.ts';
import type { Config } from '../config.ts';
import { getApplication, type ApplicationRow } from '../db/tenant/applications.ts';
import { SCOPES } from '../domain/scope.ts';
import { dialPolicies } from '../main/dial-policies.ts';
import { delegationNames } from '../main/ordering.ts';
import { idIn, type Values } from './command.ts';
import { CommandError } from './errors.ts';
import type { ServiceAccess } from './service-access.ts';

/** Returns the application that the command names. */
export async function applicationIn(values: Values, { pool }: ServiceAccess): Promise<ApplicationRow> {
  const application = await getApplication(pool, idIn(values, 'application'));
  if (application === null) throw new CommandError(`There is no application ${idIn(values, 'application')}.`);
  return application;
}

/** Returns what all rows of an operator's batch share. */
export const batchRequest = (
  config: Config,
  application: ApplicationRow,
): Omit<BatchRequest, 'entries' | 'undialable' | 'now'> => {
  const { edge, baseUrl, upgradeUrl } = config;
  const delegation = delegationNames(config);
  return { caller: operatorFor(application), application, edge, upgradeUrl, ownHosts: ownHosts(baseUrl, edge), delegation }; // prettier-ignore
};

/** Returns origins of routes that no edge may dial. */
export const undialableIn = (config: Config, given: readonly GivenRoute[]): Promise<ReadonlySet<string>> =>
  undialableOrigins(given, {
    ownHosts: ownHosts(config.baseUrl, config.edge),
    originDial: dialPolicies(config, { isOwn: () => false }).origins,
  });

/** Returns a caller that reaches everything the application's tenant reaches. */
const operatorFor = ({ id, tenant_id }: ApplicationRow): Caller => ({
  tenantId: tenant_id,
  environment: 'live',
  scopes: new Set(SCOPES),
  credential: { kind: 'key', keyId: '', applicationId: id },
});
