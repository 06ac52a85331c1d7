import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Admissions } from './admission.ts';
import { askHandler, type AskOptions } from './ask.ts';
import { createOrigins } from './origins.ts';
import { routeHandler } from './route.ts';
import type { StreamRelays } from './stream-relays.ts';

/** Takes a request that is for the edge, and says whether it did. */
export type InternalHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface EdgeQuestions extends AskOptions {
  /** Origins may be on private and loopback addresses. */
  allowPrivateOrigins: boolean;
  /** Of the edge itself, where no origin can be. */
  ownAddresses?: readonly string[];
  /** Null where the edge dials origins itself for streams too. */
  relays?: StreamRelays | null;
}

/**
 * The two questions of the edge, answered before the framework sees the request: one comes with every handshake for a
 * name that the edge does not know, the other with every request.
 */
export function internalHandler(admissions: Admissions, questions: EdgeQuestions): InternalHandler {
  const ask = askHandler(admissions, questions);
  const { allowPrivateOrigins: allowPrivate, ownAddresses = [], relays = null } = questions;
  const route = routeHandler(admissions, createOrigins({ allowPrivate, ownAddresses }), relays);
  return (request, response) => {
    const url = request.url ?? '';
    if (leadsTo(url, ASK)) ask(request, response, url.slice(ASK.length + 1));
    else if (leadsTo(url, ROUTE)) route(request, response, url.slice(ROUTE.length + 1));
    else return false;
    return true;
  };
}

const ASK = '/internal/ask';
const ROUTE = '/internal/route';

const leadsTo = (url: string, path: string): boolean =>
  url.startsWith(path) && (url.length === path.length || url[path.length] === '?');
