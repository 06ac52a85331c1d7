import type { DnsRecord, RecordType } from '../record.ts';
import type { Answer, NameObservation, ObservedType, ServerView, UnknownCause } from './observation.ts';

/** Answer of one server for the name and type of a wanted record. */
export interface ServerAnswer {
  /** Host name of an authoritative server, or the address of a public resolver. */
  server: string;
  kind: 'authoritative' | 'resolver';
  /** Values with their type where it differs from the wanted one; null if the server gave no answer. */
  values: string[] | null;
  /** Reason for a missing answer; null if there is one. */
  cause: UnknownCause | null;
}

/** Returns what each server answered in a check of the records. `evidence` is that of the check. */
export function serverAnswers(evidence: unknown, { host, type }: Pick<DnsRecord, 'host' | 'type'>): ServerAnswer[] {
  const { names = [] } = (evidence ?? {}) as { names?: readonly NameObservation[] };
  const observed = names.find(({ name }) => name === host);
  if (observed === undefined) return [];
  // A question for addresses finds a CNAME too. ALIAS exists only at providers: servers answer with addresses.
  const asked: ObservedType[] = type === 'ALIAS' || type === 'CNAME' ? ['A', 'AAAA'] : [type];
  const answerOf =
    (kind: ServerAnswer['kind']) =>
    ({ server, answers }: ServerView): ServerAnswer => {
      const given = asked.map((one) => answers[one]).filter((answer) => answer !== undefined);
      return { server: server.name ?? server.address, kind, ...together(given, type) };
    };
  return [...observed.servers.map(answerOf('authoritative')), ...observed.resolvers.map(answerOf('resolver'))];
}

function together(given: readonly Answer[], wanted: RecordType): Pick<ServerAnswer, 'values' | 'cause'> {
  const answered = given.filter((answer) => answer.outcome === 'answered');
  if (answered.length === 0) {
    const [failed] = given.filter((answer) => answer.outcome === 'unknown');
    return { values: null, cause: failed?.cause ?? null };
  }
  const values = answered.flatMap(({ records }) =>
    records.map((record) => (record.type === wanted ? record.value : `${record.type} ${record.value}`)),
  );
  return { values: [...new Set(values)], cause: null };
}
