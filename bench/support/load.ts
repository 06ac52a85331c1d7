import autocannon from 'autocannon';

export interface Load {
  url: string;
  key: string;
  /** Returns a new body for each request; makes the requests POST. */
  body?(n: number): object;
}

export interface Measured {
  perSecond: number;
  p50ms: number;
  p99ms: number;
  failed: number;
}

let made = 0;

export async function load({ url, key, body }: Load, seconds: number): Promise<Measured> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const result = await autocannon({
    url,
    connections: 20,
    duration: seconds,
    ...(body === undefined
      ? { headers: { authorization: headers.authorization } }
      : {
          method: 'POST' as const,
          headers,
          requests: [
            {
              method: 'POST' as const,
              headers,
              setupRequest: (request) => ({ ...request, body: JSON.stringify(body(made++)) }),
            },
          ],
        }),
  });
  return {
    perSecond: Math.round(result.requests.average),
    p50ms: result.latency.p50,
    p99ms: result.latency.p99,
    failed: result.non2xx + result.errors,
  };
}
