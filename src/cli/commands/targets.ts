import { connectableHostname } from '../../api/hostnames.ts';
import { ownHosts } from '../../api/own-hosts.ts';
import type { Config } from '../../config.ts';
import { auditOperator } from '../../db/audit.ts';
import {
  addTarget,
  approvedFor,
  approveTarget,
  deleteTarget,
  findTarget,
  listTargets,
  provedByTarget,
  type CnameTarget,
} from '../../db/connection/cname-targets.ts';
import { lockConnection } from '../../db/connection/connections.ts';
import { transition } from '../../db/connection/transitions.ts';
import type { Pool } from '../../db/pool.ts';
import { getTenant } from '../../db/tenant/tenants.ts';
import { createObserver } from '../../dns/observer.ts';
import { challengeName } from '../../domain/connection/challenge.ts';
import { lostClaim, revokedReason } from '../../domain/connection/claim-loss.ts';
import { PROVED } from '../../domain/connection/state-sets.ts';
import { ServiceError } from '../../domain/errors.ts';
import { judgeChallenge } from '../../domain/observation/verdict.ts';
import { untilEveryCopyKnows } from '../../edge/barrier.ts';
import { idIn, REASON, reasonIn, required, TENANT, type Command, type Values } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';

const OF_TENANT = { options: TENANT, positional: 'TARGET' } as const;

const add: Command = {
  ...OF_TENANT,
  name: 'targets add',
  summary: 'Adds a target of a tenant and prints the TXT record that proves it',
  details: 'Hostnames with a CNAME to an approved target can be imported without a TXT record of their own.',
  examples: ['targets add customers.saas.com --tenant 01a1e812-8b29-7612-a7a6-0ab24065ea05'],
  requires: ['TARGET', 'tenant'],
  async run(values, { pool, config }) {
    const [tenantId, hostname] = [idIn(values, 'tenant'), targetIn(values, config)];
    if ((await getTenant(pool, tenantId)) === null) throw new CommandError(`There is no tenant ${tenantId}.`);
    const now = new Date();
    const target = await pool.transaction(async (tx) => {
      await auditOperator(tx, { tenant_id: tenantId, target_id: null, target: hostname, action: 'target.added', now });
      return addTarget(tx, tenantId, hostname, now);
    });
    const { name, value } = challengeOf(target);
    return {
      json: { ...shown(target), challenge: { name, type: 'TXT', value } },
      lines: [`The tenant adds this record, then run targets approve ${hostname}:`, `  TXT ${name} ${value}`],
    };
  },
};

const approve: Command = {
  ...OF_TENANT,
  name: 'targets approve',
  summary: "Approves a target, if the tenant's TXT record proves it",
  examples: ['targets approve customers.saas.com --tenant 01a1e812-8b29-7612-a7a6-0ab24065ea05'],
  requires: ['TARGET', 'tenant'],
  async run(values, { pool, config }) {
    const [tenantId, hostname] = [idIn(values, 'tenant'), targetIn(values, config)];
    const target = await findTarget(pool, tenantId, hostname);
    if (target === null) throw new CommandError(`The tenant has no target ${hostname}. Run targets add first.`);
    const holder = await approvedFor(pool, hostname);
    if (holder !== null && holder !== tenantId)
      throw new CommandError(`${hostname} is an approved target of tenant ${holder}. Revoke that one first.`);
    await refuseUnproved(target, config);
    const approved = await pool.transaction(async (tx) => {
      const now = new Date();
      const entry = { tenant_id: tenantId, target_id: null, target: hostname, now };
      await auditOperator(tx, { ...entry, action: 'target.approved' });
      return approveTarget(tx, target, now);
    });
    if (approved === null) throw new CommandError(`${hostname} was revoked meanwhile.`);
    return { json: shown(approved), lines: [`${hostname} is approved for tenant ${tenantId}.`] };
  },
};

const list: Command = {
  options: {},
  name: 'targets list',
  summary: 'Lists targets, and how many hostnames each of them proves',
  examples: ['targets list'],
  requires: [],
  async run(_values, { pool }) {
    const targets = await listTargets(pool);
    const data = targets.map((target) => ({ ...shown(target), connections: target.connections }));
    return {
      json: { data },
      lines: data.map(
        (one) =>
          `${one.hostname}  tenant ${one.tenant_id}  ${one.approved_at === null ? 'not approved' : `approved, proves ${one.connections}`}`,
      ),
    };
  },
};

const revoke: Command = {
  options: { ...TENANT, ...REASON },
  positional: 'TARGET',
  name: 'targets revoke',
  summary: 'Removes a target and ends the claims of all hostnames that it proves',
  examples: [
    "targets revoke customers.saas.com --tenant 01a1e812-8b29-7612-a7a6-0ab24065ea05 --reason 'Tenant moved away'",
  ],
  requires: ['TARGET', 'tenant', 'reason'],
  async run(values, { pool }) {
    const [tenantId, hostname, reason] = [idIn(values, 'tenant'), required(values, 'TARGET'), reasonIn(values)];
    await pool.transaction(async (tx) => {
      const isDeleted = await deleteTarget(tx, tenantId, hostname);
      const rest = isDeleted ? [] : await provedByTarget(tx, tenantId, hostname);
      if (!isDeleted && rest.length === 0) throw new CommandError(`The tenant has no target ${hostname}.`);
      const entry = { tenant_id: tenantId, target_id: null, target: hostname, now: new Date() };
      await auditOperator(tx, { ...entry, action: 'target.revoked', reason });
    });
    const ended = await endClaims(pool, tenantId, hostname);
    return {
      json: { tenant_id: tenantId, hostname, revoked: true, ended },
      lines: [`${hostname} is revoked. ${ended} hostnames are no longer served.`],
    };
  },
};

export const targetCommands = [add, approve, list, revoke];

/** Returns the target. A public suffix and hosts of this service cannot be one: they are not the tenant's own. */
function targetIn(values: Values, config: Config): string {
  if (config.IMPORT_CNAME_PROOF !== 'on')
    throw new CommandError('No CNAME proves a hostname here. Set IMPORT_CNAME_PROOF=on to use targets.');
  const own = ownHosts(config.baseUrl, config.edge);
  try {
    return connectableHostname(required(values, 'TARGET'), 'TARGET', 'live', own, { wildcard: false });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new UsageError(error.message);
  }
}

const challengeOf = ({ hostname, challenge_token }: CnameTarget) => ({
  name: challengeName(hostname),
  value: challenge_token,
});

const shown = ({ tenant_id, hostname, created_at, approved_at }: CnameTarget) => ({
  tenant_id,
  hostname,
  created_at,
  approved_at,
});

/** Fails unless the TXT record is on every reachable authoritative server, as for the proof of a connection. */
async function refuseUnproved(target: CnameTarget, config: Config): Promise<void> {
  const challenge = challengeOf(target);
  const observer = createObserver({
    resolvers: config.DNS_RESOLVERS,
    authoritativePort: config.DNS_AUTHORITATIVE_PORT,
    allowPrivate: config.DNS_ALLOW_PRIVATE,
  });
  try {
    const { outcome } = judgeChallenge(await observer.observeChallenge(target.hostname, challenge), challenge);
    if (outcome !== 'match')
      throw new CommandError(`TXT ${challenge.name} does not prove the target (${outcome}). It must be ${challenge.value}.`); // prettier-ignore
  } finally {
    await observer.close();
  }
}

/** Ends every claim that the target proves, and waits until no edge serves its hostname. Returns the number. */
async function endClaims(pool: Pool, tenantId: string, target: string): Promise<number> {
  for (let ended = 0; ;) {
    const ids = await provedByTarget(pool, tenantId, target);
    if (ids.length === 0) return ended;
    for (const id of ids) if (await endClaim(pool, id, target)) ended++;
  }
}

const endClaim = async (pool: Pool, id: string, target: string): Promise<boolean> => {
  const isEnded = await pool.transaction(async (tx) => {
    const row = await lockConnection(tx, id);
    if (row === null || !PROVED.has(row.state) || row.proof !== 'cname_target') return false;
    const reason = revokedReason(row.hostname, target);
    const fix = `Prove ${row.hostname} by TXT: verify this connection once its TXT record is published.`;
    await transition(tx, row, 'claimLost', { now: new Date(), ...lostClaim(row.hostname, reason, fix) });
    return true;
  });
  if (isEnded) await untilEveryCopyKnows(pool, { connectionId: id });
  return isEnded;
};
