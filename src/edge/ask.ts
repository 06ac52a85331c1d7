import { isServed, type Standing } from '../domain/edge/admission.ts';
import { isSandboxName } from '../domain/hostname.ts';
import type { Admissions } from './admission.ts';
import type { PublicAuthority } from './public-authority.ts';
import type { AskQuery } from './query.ts';
import type { Question, Reply } from './question.ts';

export type AskAnswer = 'allowed' | 'denied' | 'malformed' | 'unavailable';

const STATUS: Record<AskAnswer, number> = { allowed: 200, denied: 403, malformed: 400, unavailable: 503 };
const BODIES: Record<AskAnswer, string> = {
  allowed: '{"allow":true}',
  denied: '{"allow":false}',
  malformed: '{"allow":false}',
  unavailable: '{"allow":false}',
};

export interface AskOptions {
  /** Whether sandbox hostnames may get a certificate. A public CA cannot validate hostnames without public DNS. */
  sandboxNames: 'admitted' | 'refused';
  /** Null if the edge has its own CA, which issues for every proved hostname. */
  authority: PublicAuthority | null;
  /** Whether this edge serves the hostname with a certificate of ours, so that Caddy must not order another. */
  holdsCertificate?(hostname: string): boolean | Promise<boolean>;
  recordAsk(answer: AskAnswer): void;
}

/**
 * Answers whether the edge may obtain a certificate. Caddy reads only the status, and opens a new connection after each
 * response with a body, so `bare=1` omits the body. With a public CA, the hostname must point at the edge, or its order
 * would fail. The CA's rate limits must also allow an order.
 */
export function askHandler(admissions: Pick<Admissions, 'standingOf'>, options: AskOptions) {
  const { sandboxNames, authority, recordAsk, holdsCertificate = () => false } = options;
  const answer = (response: Reply, { isBare }: AskQuery, verdict: AskAnswer): void => {
    recordAsk(verdict);
    if (isBare) response.writeHead(verdict === 'allowed' ? 204 : STATUS[verdict], EMPTY).end();
    else response.writeHead(STATUS[verdict], JSON_HEADERS[verdict]).end(BODIES[verdict]);
  };

  const answerLater = (response: Reply, query: AskQuery, verdict: Promise<AskAnswer>): void => {
    verdict.then(
      (known) => answer(response, query, known),
      () => answer(response, query, 'unavailable'),
    );
  };

  /** Decides by the hostname's admission. `held`: ownership is proved. `pointing`: its DNS also points at the edge. */
  const judge = (hostname: string, admission: Standing): AskAnswer | Promise<AskAnswer> => {
    const isHeld = holdsCertificate(hostname);
    if (isHeld instanceof Promise) return isHeld.then((held) => (held ? 'denied' : mayObtain(hostname, admission)));
    return isHeld ? 'denied' : mayObtain(hostname, admission);
  };

  const mayObtain = (hostname: string, admission: Standing): AskAnswer | Promise<AskAnswer> => {
    if (isServed(admission) && admission !== 'ready') return 'allowed';
    if (authority === null) return PROVED.has(admission) ? 'allowed' : 'denied';
    if (admission !== 'pointing') return 'denied';
    return authority.mayOrder(hostname).then((may) => (may ? 'allowed' : 'denied'));
  };

  return (request: Question, response: Reply, query: AskQuery): void => {
    const { hostname } = query;
    if (request.method !== 'GET') {
      response.writeHead(405, { allow: 'GET', ...EMPTY }).end();
    } else if (hostname === undefined) {
      answer(response, query, 'malformed');
    } else if (sandboxNames === 'refused' && isSandboxName(hostname)) {
      answer(response, query, 'denied');
    } else {
      const admission = admissions.standingOf(hostname);
      const verdict =
        typeof admission === 'string' ? judge(hostname, admission) : admission.then((known) => judge(hostname, known));
      if (typeof verdict === 'string') answer(response, query, verdict);
      else answerLater(response, query, verdict);
    }
  };
}

/** Admissions of proved hostnames that do not serve yet. */
const PROVED: ReadonlySet<Standing> = new Set(['held', 'ready', 'pointing']);

const EMPTY = { 'content-length': 0 };
const jsonHeaders = (answer: AskAnswer) => ({
  'content-type': 'application/json',
  'content-length': BODIES[answer].length,
});
const JSON_HEADERS: Record<AskAnswer, Record<string, string | number>> = {
  allowed: jsonHeaders('allowed'),
  denied: jsonHeaders('denied'),
  malformed: jsonHeaders('malformed'),
  unavailable: jsonHeaders('unavailable'),
};
