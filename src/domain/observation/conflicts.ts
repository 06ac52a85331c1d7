import { isSame } from './verdict.ts';
import type { NameObservation, ObservedRecord } from './observation.ts';
import type { DnsRecord } from '../record.ts';

/**
 * Records that cannot stay as they are once the wanted ones stand there: anything beside a wanted CNAME (RFC 1034
 * section 3.6.2), an alias in the place of any record, other addresses beside wanted ones. Mail and text at an apex are no
 * conflict: an ALIAS lives with them.
 */
export function conflictsWith(wanted: DnsRecord[], names: NameObservation[]): DnsRecord[] {
  return names.flatMap((look) => {
    const here = wanted.filter(({ host }) => host === look.name);
    const standing = recordsAt(look).filter((seen) => !here.some((record) => isWanted(seen, record)));
    return standing
      .filter((seen) => here.some((record) => excludes(record, seen)))
      .map(({ type, value, ttl, priority }) => ({ host: look.name, type, value, ttl, priority }));
  });
}

/** An ALIAS that a provider shows as a CNAME at the apex is the wanted record itself. */
const isWanted = (seen: ObservedRecord, record: DnsRecord): boolean =>
  isSame(seen, record.type === 'ALIAS' ? { ...record, type: 'CNAME' } : record);

function excludes(record: DnsRecord, seen: ObservedRecord): boolean {
  if (seen.type === 'CNAME') return true;
  if (record.type === 'CNAME') return true;
  const isAddress = seen.type === 'A' || seen.type === 'AAAA';
  return record.type === 'ALIAS' ? isAddress : isAddress && seen.type === record.type;
}

/** What any of the servers shows at the name, each record once. */
function recordsAt({ servers }: NameObservation): ObservedRecord[] {
  const answers = servers.flatMap((view) => Object.values(view.answers));
  const records = answers.flatMap((answer) => (answer.outcome === 'answered' ? answer.records : []));
  return [
    ...new Map(records.map((record) => [`${record.type} ${record.priority ?? ''} ${record.value}`, record])).values(),
  ];
}
