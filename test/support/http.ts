/** An answer as a test looks at it: everything at once, so that a failure shows everything. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: unknown;
}

/** A request below the typed client, for what that would not let through. A string body is sent as it stands. */
export async function send(
  method: string,
  url: string,
  { credential, body, headers = {} }: { credential?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
