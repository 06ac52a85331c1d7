/** The parts of a request that the edge's questions need. Requests of node:http have them too. */
export interface Question {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: { readonly 'accept-language'?: string | undefined };
  readonly socket: { readonly localAddress?: string | undefined };
}

/** The parts of a response that answers need. Responses of node:http have them too. */
export interface Reply {
  writeHead(status: number, headers?: Readonly<Record<string, string | number>>): { end(body?: string): unknown };
}

export type Answerer = (question: Question, reply: Reply) => void;
