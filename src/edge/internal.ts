import type { Admissions } from './admission.ts';
import type { AnswerGeneration } from './answer-generation.ts';
import { askHandler, type AskOptions } from './ask.ts';
import type { OriginAttempts, RecordOrigin } from './origin-attempts.ts';
import { createOrigins, type CheckedAddresses } from './origins.ts';
import type { DialPolicy } from '../net/safe-dial.ts';
import { parseAsk, parsePage, parseRoute, type RouteQuery } from './query.ts';
import type { Question, Reply } from './question.ts';
import type { RequestsInProgress } from './requests-in-progress.ts';
import { routeHandler } from './route.ts';
import { pageHandler, showPage, type RecordPage } from './shown-page.ts';
import type { SigningKeys } from './signature.ts';
import type { StreamRelays } from './stream-relays.ts';

/** Handles a request of the edge, and returns whether it was one. */
export type InternalHandler = (request: Question, response: Reply) => boolean;

export interface EdgeQuestions extends AskOptions {
  /** Addresses that origins may have. */
  originDial: DialPolicy;
  /** Null if the edge dials origins itself for streams. */
  relays?: StreamRelays | null;
  /** Addresses of origins that were checked before, if they are stored. */
  checkedAddresses?: CheckedAddresses;
  /** Present if the edge can dial the names of dial-name.ts. */
  attempts?: OriginAttempts;
  /** Present if the edge's requests are counted. */
  inProgress?: RequestsInProgress;
  recordOrigin?: RecordOrigin;
  recordPage?: RecordPage;
  /** Keys for signatures, which origins verify. Without them nothing is signed. */
  signingKeys?: SigningKeys;
  /** Generation of the answers that Caddy may use again; absent if it asks for each request. */
  generation?: Pick<AnswerGeneration, 'current'>;
}

const NO_KEYS: SigningKeys = { get: () => null };

/** Creates the handler of the edge's questions, which runs before Express, for handshakes and requests. */
export function internalHandler(admissions: Admissions, questions: EdgeQuestions): InternalHandler {
  const ask = askHandler(admissions, questions);
  const { relays = null, checkedAddresses: checked, originDial, signingKeys = NO_KEYS, generation } = questions;
  const { attempts = null, inProgress = null, recordOrigin = () => undefined } = questions;
  const originOf = createOrigins({ ...originDial, checked });
  const show = showPage(questions.recordPage ?? (() => undefined));
  const counting = { attempts, inProgress, recordOrigin };
  const route = routeHandler(admissions, { originOf, relays, ...counting, signingKeys, show, generation });
  const page = pageHandler(admissions, attempts, show);
  const admission = admissionHandler(admissions);
  return (request, response) => {
    const url = request.url ?? '';
    if (isAt(url, ASK)) ask(request, response, parseAsk(url.slice(ASK.length + 1)));
    else if (isAt(url, ROUTE)) route(request, response, parseRoute(url.slice(ROUTE.length + 1)));
    else if (isAt(url, PAGE)) page(request, response, parsePage(url.slice(PAGE.length + 1)));
    else if (isAdmissionUrl(url)) admission(response, parseRoute(url.slice(ADMISSION.length + 1)));
    else return false;
    return true;
  };
}

const admissionHandler =
  (admissions: Admissions) =>
  (response: Reply, { hostname }: RouteQuery): void => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const known = async () => admissions.lookup(hostname ?? '');
    known().then(
      (known) => answer(200, known),
      () => answer(503, {}),
    );
  };

const ASK = '/internal/ask';
const ROUTE = '/internal/route';
const PAGE = '/internal/page';
const ADMISSION = '/internal/admission';

const isAt = (url: string, path: string): boolean =>
  url.startsWith(path) && (url.length === path.length || url[path.length] === '?');

/** Whether an agent asks for the admission of a hostname. */
export const isAdmissionUrl = (url: string): boolean => isAt(url, ADMISSION);
