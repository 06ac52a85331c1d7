/** The parts of a request that the edge's questions need. Requests of node:http have them too. */
export interface Question {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Partial<Record<QuestionHeader, string | undefined>>>;
  readonly socket: { readonly localAddress?: string | undefined };
}

/**
 * Largest request line and headers. They carry the visitor's URI: Caddy accepts about 20 kB by default, and operators can
 * raise its limit.
 */
export const LARGEST_QUESTION = 1_048_576;

/** Headers of a question: the visitor's language, and what a signature for the origin needs of the request. */
export type QuestionHeader = 'accept-language' | 'x-forwarded-method' | 'x-forwarded-uri' | 'x-request-id';

/** The parts of a response that answers need. Responses of node:http have them too. */
export interface Reply {
  writeHead(status: number, headers?: Headers): { end(body?: string): unknown };
  /** Sends a 200 without an end. Caddy closes it when the visitor's request is over. */
  hold?(headers: Headers, onEnd: () => void): void;
}

type Headers = Readonly<Record<string, string | number>>;

export type Answerer = (question: Question, reply: Reply) => void;
