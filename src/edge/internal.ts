import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Admissions } from './admission.ts';
import { askHandler, type AskOptions } from './ask.ts';
import { createOrigins, type CheckedAddresses } from './origins.ts';
import type { DialPolicy } from '../net/safe-dial.ts';
import { hostnameParameter } from './query.ts';
import { pageHandler, routeHandler } from './route.ts';
import type { StreamRelays } from './stream-relays.ts';

/** Takes a request that is for the edge, and says whether it did. */
export type InternalHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface EdgeQuestions extends AskOptions {
  /** Which addresses origins may have. */
  originDial: DialPolicy;
  /** Null where the edge dials origins itself for streams too. */
  relays?: StreamRelays | null;
  /** Of origins, where they are kept. */
  checkedAddresses?: CheckedAddresses;
  /** Whether the edge can dial the names that dial-name.ts makes. */
  dialNames?: boolean;
}

/**
 * The questions of the edge, answered before the framework sees the request: one comes with every handshake for a name
 * that the edge does not know, one with every request, and one from an edge's agent that cannot reach the database.
 */
export function internalHandler(admissions: Admissions, questions: EdgeQuestions): InternalHandler {
  const ask = askHandler(admissions, questions);
  const { relays = null, checkedAddresses: checked, originDial, dialNames = false } = questions;
  const originOf = createOrigins({ ...originDial, checked });
  const route = routeHandler(admissions, { originOf, relays, dialNames });
  const page = pageHandler(admissions);
  const admission = admissionHandler(admissions);
  return (request, response) => {
    const url = request.url ?? '';
    if (leadsTo(url, ASK)) ask(request, response, url.slice(ASK.length + 1));
    else if (leadsTo(url, ROUTE)) route(request, response, url.slice(ROUTE.length + 1));
    else if (leadsTo(url, PAGE)) page(response, url.slice(PAGE.length + 1));
    else if (leadsTo(url, ADMISSION)) admission(response, url.slice(ADMISSION.length + 1));
    else return false;
    return true;
  };
}

const admissionHandler =
  (admissions: Admissions) =>
  (response: ServerResponse, query: string): void => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const known = async () => admissions.lookup(hostnameParameter(query, 'host') ?? '');
    known().then(
      ({ standing, originUrl, displayName }) =>
        answer(200, { standing, origin_url: originUrl, display_name: displayName }),
      () => answer(503, {}),
    );
  };

const ASK = '/internal/ask';
const ROUTE = '/internal/route';
const PAGE = '/internal/page';
const ADMISSION = '/internal/admission';

const leadsTo = (url: string, path: string): boolean =>
  url.startsWith(path) && (url.length === path.length || url[path.length] === '?');
