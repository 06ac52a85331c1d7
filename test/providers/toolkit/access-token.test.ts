import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Descriptor } from '../../../src/providers/descriptor.ts';
import { tokenClient } from '../../../src/providers/toolkit/access-token.ts';
import type { ProviderHttp } from '../../../src/providers/toolkit/http.ts';
import { aloneWith, uncountedHttp } from '../processes.ts';
import { descriptor as plain } from './descriptor.ts';

const descriptor = { ...(plain as Descriptor), token_url: 'https://tokens.example.test' };

describe('a client with access tokens', () => {
  let server: Server;
  let http: ProviderHttp;
  let grant: { status: number; body: unknown } | 'silence';
  let waiting = Promise.withResolvers<undefined>();
  beforeEach(async () => {
    http = uncountedHttp();
    waiting = Promise.withResolvers<undefined>();
    server = createServer((request, response) => {
      waiting.resolve(undefined);
      if (request.url !== '/token') response.end(JSON.stringify({ seen: request.headers.authorization }));
      else if (grant !== 'silence') response.writeHead(grant.status).end(JSON.stringify(grant.body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    await http.close();
    server.closeAllConnections();
    server.close();
  });
  const client = (identity = 'we', context = aloneWith(http)) => {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const exchange = {
      descriptor,
      context: { ...context, tokenUrl: baseUrl },
      identity,
      secrets: ['s3cret'],
      path: '/token',
      form: () => ({ client_secret: 's3cret' }),
    };
    return tokenClient(http.account({ descriptor, baseUrl, secrets: ['s3cret'] }), exchange, {});
  };
  const ask = { method: 'GET', path: '/zones' } as const;

  test('sends the issued token, whether its lifetime is a number or text', async () => {
    for (const expires_in of [3_600, '3599']) {
      grant = { status: 200, body: { access_token: 'given', expires_in } };
      expect((await client().send(ask)).text).toContain('Bearer given');
    }
  });

  test('a token is cached for one identity, not for another with the same secret', async () => {
    const shared = aloneWith(http);
    for (const [identity, access_token] of [
      ['we', 'ours'],
      ['they', 'theirs'],
    ] as const) {
      grant = { status: 200, body: { access_token, expires_in: 3_600 } };
      expect((await client(identity, shared).send(ask)).text).toContain(`Bearer ${access_token}`);
    }
    expect((await client('we', shared).send(ask)).text).toContain('Bearer ours');
  });

  test.each([
    [400, { error: 'invalid_grant', error_description: 'unknown s3cret' }, 'auth_failed'],
    [401, { error: 'invalid_client' }, 'auth_failed'],
    [400, '<html>', 'validation'],
    [404, {}, 'transient'],
    [429, {}, 'rate_limited'],
    [503, {}, 'transient'],
    [200, { token_type: 'Bearer' }, 'transient'],
  ])('a token endpoint that answers %i %j is %s, and the error contains no secret', async (status, body, code) => {
    grant = { status, body };
    const failure: unknown = await client()
      .send(ask)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code, mayHaveChanged: false });
    expect(String(failure)).not.toContain('s3cret');
  });

  test('a caller that is aborted while the token is fetched gets its own reason', async () => {
    grant = 'silence';
    const controller = new AbortController();
    const asked = client().send(ask, { signal: controller.signal });
    await waiting.promise;
    controller.abort(new Error('archived'));
    await expect(asked).rejects.toThrow('archived');
  });
});
