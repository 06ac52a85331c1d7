import { findSandboxConnections } from '../../db/connection/connections.ts';
import { touchConnections } from '../../db/connection/touches.ts';
import {
  listSandboxRecords,
  publish,
  readZone,
  removeRecords,
  upwards,
  type ListedRecord,
} from '../../db/zone/sandbox-records.ts';
import { pager } from '../cursor.ts';
import { route } from '../route.ts';
import { PutSandboxRecords, SandboxQuery, SandboxRecordList, SandboxRecords } from '../schemas/sandbox.ts';

const put = route({
  method: 'put',
  path: '/sandbox/records',
  summary: "Set records in the sandbox's DNS, as a customer would at a DNS provider",
  needs: ['connections:write'],
  testOnly: true,
  body: PutSandboxRecords,
  replies: { 200: SandboxRecords },
  errors: [],
  async handle({ caller, body: { records, remove }, tx, now }) {
    const sets = [...remove, ...records];
    for (const set of sets) await removeRecords(tx, caller.tenantId, set);
    for (const record of records) await publish(tx, caller.tenantId, record, now);
    const hosts = [...new Set(sets.map(({ host }) => host))];
    // A record affects connections at its name and at every name above, and wildcards there. A CAA record also affects
    // those below.
    const names = hosts.flatMap(upwards);
    const at = [...names, ...names.map((name) => `*.${name}`)];
    const below = sets.filter(({ type = 'CAA' }) => type === 'CAA').map(({ host }) => host);
    await touchConnections(tx, await findSandboxConnections(tx, { at, below }), now);
    return { status: 200, body: { data: await readZone(tx, caller.tenantId, hosts, now) } };
  },
});

const list = route({
  method: 'get',
  path: '/sandbox/records',
  summary: "List the records in the sandbox's DNS, newest first",
  needs: ['connections:read'],
  testOnly: true,
  query: SandboxQuery,
  replies: { 200: SandboxRecordList },
  errors: [],
  async handle({ caller, query, tx, deps }) {
    const pages = pager(deps.keys.signedState, caller.tenantId, 'sandbox records');
    const page = pages.request(query, 20);
    return { status: 200, body: pages.answer(await listSandboxRecords(tx, page), page, presentListed) };
  },
});

export const sandboxRoutes = [put, list];

const presentListed = ({ host, type, value, ttl, priority, created_at }: ListedRecord) => ({
  host,
  type,
  value,
  ttl,
  priority,
  visible_at: created_at.toISOString(),
});
