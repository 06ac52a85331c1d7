import { freePort, isListening } from '../../src/embedded/ports.ts';
import { startServer } from '../support/servers/server-process.ts';
import type { StripeCall } from '../support/doubles/stripe-double.ts';
import { obtainTestServer } from '../support/servers/test-servers.ts';

/** Stripe's own mock. It stores nothing, but checks every request against Stripe's published OpenAPI document. */
export async function startStripeMock(): Promise<{ judge(call: StripeCall): Promise<string>; stop(): Promise<void> }> {
  const port = await freePort();
  const program = await obtainTestServer('stripe-mock', { onProgress: () => undefined });
  const server = await startServer(program, ['-http-addr', `127.0.0.1:${port}`], () => isListening(port));
  return {
    /** Returns `ok`, or why Stripe would refuse the request. */
    async judge({ method, target, body }) {
      const response = await fetch(`http://127.0.0.1:${port}${target}`, {
        method,
        headers: { authorization: 'Bearer sk_test_mock', 'content-type': 'application/x-www-form-urlencoded' },
        ...(method === 'POST' && { body }),
      });
      const text = await response.text();
      return response.ok ? 'ok' : `${method} ${target}: ${text}`;
    },
    stop: server.stop,
  };
}
