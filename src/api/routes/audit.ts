import { listAudit, type AuditRow } from '../../db/audit.ts';
import { environmentsOf } from '../caller.ts';
import { pager } from '../cursor.ts';
import { route } from '../route.ts';
import { AuditList } from '../schemas/audit.ts';
import { ListQuery } from '../schemas/common.ts';

const list = route({
  method: 'get',
  path: '/audit',
  summary: 'List the audit log: who changed which object',
  needs: ['apps:admin'],
  query: ListQuery,
  replies: { 200: AuditList },
  errors: [],
  async handle({ caller, query, tx, deps }) {
    const pages = pager(deps.keys.signedState, caller.tenantId, 'audit');
    const page = pages.request(query, 20);
    return { status: 200, body: pages.answer(await listAudit(tx, environmentsOf(caller), page), page, present) };
  },
});

export const auditRoutes = [list];

const present = ({ key_id, session_id, created_at, ...row }: AuditRow) => ({
  ...row,
  created_at: created_at.toISOString(),
  actor: { kind: session_id !== null ? 'session' : key_id === null ? 'operator' : 'key', key_id, session_id },
});
