import type { SeedRecord } from '../lab.ts';
import type { ProviderDouble } from '../doubles/double.ts';

/**
 * Calls that a public client made to the real API, and the answers, reduced to their shape. The double of that API must
 * answer the same requests with the same status and an answer of the same shape.
 */
export interface RecordedCalls {
  /** A zone that the account had when the calls were recorded. */
  zone: string;
  seed?: readonly SeedRecord[];
  /** Returns the client's authentication headers; some clients sign each request. */
  headers(double: ProviderDouble, request: SentRequest): Record<string, string>;
  calls: readonly RecordedCall[];
  /** Query of every request, if the double's account needs one that the recorded account did not. */
  query?: string;
}

export interface SentRequest {
  method: string;
  /** The complete URL, with the double's address. */
  url: string;
  body: string;
}

export interface RecordedCall {
  /** Method and path below the double's URL, as in `GET /domains/example.com/records/{id}`. */
  call: string;
  /** An object is sent as JSON; a string is sent unchanged. */
  body?: unknown;
  status: number;
  /** JSON or XML. Every key, element and attribute must be in the double's answer, with a value of the same kind. */
  answer?: unknown;
  /** Values of the answer that later paths need, such as `{id: 'domain_record.id'}`. */
  keep?: Readonly<Record<string, string>>;
}
