import { auditOperator } from '../../db/audit.ts';
import { findClaim, listDangling } from '../../db/connection/connections.ts';
import type { Tx } from '../../db/pool.ts';
import { blockHostname, unblockHostname } from '../../db/edge/blocked.ts';
import { untilChangeIsKnown } from '../../edge/barrier.ts';
import { asTyped } from '../../domain/observation/record-findings.ts';
import { archiveAndWait } from '../../api/archive.ts';
import { HOSTNAME, hostnameIn, REASON, reasonIn, type Command } from '../command.ts';
import { CommandError } from '../errors.ts';

const NAMED = { options: { ...HOSTNAME, ...REASON } } as const;

const block: Command = {
  ...NAMED,
  name: 'hostname block',
  summary: 'Stops serving a hostname and lets no tenant connect it',
  examples: ["hostname block --hostname bad.example.com --reason 'Phishing, ticket 42'"],
  requires: ['hostname', 'reason'],
  async run(values, { pool }) {
    const [hostname, reason] = [hostnameIn(values, 'hostname'), reasonIn(values)];
    await pool.transaction(async (tx) => {
      const now = new Date();
      await blockHostname(tx, { hostname, reason, blocked_at: now });
      await auditOperator(tx, { ...(await holderOf(tx, hostname)), action: 'hostname.blocked', reason, now });
    });
    const missed = await untilChangeIsKnown(pool, { hostname }, 'block');
    return {
      json: { hostname, blocked: true, reason, missed_by: missed === null ? [] : [missed] },
      lines: [`${hostname} is blocked. It is not served, and no tenant can connect it.`, ...(missed ? [missed] : [])],
    };
  },
};

const unblock: Command = {
  options: HOSTNAME,
  name: 'hostname unblock',
  summary: 'Serves a blocked hostname again, for the tenant that has proved it',
  examples: ['hostname unblock --hostname bad.example.com'],
  requires: ['hostname'],
  async run(values, { pool }) {
    const hostname = hostnameIn(values, 'hostname');
    await pool.transaction(async (tx) => {
      if (!(await unblockHostname(tx, hostname))) throw new CommandError(`${hostname} is not blocked.`);
      const holder = await holderOf(tx, hostname);
      await auditOperator(tx, { ...holder, action: 'hostname.unblocked', now: new Date() });
    });
    await untilChangeIsKnown(pool, { hostname }, 'block');
    return { json: { hostname, blocked: false }, lines: [`${hostname} is no longer blocked.`] };
  },
};

const release: Command = {
  ...NAMED,
  name: 'claim release',
  summary: 'Archives the connection that holds a hostname',
  details: 'Another tenant can then prove the hostname.',
  examples: ["claim release --hostname shop.customer.com --reason 'Domain was sold'"],
  requires: ['hostname', 'reason'],
  async run(values, { pool }) {
    const [hostname, reason] = [hostnameIn(values, 'hostname'), reasonIn(values)];
    const claim = await findClaim(pool, hostname);
    if (claim === null) throw new CommandError(`No connection holds ${hostname}.`);
    await archiveAndWait(pool, claim.id, (tx, { tenant_id, environment, id: target_id }, now) =>
      auditOperator(tx, { tenant_id, environment, target_id, target: hostname, action: 'claim.released', reason, now }),
    );
    return {
      json: { hostname, connection_id: claim.id, tenant_id: claim.tenant_id, released: true },
      lines: [
        `${hostname} is released. Connection ${claim.id} is archived, and the records that we wrote are being removed.`,
      ],
    };
  },
};

const dangling: Command = {
  options: {},
  name: 'dangling',
  summary: 'Lists archived hostnames whose DNS still points here',
  examples: ['dangling'],
  requires: [],
  async run(_values, { pool }) {
    const rows = await listDangling(pool);
    const found = rows.map(({ id, tenant_id, hostname, archived_at, findings }) => ({
      id,
      tenant_id,
      hostname,
      archived_at,
      records: findings.find(({ code }) => code === 'dangling')?.records ?? [],
    }));
    const lines = found.map(({ hostname, records }) => `${hostname}: ${records.map(asTyped).join(', ')}`);
    return { json: { dangling: found }, lines: lines.length === 0 ? ['No archived hostname points here.'] : lines };
  },
};

export const hostnameCommands = [block, unblock, release, dangling];

/** Returns the tenant that holds the hostname, so that its audit log shows the action too. */
async function holderOf(tx: Tx, hostname: string) {
  const claim = await findClaim(tx, hostname);
  if (claim === null) return { tenant_id: null, target_id: null, target: hostname };
  const { tenant_id, environment, id } = claim;
  return { tenant_id, environment, target_id: id, target: hostname };
}
