import type { Checker, Subject } from './check.ts';
import { judgeCname } from './cname-proof.ts';
import { targetRecord } from '../connection/cname-proof.ts';
import { reachesEdge, wantedRecords, type EdgeTargets } from '../connection/edge-addresses.ts';
import { challengeRecord } from '../connection/challenge.ts';
import { diagnoseChallenge, diagnoseCname, diagnoseRecords } from './diagnosis.ts';
import { mailFindings } from '../email/mail-findings.ts';
import type { Finding } from './finding.ts';
import type { NameObservation, Observation, ServerView, ZoneObservation } from './observation.ts';
import type { Observer } from './observer.ts';
import type { DnsRecord } from '../record.ts';
import { isSilent, judgeChallenge, judgeRecords, type RecordVerdict, type Verdict } from './verdict.ts';

export interface CheckerOptions {
  observerOf(subject: Subject, wanted: DnsRecord[], now: number): Observer | Promise<Observer>;
  /** Returns the slugs of the providers that may serve a zone, likeliest first. */
  providersOf(zone: ZoneObservation): readonly string[];
  paceOf: Checker['paceOf'];
  /** Present addresses of the edge. Without these addresses, the records are checked as they were stored. */
  edge?: EdgeTargets;
}

/** Creates a checker that observes, judges and explains with any observer. */
export function createChecker({ observerOf, providersOf, paceOf, edge }: CheckerOptions): Checker {
  const zoneFacts = ({ zone }: Observation) =>
    zone.registered === true && zone.nameservers.length > 0
      ? { providers: providersOf(zone), nameservers: zone.nameservers }
      : { providers: null, nameservers: null };

  return {
    paceOf,

    async challenge(subject, now, signal) {
      const { challenge } = subject;
      const observer = await observerOf(subject, [challengeRecord(challenge)], now);
      const observation = await observer.observeChallenge(subject.hostname, challenge, signal);
      const { verdict, observed } = judgeChallenge(observation, challenge);
      const findings = diagnoseChallenge(observation, challenge, before(subject));
      const seenBy = serversOf(observation.challenge.servers);
      const sentence = sentenceFor(verdict, findings, `TXT ${challenge.name} is correct on ${seenBy}.`, observation);
      const silent = isUnheard(verdict, [observation.challenge]);
      return { verdict, observed, findings, sentence, silent, ...zoneFacts(observation), evidence: facts(observation) };
    },

    async cname(subject, now, signal) {
      const { hostname, proofTarget: target = '' } = subject;
      const record = targetRecord(hostname, target);
      const observer = await observerOf(subject, [record], now);
      const observation = await observer.observeCname(hostname, target, signal);
      const judged = judgeCname(observation, target);
      const findings = diagnoseCname(observation, record, judged.verdict, before(subject));
      const seenBy = serversOf(observation.alias.servers);
      const sentence = sentenceFor(judged.verdict, findings, `CNAME ${hostname} is correct on ${seenBy}.`, observation);
      const silent = isUnheard(judged.verdict, [observation.alias]);
      return { ...judged, findings, sentence, silent, ...zoneFacts(observation), evidence: facts(observation) };
    },

    async records(subject, now, signal) {
      const { hostname, desiredRecords, mail, proofTarget: target } = subject;
      const wanted = edge === undefined ? desiredRecords : wantedRecords(desiredRecords, edge);
      const observer = await observerOf(subject, wanted, now);
      const observation = await observer.observeRecords(hostname, wanted, signal);
      const judged = judgeRecords(observation, wanted);
      const verdict = verdictOf(judged, subject.liveAt !== null);
      const findings = diagnoseRecords(observation, wanted, before(subject));
      const isAwaited =
        target !== undefined && edge !== undefined && verdict === 'match' && subject.liveAt === null
          ? !(await reachesEdge(observer.lookup(signal), target, edge))
          : false;
      const well = isAwaited ? `${target ?? ''} does not point at the edge yet.` : 'Every record is published.';
      const sentence = sentenceFor(verdict, findings, well, observation);
      const warnings =
        mail === undefined
          ? []
          : mailFindings(await observer.observeRecords(mail.zone, mail.records, signal), mail.records);
      const silent = isUnheard(verdict, observation.names);
      const records = judged.map(({ record, propagated, optional, observedValue, observed }) => ({
        ...record,
        propagated,
        ...(optional ? { optional: true as const } : {}),
        observed_value: observedValue,
        observed,
      }));
      const report = { findings: [...findings, ...warnings], sentence, silent };
      const awaited = isAwaited ? { awaitsTarget: true as const } : {};
      return { verdict, records, ...awaited, ...report, ...zoneFacts(observation), evidence: facts(observation) };
    },
  };
}

/** Combines the verdicts. Public resolvers must agree until a connection serves; then their caches are no drift. */
function verdictOf(judged: RecordVerdict[], serving: boolean): Verdict {
  const required = judged.filter(({ isRequired }) => isRequired);
  const verdicts = new Set(required.map(({ verdict }) => verdict));
  if (verdicts.has('mismatch')) return 'mismatch';
  if (verdicts.has('unknown')) return 'unknown';
  return serving || required.every(({ settled }) => settled) ? 'match' : 'mismatch';
}

const isUnheard = (verdict: Verdict, names: NameObservation[]): boolean => verdict === 'unknown' && isSilent(names);

const before = ({ nameservers }: Subject) => (nameservers === null ? {} : { nameservers });

/** Returns the status line: the gravest finding, or the reason why no server answered. */
function sentenceFor(verdict: Verdict, findings: Finding[], well: string, { zone, hostname }: Observation): string {
  if (verdict === 'match') return well;
  const gravest = findings.find(({ severity }) => severity === 'error') ?? findings[0];
  if (gravest) return gravest.message;
  return verdict === 'unknown'
    ? `No server could be asked about ${hostname}${zone.cause === null ? '' : ` (${zone.cause})`}.`
    : `${hostname} is right at its own servers; public resolvers do not have it yet.`;
}

const serversOf = (views: ServerView[]): string =>
  views
    .filter((view) => Object.values(view.answers).some(({ outcome }) => outcome === 'answered'))
    .map(({ server }) => server.name ?? server.address)
    .join(', ');

/** Removes the times, which the stored row has already. */
const facts = ({ startedAt: _started, finishedAt: _finished, ...evidence }: Observation): object => evidence;
