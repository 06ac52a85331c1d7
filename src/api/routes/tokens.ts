import type { z } from 'zod';
import { getApplication } from '../../db/tenant/applications.ts';
import { invalid, ServiceError } from '../../domain/errors.ts';
import { reachApplication } from '../caller.ts';
import { connectableHostname } from '../hostnames.ts';
import { MOST_METADATA } from '../own-routes.ts';
import { route } from '../route.ts';
import { CreateToken, WidgetTokenCreated } from '../schemas/tokens.ts';
import { wildcardNeedsDns, wildcardsWithoutDns } from '../wildcards.ts';
import { mintWidgetToken, type Bound } from '../widget-token.ts';

const create = route({
  method: 'post',
  path: '/tokens',
  summary: 'Create a widget token for one connect flow',
  needs: ['connections:write'],
  createsCredential: true,
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
        bound: boundIn(body),
        mintedBy: caller.credential.keyId,
      },
      now,
    );
    return { status: 201, body: { auth_token: token, expires_at: expiresAt.toISOString() } };
  },
});

function boundIn({ metadata, before_dns, serve, variables }: z.infer<typeof CreateToken>): Bound {
  if (metadata && Buffer.byteLength(JSON.stringify(metadata)) > MOST_METADATA)
    throw invalid([
      { path: 'body.metadata', code: 'too_large', message: 'body.metadata: is larger than 4 kB as JSON.' },
    ]);
  return {
    ...(metadata && { metadata }),
    ...(before_dns !== undefined && { before_dns }),
    ...(serve !== undefined && { serve }),
    ...(variables !== undefined && { variables }),
  };
}

export const tokenRoutes = [create];
