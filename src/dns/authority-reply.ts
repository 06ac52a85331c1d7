import type { UnknownCause } from '../domain/observation/observation.ts';
import { isInZone } from '../domain/record.ts';
import type { DnsMessage } from './message.ts';
import type { Reply } from './resolver.ts';

/** Reply of a server that should be authoritative for a zone, about a name in the zone. */
export type AuthorityReply =
  | { kind: 'answer'; message: DnsMessage }
  | { kind: 'referral'; referral: Referral }
  | { kind: 'unknown'; cause: UnknownCause };

/** A delegation to the name servers of a child zone. */
export interface Referral {
  zone: string;
  nameservers: string[];
  /** Addresses from the referring server, by server name. */
  glue: Map<string, string[]>;
}

/** Accepts only an authoritative answer or a referral towards the name. Any other reply is lame and proves nothing. */
export function readAuthorityReply(reply: Reply, zone: string, name: string): AuthorityReply {
  if (!reply.ok) return { kind: 'unknown', cause: reply.cause };
  const { message } = reply;
  if (message.authoritative) return { kind: 'answer', message };
  const referral = message.answers.length === 0 ? readReferral(message, zone, name) : undefined;
  return referral ? { kind: 'referral', referral } : { kind: 'unknown', cause: 'lame' };
}

function readReferral(message: DnsMessage, zone: string, name: string): Referral | undefined {
  const delegations = message.authorities.filter(
    ({ type, name: owner }) => type === 'NS' && owner !== zone && isInZone(owner, zone) && isInZone(name, owner),
  );
  const child = delegations[0]?.name;
  if (child === undefined) return undefined;
  const nameservers = delegations.filter(({ name: owner }) => owner === child).map(({ value }) => value);
  // Glue for a server outside the referring zone cannot be trusted. Its address must be resolved separately.
  const glue = Map.groupBy(
    message.additionals.filter(({ type, name: server }) => isAddress(type) && isInZone(server, zone)),
    (record) => record.name,
  );
  return {
    zone: child,
    nameservers: [...new Set(nameservers)].sort(),
    glue: new Map([...glue].map(([server, records]) => [server, records.map(({ value }) => value)])),
  };
}

const isAddress = (type: string): boolean => type === 'A' || type === 'AAAA';
