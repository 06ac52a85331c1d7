import { diagnoseChallenge, diagnoseRecords } from '../domain/diagnosis.ts';
import type { Observer } from '../domain/observer.ts';
import type { Finding } from '../domain/finding.ts';
import type { Checker, Subject } from '../domain/check.ts';
import type { Observation, ServerView } from '../domain/observation.ts';
import { judgeChallenge, judgeRecords, type RecordJudgement, type Verdict } from '../domain/verdict.ts';
import { detectProvider } from './detect.ts';

/** Looks at the real DNS for a connection: what the observer saw, judged, explained, and said in one line. */
export function dnsChecker(observer: Observer): Checker {
  return {
    async challenge(subject, _now, signal) {
      const { challenge } = subject;
      const observation = await observer.observeChallenge(subject.hostname, challenge, signal);
      const { verdict, observed } = judgeChallenge(observation, challenge);
      const findings = diagnoseChallenge(observation, challenge, before(subject));
      const seenBy = serversOf(observation.challenge.servers);
      const sentence = statusLine(verdict, findings, `TXT ${challenge.name} is right on ${seenBy}.`, observation);
      return { verdict, observed, findings, sentence, evidence: evidenceOf(observation), ...zoneFacts(observation) };
    },

    async records(subject, _now, signal) {
      const observation = await observer.observeRecords(subject.hostname, subject.desiredRecords, signal);
      const judged = judgeRecords(observation, subject.desiredRecords);
      const verdict = verdictOf(judged, subject.liveAt !== null);
      const findings = diagnoseRecords(observation, subject.desiredRecords, before(subject));
      const sentence = statusLine(verdict, findings, 'Every record is there.', observation);
      const records = judged.map(({ record, propagated, observedValue }) => ({
        ...record,
        propagated,
        observed_value: observedValue,
      }));
      return { verdict, records, findings, sentence, evidence: evidenceOf(observation), ...zoneFacts(observation) };
    },
  };
}

/**
 * A connection on its way must be seen by the public resolvers too, because its visitors will ask them. One that serves
 * is judged by its authoritative servers alone: what resolvers remember of yesterday is no drift.
 */
function verdictOf(judged: RecordJudgement[], serving: boolean): Verdict {
  const verdicts = new Set(judged.map(({ verdict }) => verdict));
  if (verdicts.has('mismatch')) return 'mismatch';
  if (verdicts.has('unknown')) return 'unknown';
  return serving || judged.every(({ propagated }) => propagated) ? 'match' : 'mismatch';
}

const before = ({ nameservers }: Subject) => (nameservers === null ? {} : { nameservers });

/** Operators read this while the connection waits: the gravest finding, or why nobody could be asked. */
function statusLine(verdict: Verdict, findings: Finding[], well: string, { zone, hostname }: Observation): string {
  if (verdict === 'match') return well;
  const gravest = findings.find(({ severity }) => severity === 'error') ?? findings[0];
  if (gravest) return gravest.message;
  return verdict === 'unknown'
    ? `Nobody could be asked about ${hostname}${zone.cause === null ? '' : ` (${zone.cause})`}.`
    : `${hostname} is right at its own servers; public resolvers do not have it yet.`;
}

const serversOf = (views: ServerView[]): string =>
  views
    .filter((view) => Object.values(view.answers).some(({ outcome }) => outcome === 'answered'))
    .map(({ server }) => server.name ?? server.address)
    .join(', ');

function zoneFacts({ zone }: Observation): { provider: string | null; nameservers: string[] | null } {
  if (zone.registered !== true || zone.nameservers.length === 0) return { provider: null, nameservers: null };
  return { provider: detectProvider(zone.nameservers, zone.soa).slug, nameservers: zone.nameservers };
}

/** Without the times, which are on the row that stores it. */
const evidenceOf = ({ startedAt: _started, finishedAt: _finished, ...evidence }: Observation): object => evidence;
