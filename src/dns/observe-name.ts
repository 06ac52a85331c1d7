import type { NameQuestion } from '../domain/observation/observe.ts';
import { answered, distinct } from '../domain/observation/verdict.ts';
import type {
  Answer,
  NameObservation,
  ObservedRecord,
  ObservedType,
  ServerRef,
  ServerView,
} from '../domain/observation/observation.ts';
import type { AuthorityReply } from './authority-reply.ts';
import { proxyOf } from './endpoint.ts';
import { RCODE, type DnsMessage } from './message.ts';
import type { ObserverSettings } from './options.ts';
import type { Recursion } from './recursion.ts';
import type { Resolver } from './resolver.ts';
import type { ZoneCuts } from './zone-cut.ts';
import type { AuthoritativeZone } from './authoritative-zone.ts';

/** Limits of a stored observation. Strangers choose how many records a name has, and observations are kept for days. */
const MAX_RECORDS = 16;
const MAX_VALUE = 256;

export async function observeName(
  cuts: ZoneCuts,
  zone: AuthoritativeZone,
  question: NameQuestion,
  signal: AbortSignal,
): Promise<NameObservation> {
  const replies = await Promise.all(
    question.types.map(async (type) => {
      const answers = await cuts.ask(zone, question.name, type, signal);
      return answers.map(({ server, reply }) => ({ type, ref: server, answer: toAnswer(reply, question, type) }));
    }),
  );
  const servers = viewsOf(replies.flat());
  return { name: question.name, servers, resolvers: [], proxy: proxyAt(servers) };
}

/** Asks the public resolvers about a name with the right records. They would cache the absence of any other name. */
export async function askResolvers(
  { resolver, recursion, settings }: { resolver: Resolver; recursion: Recursion; settings: ObserverSettings },
  question: NameQuestion,
  zone: string,
  signal: AbortSignal,
): Promise<ServerView[]> {
  const asked = settings.resolvers.flatMap((endpoint) => question.types.map((type) => ({ endpoint, type })));
  const replies = asked.map(async ({ endpoint, type }) => {
    const ask = { name: question.name, type, recursion: true };
    const ref = { name: null, address: endpoint.address, port: endpoint.port };
    let reply = await resolver.ask(endpoint, ask, signal);
    // A resolver reports its own problems like a broken signature. Only a second failure may mean the latter.
    if (!reply.ok && reply.cause === 'servfail') reply = await resolver.ask(endpoint, ask, signal);
    if (reply.ok) return { type, ref, answer: answerOf(reply.message, question, type) };
    const isBogus =
      reply.cause === 'servfail' &&
      (await resolver.ask(endpoint, { ...ask, checkingDisabled: true }, signal)).ok &&
      (await recursion.isSigned(zone, signal));
    return { type, ref, answer: { outcome: 'unknown', cause: isBogus ? 'bogus' : reply.cause } as const };
  });
  return viewsOf(await Promise.all(replies));
}

interface AnsweredBy {
  type: ObservedType;
  ref: ServerRef;
  answer: Answer;
}

function viewsOf(answers: AnsweredBy[]): ServerView[] {
  const byServer = Map.groupBy(answers, ({ ref }) => `${ref.name ?? ''} ${ref.address} ${ref.port}`);
  return [...byServer.values()].flatMap((own) => {
    const server = own[0]?.ref;
    return server ? [{ server, answers: Object.fromEntries(own.map(({ type, answer }) => [type, answer])) }] : [];
  });
}

const toAnswer = (reply: AuthorityReply, question: NameQuestion, type: ObservedType): Answer => {
  if (reply.kind === 'answer') return answerOf(reply.message, question, type);
  return { outcome: 'unknown', cause: reply.kind === 'unknown' ? reply.cause : 'lame' };
};

function answerOf(message: DnsMessage, { name, keep }: NameQuestion, type: ObservedType): Answer {
  const own = ownRecords(message, name).filter((record) => record.type === type || record.type === 'CNAME');
  // Wanted values come first and stay complete, so that the limits can never hide a match.
  const ordered = [...own.filter(({ value }) => keep.has(value)), ...own.filter(({ value }) => !keep.has(value))];
  return {
    outcome: 'answered',
    exists: message.rcode !== RCODE.NXDOMAIN || own.length > 0,
    records: ordered.slice(0, MAX_RECORDS).map((record) => toSeen(record, keep)),
    omitted: Math.max(0, ordered.length - MAX_RECORDS),
    negativeTtl: own.length === 0 ? (message.soa?.negativeTtl ?? null) : null,
  };
}

const toSeen = ({ type, value, priority, ttl }: ObservedRecord, keep: ReadonlySet<string>): ObservedRecord => ({
  type,
  value: value.length > MAX_VALUE && !keep.has(value) ? `${value.slice(0, MAX_VALUE)}…` : value,
  priority,
  ttl,
});

/** Returns the records at the queried name itself. */
export const ownRecords = (message: DnsMessage, name: string) =>
  message.answers.filter((record) => record.name === name);

function proxyAt(servers: ServerView[]): string | null {
  const records = servers.flatMap((view) =>
    [answered(view, 'A'), answered(view, 'AAAA')].flatMap((answer) => answer?.records ?? []),
  );
  if (records.some(({ type }) => type === 'CNAME')) return null;
  return proxyOf(distinct(records.map(({ value }) => value)));
}
