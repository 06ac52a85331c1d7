import { findSandboxConnections } from '../../db/connections.ts';
import { touchConnections } from '../../db/touches.ts';
import { publish, readZone, removeRecords } from '../../sandbox/zone.ts';
import { route } from '../route.ts';
import { Nothing } from '../schemas/common.ts';
import { PutSandboxRecords, SandboxRecords } from '../schemas/sandbox.ts';

const put = route({
  method: 'put',
  path: '/sandbox/records',
  summary: "Set records in the sandbox's DNS, as a customer would at a provider",
  needs: ['connections:write'],
  testOnly: true,
  params: Nothing,
  query: Nothing,
  body: PutSandboxRecords,
  replies: { 200: SandboxRecords },
  errors: [],
  async handle({ caller, body: { records, remove }, tx, now }) {
    for (const set of [...remove, ...records]) await removeRecords(tx, caller.tenantId, set);
    for (const record of records) await publish(tx, caller.tenantId, record, now);
    const hosts = [...new Set([...remove, ...records].map(({ host }) => host))];
    await touchConnections(tx, await findSandboxConnections(tx, hosts.flatMap(parents)), now);
    return { status: 200, body: { data: await readZone(tx, caller.tenantId, hosts, now) } };
  },
});

export const sandboxRoutes = [put];

/** A record concerns the connection at its own name and those at every name above it. */
const parents = (host: string): string[] => {
  const labels = host.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
};
