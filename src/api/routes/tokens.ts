import { getApplication } from '../../db/tenant/applications.ts';
import { ServiceError } from '../../domain/errors.ts';
import { reachApplication } from '../caller.ts';
import { connectableHostname } from '../hostnames.ts';
import { route } from '../route.ts';
import { CreateToken, WidgetTokenCreated } from '../schemas/tokens.ts';
import { wildcardNeedsDns, wildcardsWithoutDns } from '../wildcards.ts';
import { mintWidgetToken } from '../widget-token.ts';

const create = route({
  method: 'post',
  path: '/tokens',
  summary: 'Create a widget token for one connect flow',
  needs: ['connections:write'],
  body: CreateToken,
  replies: { 201: WidgetTokenCreated },
  errors: ['not_found'],
  async handle({ caller, body, tx, deps, now }) {
    if (caller.credential.kind !== 'key') throw new ServiceError('forbidden', 'Only an API key can create tokens.');
    const application = reachApplication(caller, await getApplication(tx, body.application_id));
    const hostname =
      body.domain === undefined
        ? null
        : connectableHostname(body.domain, 'body.domain', application.environment, deps.ownHosts);
    if (
      hostname !== null &&
      (await wildcardsWithoutDns(tx, application, [hostname], deps.delegation !== null)).size > 0
    )
      throw wildcardNeedsDns(hostname, 'body.domain');
    const { token, expiresAt } = await mintWidgetToken(
      deps.keys.widgetTokens,
      deps.baseUrl,
      {
        tenantId: caller.tenantId,
        applicationId: application.id,
        environment: application.environment,
        hostname,
        externalId: body.external_id ?? null,
        mintedBy: caller.credential.keyId,
      },
      now,
    );
    return { status: 201, body: { auth_token: token, expires_at: expiresAt.toISOString() } };
  },
});

export const tokenRoutes = [create];
