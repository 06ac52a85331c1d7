import { listAuditForOperator, type OperatorAuditRow } from '../../db/audit.ts';
import { idIn, TENANT, type Command } from '../command.ts';

const NEWEST = 200;

const list: Command = {
  name: 'audit',
  summary: `Shows the newest ${NEWEST} entries of the audit log, including those of deleted tenants`,
  options: TENANT,
  requires: [],
  examples: ['audit', 'audit --tenant 01a1e812-8b29-7612-a7a6-0ab24065ea05'],
  async run(values, { pool }) {
    const tenant = values['tenant'] === undefined ? null : idIn(values, 'tenant');
    const rows = await listAuditForOperator(pool, tenant, NEWEST);
    return { json: { data: rows }, lines: rows.length === 0 ? ['No entries.'] : rows.map(lineOf) };
  },
};

export const auditCommands = [list];

function lineOf({
  created_at,
  tenant_id,
  key_id,
  session_id,
  action,
  target_id,
  target,
  reason,
}: OperatorAuditRow): string {
  const user = key_id === null ? 'operator' : `key ${key_id}`;
  const who = session_id === null ? user : `console session ${session_id}`;
  const what = [target, target_id].filter((one) => one !== null).join(' ');
  return `${created_at.toISOString()}  ${action}  ${what}  by ${who}${tenant_id === null ? '' : `  tenant ${tenant_id}`}${reason === null ? '' : `  “${reason}”`}`;
}
