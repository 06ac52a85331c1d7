import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Admissions } from './admission.ts';
import { askHandler, type Answer } from './ask.ts';
import { createOrigins } from './origins.ts';
import { routeHandler } from './route.ts';

/** Takes a request that is for the edge, and says whether it did. */
export type InternalHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface EdgeQuestions {
  /** With certificates of a public authority, names of the sandbox get none. */
  sandboxNames: 'admitted' | 'refused';
  /** Origins may be on private and loopback addresses. */
  allowPrivateOrigins: boolean;
  noteAsk(answer: Answer): void;
}

/**
 * The two questions of the edge, answered before the framework sees the request: one comes with every handshake for a
 * name that the edge does not know, the other with every request.
 */
export function internalHandler(admissions: Admissions, questions: EdgeQuestions): InternalHandler {
  const ask = askHandler(admissions, questions);
  const route = routeHandler(admissions, createOrigins({ allowPrivate: questions.allowPrivateOrigins }));
  return (request, response) => {
    const url = request.url ?? '';
    if (!url.startsWith('/internal/')) return false;
    const end = url.indexOf('?');
    const path = end < 0 ? url : url.slice(0, end);
    const query = end < 0 ? '' : url.slice(end + 1);
    if (path === '/internal/ask') ask(request, response, query);
    else if (path === '/internal/route') route(request, response, query);
    else return false;
    return true;
  };
}
