import { keyField } from './key.ts';

export interface Answer {
  status: number;
  statusText: string;
  milliseconds: number;
  requestId: string;
  text: string;
}

/** Sends a request to this service with the key of the page. */
export async function send(method: string, path: string, body?: string): Promise<Answer> {
  const began = performance.now();
  const response = await fetch(path, {
    method,
    credentials: 'omit',
    cache: 'no-store',
    headers: {
      Authorization: `Bearer ${keyField().value.trim()}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    statusText: response.statusText,
    milliseconds: Math.round(performance.now() - began),
    requestId: response.headers.get('x-request-id') ?? '',
    text: pretty(text),
  };
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Ids that answers have contained, by resource, so that the next request can use them. */
const seen = new Map<string, string>();

interface MaybeObject {
  id?: string;
  data?: readonly { id?: string }[];
}

/** Remembers the id of the object that an answer contains. */
export function remember(path: string, text: string): void {
  const id = idIn(text);
  const resource = /^\/v1\/([\w-]+)(?:\?|$)/.exec(path)?.[1];
  if (id !== undefined && resource !== undefined) seen.set(resource, id);
}

/** Returns the id of the object that was seen last, or of the newest object. */
export async function someId(resource: string): Promise<string | undefined> {
  if (!seen.has(resource) && keyField().value !== '') {
    const path = `/v1/${resource}?limit=1`;
    remember(path, (await send('GET', path)).text);
  }
  return seen.get(resource);
}

function idIn(text: string): string | undefined {
  try {
    const answer = JSON.parse(text) as MaybeObject;
    return answer.id ?? answer.data?.[0]?.id;
  } catch {
    return undefined;
  }
}
