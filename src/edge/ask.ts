import type { IncomingMessage, ServerResponse } from 'node:http';
import { strictHostname } from '../domain/hostname.ts';
import type { Admissions } from './admission.ts';
import type { Standing } from './admission-table.ts';
import { soleParameter } from './query.ts';

export type AskAnswer = 'allowed' | 'denied' | 'malformed' | 'unavailable';

const STATUS: Record<AskAnswer, number> = { allowed: 200, denied: 403, malformed: 400, unavailable: 503 };
const BODIES: Record<AskAnswer, string> = {
  allowed: '{"allow":true}',
  denied: '{"allow":false}',
  malformed: '{"allow":false}',
  unavailable: '{"allow":false}',
};

interface AskOptions {
  sandboxNames: 'admitted' | 'refused';
  noteAsk(answer: AskAnswer): void;
}

/**
 * Whether the edge may obtain a certificate for a name. The edge reads the status alone, so a denial is never 2xx, and
 * what is no hostname is refused before anything is looked up. `bare=1` leaves the body out: with one, the edge would
 * open a new connection for every question.
 */
export function askHandler(admissions: Admissions, { sandboxNames, noteAsk }: AskOptions) {
  const answer = (response: ServerResponse, query: string, verdict: AskAnswer): void => {
    noteAsk(verdict);
    if (soleParameter(query, 'bare') === '1')
      response.writeHead(verdict === 'allowed' ? 204 : STATUS[verdict], EMPTY).end();
    else response.writeHead(STATUS[verdict], JSON_HEADERS[verdict]).end(BODIES[verdict]);
  };

  return (request: IncomingMessage, response: ServerResponse, query: string): void => {
    const name = soleParameter(query, 'domain');
    if (request.method !== 'GET') {
      response.writeHead(405, { allow: 'GET', ...EMPTY }).end();
    } else if (name === undefined || !strictHostname(name, SANDBOX_TOO).ok) {
      answer(response, query, 'malformed');
    } else if (sandboxNames === 'refused' && name.endsWith('.test')) {
      answer(response, query, 'denied');
    } else {
      const standing = admissions.standingOf(name);
      if (typeof standing === 'string') answer(response, query, judge(standing));
      else
        standing.then(
          (later) => answer(response, query, judge(later)),
          () => answer(response, query, 'unavailable'),
        );
    }
  };
}

const judge = (standing: Standing): AskAnswer => (standing === 'held' || standing === 'serving' ? 'allowed' : 'denied');

const SANDBOX_TOO = { test: true };
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
