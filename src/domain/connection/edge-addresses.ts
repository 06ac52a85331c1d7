import { walkAliases, type Lookup } from '../observation/alias-path.ts';
import { isPolicy, type WantedRecord } from '../observation/verdict.ts';
import { canonicalValue, plainRecord, type DnsRecord, type RecordType } from '../record.ts';

/** Addresses of the edge, for the records that customers add. */
export interface EdgeTargets {
  cnameTarget: string;
  ipv4: readonly string[];
  ipv6: readonly string[];
  /** `any`: a non-empty subset of the addresses is right at a name. `all`: only the whole set is. */
  policy: EdgePolicy;
}

export const EDGE_POLICIES = ['any', 'all'] as const;
export type EdgePolicy = (typeof EDGE_POLICIES)[number];

/** A desired record, as a connection stores it. */
export interface DesiredRecord extends DnsRecord {
  /** The value was an address of the edge when the record was stored, so it changes with the edge's addresses. */
  edge?: true;
  /** The connection is live without the record. */
  required?: false;
}

export type CurrentRecord = Omit<DesiredRecord, 'edge'>;

/** Marks the edge's addresses, so that they are recognised after the operator has removed one from the list. */
export const storedRecords = (records: readonly DesiredRecord[], edge: EdgeTargets): DesiredRecord[] =>
  records.map((record) => (isListed(record, edge) ? { ...record, edge: true } : record));

const withoutMark = ({ edge: _edge, ...record }: DesiredRecord): CurrentRecord => record;

/** Returns the desired records with the edge's present addresses in place of those that were stored. */
export function currentRecords(stored: readonly DesiredRecord[], edge: EdgeTargets): CurrentRecord[] {
  const isAddress = (record: DesiredRecord) =>
    addressesOf(record.type, edge).length > 0 && (record.edge === true || isListed(record, edge));
  return stored.flatMap((record, i) => {
    const plain = withoutMark(record);
    if (!isAddress(record)) return [plain];
    const isSet = ({ host, type }: DnsRecord) => host === record.host && type === record.type;
    if (stored.slice(0, i).some((other) => isSet(other) && isAddress(other))) return [];
    return addressesOf(record.type, edge).map((value) => ({ ...plain, value }));
  });
}

/** Returns the records that we write. A sender policy (SPF) applies to all senders of its owner, who merges it. */
export const writtenRecords = (stored: readonly DesiredRecord[], edge: EdgeTargets): DnsRecord[] =>
  currentRecords(stored, edge)
    .filter((record) => !isPolicy(record))
    .map(plainRecord);

/** Returns the present records for a check. With `any`, those that point to the edge carry its addresses. */
export function wantedRecords(stored: readonly DesiredRecord[], edge: EdgeTargets): WantedRecord[] {
  const anyOf = [...canonical('A', edge.ipv4), ...canonical('AAAA', edge.ipv6)];
  const pointsToEdge = (record: DnsRecord) => isListed(record, edge) || isTarget(record, edge);
  return currentRecords(stored, edge).map((record) =>
    edge.policy === 'any' && anyOf.length > 0 && pointsToEdge(record) ? { ...record, anyOf } : record,
  );
}

/** Whether the name resolves to the edge: through its CNAME target, or to addresses that are all the edge's. */
export async function reachesEdge(lookup: Lookup, name: string, edge: EdgeTargets): Promise<boolean> {
  const edgeName = canonicalValue('CNAME', edge.cnameTarget);
  const [path, own] = await Promise.all([walkAliases(lookup, name), walkAliases(lookup, edgeName)]);
  if (path.through.includes(edgeName)) return true;
  const ours = [...canonical('A', edge.ipv4), ...canonical('AAAA', edge.ipv6), ...(own.addresses ?? [])];
  return (path.addresses?.length ?? 0) > 0 && path.addresses?.every((address) => ours.includes(address)) === true;
}

const addressesOf = (type: RecordType, { ipv4, ipv6 }: EdgeTargets): readonly string[] =>
  type === 'A' ? ipv4 : type === 'AAAA' ? ipv6 : [];

const canonical = (type: 'A' | 'AAAA', values: readonly string[]): string[] =>
  values.map((value) => canonicalValue(type, value));

const isListed = ({ type, value }: DnsRecord, edge: EdgeTargets): boolean =>
  addressesOf(type, edge).some((address) => canonicalValue(type, address) === canonicalValue(type, value));

const isTarget = ({ type, value }: DnsRecord, { cnameTarget }: EdgeTargets): boolean =>
  (type === 'CNAME' || type === 'ALIAS') && canonicalValue(type, value) === canonicalValue(type, cnameTarget);
