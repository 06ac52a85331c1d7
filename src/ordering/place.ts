import { randomUUID } from 'node:crypto';
import { coveringCredential } from '../db/zone/credentials.ts';
import type { Queryable } from '../db/pool.ts';
import type { Lookup } from '../domain/observation/alias-path.ts';
import type { Delegation } from './delegation.ts';

/** Where the challenge of a hostname can be published. */
export type Place =
  /** In the customer's zone, through the application's credential. */
  | { kind: 'zone'; name: string }
  /** In the operator's zone: the customer has delegated the challenge. */
  | { kind: 'delegated'; name: string }
  /** The name points elsewhere, which we never overwrite. */
  | { kind: 'taken'; target: string }
  /** The customer has not delegated the challenge yet, or no server answers. */
  | { kind: 'none' };

/** Returns the target of a CNAME at the name itself. A wildcard's answer at every name is none. */
async function aliasAt(lookup: Lookup, host: string): Promise<string | undefined> {
  const { alias } = await lookup(host, 'TXT');
  if (alias === undefined) return undefined;
  const sibling = host.replace(/^[^.]+/, `x${randomUUID().slice(0, 8)}`);
  return (await lookup(sibling, 'TXT')).alias === alias ? undefined : alias;
}

/** Finds where to publish a challenge. A delegation that exists comes before a credential. */
export async function placeOf(
  { db, lookup, delegation }: { db: Queryable; lookup: Lookup; delegation: Delegation | null },
  { application_id, hostname }: { application_id: string; hostname: string },
  host: string,
): Promise<Place> {
  const alias = await aliasAt(lookup, host);
  const delegated = delegation?.nameFor(hostname);
  if (alias !== undefined && alias === delegated) return { kind: 'delegated', name: delegated };
  if (alias !== undefined) return { kind: 'taken', target: alias };
  const credential = await coveringCredential(db, application_id, host);
  return credential === null ? { kind: 'none' } : { kind: 'zone', name: host };
}
