import { findSandboxConnections } from '../../db/connection/connections.ts';
import { touchConnections } from '../../db/connection/touches.ts';
import { publish, readZone, removeRecords, upwards } from '../../db/zone/sandbox-records.ts';
import { route } from '../route.ts';
import { PutSandboxRecords, SandboxRecords } from '../schemas/sandbox.ts';

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

export const sandboxRoutes = [put];
