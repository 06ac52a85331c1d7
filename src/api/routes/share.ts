import { getConnection } from '../../db/connection/connections.ts';
import { createShareLink, revokeShareLinks } from '../../db/tenant/share-links.ts';
import { reach, refuseArchived } from '../caller.ts';
import { route } from '../route.ts';
import { Id, Nothing } from '../schemas/common.ts';
import { ShareConnection, ShareLinkCreated } from '../schemas/share.ts';

const create = route({
  method: 'post',
  path: '/connections/{id}/share',
  summary: 'Create a link that shows the records to a colleague who manages the DNS',
  needs: ['connections:write'],
  idempotent: { secrets: ['url'] },
  params: Id,
  body: ShareConnection,
  replies: { 201: ShareLinkCreated },
  errors: ['not_found', 'invalid_state'],
  async handle({ caller, params, body, tx, deps, now }) {
    const row = refuseArchived(reach(caller, await getConnection(tx, params.id)));
    const expiresAt = new Date(now.getTime() + body.expires_in * 1_000);
    const link = { tenantId: row.tenant_id, connectionId: row.id, now, expiresAt };
    const secret = await createShareLink(tx, link);
    return { status: 201, body: { url: `${deps.baseUrl}/share/${secret}`, expires_at: expiresAt.toISOString() } };
  },
});

const revoke = route({
  method: 'delete',
  path: '/connections/{id}/share',
  summary: 'Revoke all shared links of a connection',
  needs: ['connections:write'],
  params: Id,
  replies: { 204: Nothing },
  errors: ['not_found'],
  async handle({ caller, params, tx, now }) {
    const row = reach(caller, await getConnection(tx, params.id));
    await revokeShareLinks(tx, row.id, now);
    return { status: 204, body: null };
  },
});

export const shareRoutes = [create, revoke];
