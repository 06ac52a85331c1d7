import type { SeedRecord } from '../lab.ts';
import type { ProviderDouble } from '../doubles/double.ts';

/**
 * Calls that a public client made to the real API, and what it was answered, shortened to what has a shape. The double
 * of that API has to answer the same requests with the same status and an answer of the same shape.
 */
export interface RecordedCalls {
  /** A zone that the account held when the calls were recorded. */
  zone: string;
  seed?: readonly SeedRecord[];
  /** How the client proved who it is; some sign each request. */
  headers(double: ProviderDouble, request: SentRequest): Record<string, string>;
  calls: readonly RecordedCall[];
}

export interface SentRequest {
  method: string;
  /** Whole, with the double's address. */
  url: string;
  body: string;
}

export interface RecordedCall {
  /** Method and path below the double's address, as in `GET /domains/example.com/records/{id}`. */
  call: string;
  /** An object goes as JSON; a string as it is. */
  body?: unknown;
  status: number;
  /** JSON of which every key must be there with a value of its kind, or XML of which every element and attribute must. */
  answer?: unknown;
  /** Values of the answer that later paths need, such as `{id: 'domain_record.id'}`. */
  keep?: Readonly<Record<string, string>>;
}
