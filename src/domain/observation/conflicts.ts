import { isSame } from './verdict.ts';
import type { NameObservation, ObservedRecord } from './observation.ts';
import type { DnsRecord } from '../record.ts';

/** Returns records to remove first: others next to a CNAME (RFC 1034 3.6.2), aliases in our place, other addresses. */
export function conflictsWith(wanted: DnsRecord[], names: NameObservation[]): DnsRecord[] {
  return names.flatMap((name) => {
    const here = wanted.filter(({ host }) => host === name.name);
    const standing = recordsAt(name).filter((seen) => !here.some((record) => isWanted(seen, record)));
    return standing
      .filter((seen) => here.some((record) => excludes(record, seen)))
      .map(({ type, value, ttl, priority }) => ({ host: name.name, type, value, ttl, priority }));
  });
}

/** Whether the record is the wanted one. A provider may show an ALIAS as a CNAME at the apex. */
const isWanted = (seen: ObservedRecord, record: DnsRecord): boolean =>
  isSame(seen, record.type === 'ALIAS' ? { ...record, type: 'CNAME' } : record);

function excludes(record: DnsRecord, seen: ObservedRecord): boolean {
  if (seen.type === 'CNAME') return true;
  if (record.type === 'CNAME') return true;
  const isAddress = seen.type === 'A' || seen.type === 'AAAA';
  return record.type === 'ALIAS' ? isAddress : isAddress && seen.type === record.type;
}

function recordsAt({ servers }: NameObservation): ObservedRecord[] {
  const answers = servers.flatMap((view) => Object.values(view.answers));
  const records = answers.flatMap((answer) => (answer.outcome === 'answered' ? answer.records : []));
  return [
    ...new Map(records.map((record) => [`${record.type} ${record.priority ?? ''} ${record.value}`, record])).values(),
  ];
}
