import { parseConfig } from '../../src/config.ts';

test.each([
  [{}, { cnameTarget: 'edge.localhost', ipv4: ['127.0.0.1'], ipv6: [], policy: 'any' }],
  [
    { EDGE_CNAME_TARGET: 'edge.shop-site.com' },
    { cnameTarget: 'edge.shop-site.com', ipv4: [], ipv6: [], policy: 'any' },
  ],
  [
    { EDGE_CNAME_TARGET: 'edge.shop-site.com', EDGE_IPV4: '192.0.2.1' },
    { cnameTarget: 'edge.shop-site.com', ipv4: ['192.0.2.1'], ipv6: [], policy: 'any' },
  ],
])('customers are sent to this machine only while no edge is configured: %j', (env, edge) => {
  expect(parseConfig(env).edge).toEqual(edge);
});

test('the edge has several addresses, in a list with spaces', () => {
  const env = { EDGE_IPV4: ' 192.0.2.1, 198.51.100.1 ,', EDGE_IPV6: '2001:db8::1,2001:db8::2', EDGE_ADDRESSES: 'all' };
  expect(parseConfig(env).edge).toEqual({
    cnameTarget: 'edge.localhost',
    ipv4: ['192.0.2.1', '198.51.100.1'],
    ipv6: ['2001:db8::1', '2001:db8::2'],
    policy: 'all',
  });
});

test.each(['0:5', '25:0', '0:0', '0.0:5', '25', 'x'])('a limit of %s is rejected', (rate) => {
  expect(() => parseConfig({ RATE_LIMIT_KEY: rate })).toThrow(/RATE_LIMIT_KEY: must have the form/);
});

test('production does not start with its internal paths on the public listener', () => {
  const key = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
  const env = { NODE_ENV: 'production', CREDENTIAL_KEYS: key, WIDGET_TOKEN_KEYS: key, CURSOR_KEY: key };

  expect(() => parseConfig(env)).toThrow(/^INTERNAL_PORT must be set in production: .*\/metrics.*\.$/);
  const enough = { ...env, INTERNAL_PORT: '9090', EDGE_CNAME_TARGET: 'edge.example.com' };
  expect(parseConfig(enough).INTERNAL_PORT).toBe(9090);
});

test('production does not start if customers would point their domains at this machine', () => {
  const key = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
  const env = { NODE_ENV: 'production', CREDENTIAL_KEYS: key, WIDGET_TOKEN_KEYS: key, CURSOR_KEY: key, INTERNAL_PORT: '9' }; // prettier-ignore
  expect(() => parseConfig(env)).toThrow(/^EDGE_CNAME_TARGET must be set in production: .*edge\.example\.com\.$/);
  expect(() => parseConfig(env, { role: 'edge agent' })).not.toThrow();
  expect(() => parseConfig({ NODE_ENV: 'production' }, { role: 'migration' })).not.toThrow();
});

test('a limit can be switched off', () => {
  expect(parseConfig({ RATE_LIMIT_KEY: '0' }).RATE_LIMIT_KEY).toBeNull();
});

test.each([
  [{ DNS_RESOLVERS: '1.1.1.1,foo' }, 'DNS_RESOLVERS.1: "foo" is not an IP address with an optional port (1.2.3.4:53)'],
  [{ EDGE_CNAME_TARGET: 'not a host' }, 'EDGE_CNAME_TARGET: must be a host name'],
  [{ EDGE_IPV4: '192.0.2.1,2001:db8::1' }, 'EDGE_IPV4.1: must be a list of IPv4 addresses, comma separated'],
  [{ EDGE_IPV6: 'localhost' }, 'EDGE_IPV6.0: must be a list of IPv6 addresses, comma separated'],
  [{ EDGE_IPV4: '192.0.2.1, 192.0.2.2, 192.0.2.1' }, 'EDGE_IPV4: 192.0.2.1 is listed twice'],
  [{ EDGE_IPV6: '2001:db8::1,2001:DB8:0::1' }, 'EDGE_IPV6: 2001:DB8:0::1 is listed twice'],
  [{ EDGE_ADDRESSES: 'some' }, 'EDGE_ADDRESSES: must be any or all'],
  [{ PORT: 'abc' }, 'PORT: must be a number from 1 to 65535'],
  [{ PORT: '70000' }, 'PORT: must be a number from 1 to 65535'],
])('a malformed setting is named in one sentence: %j', (env, sentence) => {
  expect(() => parseConfig(env)).toThrow(`${sentence}. See .env.example.`);
});

test('a worker build has both a name and an id, or neither', () => {
  expect(parseConfig({}).workerVersion).toBeUndefined();
  const version = parseConfig({ WORKER_DEPLOYMENT_NAME: 'connections', WORKER_BUILD_ID: '2026-11-16.1' }).workerVersion;
  expect(version).toEqual({ deploymentName: 'connections', buildId: '2026-11-16.1' });
  expect(() => parseConfig({ WORKER_BUILD_ID: 'one' })).toThrow(/must be set together/);
  expect(() => parseConfig({ WORKER_DEPLOYMENT_NAME: 'a.b', WORKER_BUILD_ID: 'one' })).toThrow(/must have no dot/);
});

const DELEGATION = {
  ACME_DELEGATION_ZONE: 'ACME.example.com',
  ACME_DELEGATION_PROVIDER: 'powerdns',
  ACME_DELEGATION_CREDENTIALS: '{"api_key":"secret"}',
  ACME_DELEGATION_KEY: 'sixteen letters!',
};

test('delegated validation has all of its settings, or none', () => {
  expect(parseConfig(DELEGATION)).toMatchObject({
    ACME_DELEGATION_ZONE: 'acme.example.com',
    ACME_DELEGATION_CREDENTIALS: { api_key: 'secret' },
  });
  for (const name of Object.keys(DELEGATION))
    expect(() => parseConfig({ ...DELEGATION, [name]: '' })).toThrow(
      `${name} must be set too: Delegated validation needs all four, or none of them.`,
    );
});

test.each([
  [{ ACME_DELEGATION_ZONE: 'no zone' }, 'ACME_DELEGATION_ZONE: must be a domain name'],
  [{ ACME_DELEGATION_PROVIDER: 'Route 53' }, 'ACME_DELEGATION_PROVIDER: must be the slug of a provider'],
  [{ ACME_DELEGATION_CREDENTIALS: 'secret' }, 'ACME_DELEGATION_CREDENTIALS: must be a JSON object of texts'],
  [{ ACME_DELEGATION_CREDENTIALS: '["secret"]' }, 'ACME_DELEGATION_CREDENTIALS: must be a JSON object of texts'],
  [{ ACME_DELEGATION_KEY: 'short' }, 'ACME_DELEGATION_KEY: must have 16 characters or more'],
])('a malformed setting of delegated validation is named, without its value: %j', (env, sentence) => {
  const refused = () => parseConfig({ ...DELEGATION, ...env });
  expect(refused).toThrow(sentence);
  expect(refused).not.toThrow('secret');
});

test('OpenID Connect needs all five settings, and an issuer whose tokens cross no network in plain text', () => {
  const env = {
    CONSOLE_OIDC_ISSUER: 'https://login.example.com',
    CONSOLE_OIDC_CLIENT_ID: 'domains',
    CONSOLE_OIDC_CLIENT_SECRET: 'secret',
    CONSOLE_OIDC_TENANT_CLAIM: 'tenant',
    CONSOLE_OIDC_ROLE_CLAIM: 'role',
  };
  expect(parseConfig(env).CONSOLE_OIDC_ISSUER).toBe('https://login.example.com');
  for (const name of Object.keys(env))
    expect(() => parseConfig({ ...env, [name]: '' })).toThrow(
      `${name} must be set too: OpenID Connect needs all five, or none of them.`,
    );
  expect(() => parseConfig({ ...env, CONSOLE_OIDC_ISSUER: 'http://login.example.com' })).toThrow(/must be an https/);
  expect(parseConfig({ ...env, CONSOLE_OIDC_ISSUER: 'http://127.0.0.1:9000' }).CONSOLE).toBe('on');
});

test.each([
  [{}, 'http://127.0.0.1:8080/console/plan'],
  [{ CONSOLE: 'off' }, 'http://127.0.0.1:8080/docs'],
  [{ UPGRADE_URL: 'https://shop.example/plans', CONSOLE: 'off' }, 'https://shop.example/plans'],
])('tenants with %j choose a larger plan at %s', (env, url) => {
  expect(parseConfig(env).upgradeUrl).toBe(url);
});
