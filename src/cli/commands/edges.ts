import { z } from 'zod';
import { auditOperator, type AuditAction } from '../../db/audit.ts';
import { renewNow } from '../../db/certificate/due-certificates.ts';
import { deleteEdge, listEdges, type EdgeRow } from '../../db/edge/edges.ts';
import {
  certificatesOf,
  drainEdge,
  listRegistered,
  newEdgeToken,
  registerToken,
  revokeEdge,
  type HeldCertificate,
  type RegisteredEdge,
} from '../../db/edge/registered-edges.ts';
import type { Pool } from '../../db/pool.ts';
import { required, type Command, type Values } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';

const list: Command = {
  name: 'edges',
  summary: 'Lists the edges: version, hostnames, certificates, lag and last contact',
  options: {},
  examples: ['edges'],
  requires: [],
  async run(_values, { pool }) {
    const [edges, tokens] = [await listEdges(pool), await listRegistered(pool)];
    return {
      json: edges,
      lines: [
        ...(edges.length === 0 ? ['No edge has registered.'] : edges.map(lineOf)),
        ...tokens.map((token) => `Token ${token.name}: ${useOf(token)}`),
      ],
    };
  },
};

const remove: Command = {
  name: 'edge forget',
  summary: 'Deletes an edge that was taken out of service',
  details: 'The edge is then no longer reported as cut off.',
  options: { id: { type: 'string', value: 'ID', help: 'The edge, as `edges` shows it' } },
  examples: ['edge forget --id 01a1e812-8b29-7612-a7a6-0ab24065ea05'],
  requires: ['id'],
  async run({ id }, { pool }) {
    const parsed = z.uuid().safeParse(id);
    if (!parsed.success) throw new UsageError('--id must be the id of an edge.');
    if (!(await deleteEdge(pool, parsed.data))) throw new CommandError(`There is no edge ${parsed.data}.`);
    return { json: { id: parsed.data, forgotten: true }, lines: [`The edge ${parsed.data} is deleted.`] };
  },
};

const add: Command = {
  name: 'edges add',
  summary: 'Registers an edge, so that it gets the feed and private keys',
  details: 'Prints a token, once. Set it as EDGE_TOKEN of the agent and start the agent within 15 minutes.',
  options: { name: { type: 'string', value: 'NAME', help: 'A name of your choice, such as the place of the edge' } },
  examples: ['edges add --name frankfurt-1'],
  requires: ['name'],
  run: (values, { pool }) => withNewToken(nameIn(values, 'name'), pool, { isNew: true, action: 'edge.added' }),
};

const rekey: Command = {
  name: 'edges rekey',
  summary: 'Gives an edge a new token, with which it can bind a new key pair',
  details: 'Prints the token, once. Its old token and key pair are no longer accepted.',
  options: {},
  positional: 'NAME',
  examples: ['edges rekey frankfurt-1'],
  requires: ['NAME'],
  run: (values, { pool }) => withNewToken(nameIn(values), pool, { isNew: false, action: 'edge.rekeyed' }),
};

const revoke: Command = {
  name: 'edges revoke',
  summary: 'Gives an edge no more private keys, and lists the certificates that it had',
  options: { reissue: { type: 'boolean', help: 'Order these certificates again, with new keys' } },
  positional: 'NAME',
  examples: ['edges revoke frankfurt-1', 'edges revoke frankfurt-1 --reissue'],
  requires: ['NAME'],
  async run(values, { pool }) {
    const name = nameIn(values);
    const held = await certificatesOf(pool, name);
    if (!(await revokeEdge(pool, name))) throw new CommandError(`There is no edge ${name}.`);
    await audited(pool, name, 'edge.revoked');
    const ordered = values['reissue'] === true ? held.filter(({ source }) => source !== 'uploaded') : [];
    await renewNow(
      pool,
      ordered.map(({ id }) => id),
      new Date(),
    );
    return {
      json: { name, revoked: true, hostnames: held.map(nameOf), reissued: ordered.map(nameOf) },
      lines: [
        `${name} gets no more keys. It had the keys of ${held.length} certificates.`,
        ...held.map((certificate) => `${certificate.hostname}: ${fateOf(certificate, ordered)}`),
      ],
    };
  },
};

const drain: Command = {
  name: 'edges drain',
  summary: 'Takes an edge out of service: it keeps serving, fails its health check, and reports when it can be stopped',
  details:
    'Remove its addresses from DNS or from your balancer too. `edges` shows when no request has arrived for a minute.',
  options: { cancel: { type: 'boolean', help: 'Put the edge back into service' } },
  positional: 'NAME',
  examples: ['edges drain frankfurt-1', 'edges drain frankfurt-1 --cancel'],
  requires: ['NAME'],
  async run(values, { pool }) {
    const name = nameIn(values);
    const draining = values['cancel'] !== true;
    if (!(await drainEdge(pool, name, draining))) throw new CommandError(`There is no edge ${name}.`);
    await audited(pool, name, draining ? 'edge.drained' : 'edge.restored');
    return {
      json: { name, draining },
      lines: [draining ? `${name} is draining. Run edges to see when it can be stopped.` : `${name} is in service.`],
    };
  },
};

const nameOf = ({ hostname }: HeldCertificate): string => hostname;

function fateOf(certificate: HeldCertificate, ordered: readonly HeldCertificate[]): string {
  if (certificate.source === 'uploaded') return 'its tenant uploaded it, and has to upload another.';
  return ordered.includes(certificate) ? 'is being ordered again.' : 'can be ordered again with --reissue.';
}

export const edgeCommands = [list, add, rekey, revoke, drain, remove];

async function withNewToken(
  name: string,
  pool: Pool,
  { isNew, action }: { isNew: boolean; action: AuditAction },
): ReturnType<Command['run']> {
  const token = newEdgeToken();
  if (!(await registerToken(pool, name, token, { isNew })))
    throw new CommandError(isNew ? `There is an edge ${name} already. Use edges rekey.` : `There is no edge ${name}.`);
  await audited(pool, name, action);
  return { json: { name, token }, lines: [`EDGE_TOKEN=${token}`, 'Start the agent with it within 15 minutes.'] };
}

const audited = (pool: Pool, name: string, action: AuditAction): Promise<void> =>
  pool.transaction((tx) =>
    auditOperator(tx, { tenant_id: null, target_id: null, target: name, action, now: new Date() }),
  );

/** Returns the edge's name, in the form of EDGE_ID. */
function nameIn(values: Values, option: 'name' | 'NAME' = 'NAME'): string {
  const name = required(values, option);
  if (!/^[\w.-]{1,64}$/.test(name)) throw new UsageError('The name must be made of letters, digits, dots and hyphens.');
  return name;
}

function useOf({ bound_at, revoked_at }: RegisteredEdge): string {
  if (revoked_at !== null) return `revoked at ${revoked_at.toISOString()}.`;
  return bound_at === null ? 'no edge has used it yet.' : `gets private keys since ${bound_at.toISOString()}.`;
}

/** A draining edge without requests for this long can be stopped. */
const QUIET_MS = 60_000;

function lineOf(edge: EdgeRow): string {
  const { id, name, is_trusted, heard_at, silent_seconds } = edge;
  const contact = is_trusted
    ? 'is up to date.'
    : `is cut off. It last reported at ${heard_at.toISOString()}, ${Math.round(silent_seconds)} s ago.`;
  return [`${name} (${id}) ${contact}`, detailsOf(edge), drainOf(edge), loginOf(edge)].filter(Boolean).join(' ');
}

function detailsOf({ version, names, certificates, lag_ms }: EdgeRow): string {
  if (version === null) return '';
  const lag = lag_ms === null ? '' : `, ${lag_ms} ms for the last change`;
  return `Version ${version}, ${names} hostnames, ${certificates} certificates${lag}.`;
}

function drainOf({ draining_at, idle_ms, is_trusted }: EdgeRow): string {
  if (draining_at === null || !is_trusted) return '';
  const idle = idle_ms ?? 0;
  if (Date.now() - draining_at.getTime() >= QUIET_MS && idle >= QUIET_MS)
    return `It is draining, and can be stopped: no request for ${Math.round(idle / 1_000)} s.`;
  return `It is draining: the last request was ${Math.round(idle / 1_000)} s ago.`;
}

const loginOf = ({ is_fed }: EdgeRow): string =>
  is_fed ? '' : 'Warning: it logs in to the database, which the next release removes. Set EDGE_FEED_URL.';
