import { parseConfig } from '../../src/config.ts';
import { isAllowedAddress } from '../../src/net/address.ts';

const key = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
const PRODUCTION = { NODE_ENV: 'production', CREDENTIAL_KEYS: key, WIDGET_TOKEN_KEYS: key, CURSOR_KEY: key, INTERNAL_PORT: '9090', EDGE_CNAME_TARGET: 'edge.example.com' }; // prettier-ignore

test.each<[Record<string, string>, boolean]>([
  [{}, true],
  [{ EDGE: 'off' }, true],
  [{ EDGE: 'internal' }, true],
  [{ HOST: '127.0.0.2' }, true],
  [{ HOST: '::1' }, true],
  [{ HOST: 'localhost' }, true],
  [{ HOST: '::ffff:127.0.0.1' }, true],
  [{ EDGE_BIND: '::1' }, true],
  [{ EDGE_TLS_ADDRESS: '127.0.0.1:443' }, true],
  [{ EDGE_TLS_ADDRESS: '[::1]:443' }, true],
  [{ BASE_URL: 'http://localhost:8080' }, true],
  [{ NODE_ENV: 'test' }, true],
  [{ EDGE: 'acme' }, false],
  [{ HOST: '0.0.0.0' }, false],
  [{ HOST: '::' }, false],
  [{ HOST: '10.0.0.5' }, false],
  [{ HOST: '192.0.2.1', EDGE: 'off' }, false],
  [{ HOST: 'api.internal' }, false],
  [{ HOST: 'localhost.example.com' }, false],
  [{ EDGE_BIND: '0.0.0.0' }, false],
  [{ EDGE_BIND: '::' }, false],
  [{ EDGE_AGENT_HOST: '0.0.0.0' }, false],
  [{ EDGE_METRICS_BIND: '0.0.0.0' }, false],
  [{ EDGE_TLS_ADDRESS: 'edge:443' }, false],
  [{ BASE_URL: 'https://api.example.com' }, false],
  [PRODUCTION, false],
  [{ ...PRODUCTION, HOST: '127.0.0.1', EDGE: 'off' }, false],
])('with %j development defaults apply: %s', (env, expected) => {
  expect(parseConfig(env).isDevelopment).toBe(expected);
});

test.each<[string | undefined, Record<string, boolean>]>([
  [undefined, { '10.0.0.1': false, '127.0.0.1': false, '8.8.8.8': true }],
  ['', { '10.0.0.1': false }],
  ['false', { '10.0.0.1': false }],
  ['0', { '10.0.0.1': false }],
  ['true', { '10.0.0.1': true, '172.31.0.1': true, '192.168.0.1': true, 'fd00::1': true, '127.0.0.1': false, '::1': false, '169.254.1.1': false, 'fe80::1': false, '169.254.169.254': false, 'fd00:ec2::254': false }], // prettier-ignore
  ['1', { '10.0.0.1': true, '127.0.0.1': false }],
  ['10.0.0.0/8, fd00::/8', { '10.0.0.1': true, 'fd00::1': true, '192.168.0.1': false, 'fc00::1': false }],
  ['127.0.0.0/8,::1', { '127.0.0.1': true, '::1': true, '10.0.0.1': false }],
  ['169.254.0.0/16', { '169.254.1.1': true, '169.254.169.254': false }],
])('the network list %j allows %j', (text, expected) => {
  const config = parseConfig({ ORIGIN_ALLOW_PRIVATE: text, WEBHOOK_ALLOW_PRIVATE: text });
  for (const networks of [config.ORIGIN_ALLOW_PRIVATE, config.WEBHOOK_ALLOW_PRIVATE])
    for (const [address, isAllowed] of Object.entries(expected))
      expect([address, isAllowedAddress(address, networks)]).toEqual([address, isAllowed]);
});

test.each(['yes', '10.0.0.0/33', 'localhost', '10.0.0.0/8,internal', 'true,10.0.0.0/8'])(
  '%j is not a list of networks',
  (text) => {
    expect(() => parseConfig({ ORIGIN_ALLOW_PRIVATE: text })).toThrow(
      'ORIGIN_ALLOW_PRIVATE: must be a list of networks such as 10.0.0.0/8,fd00::/8, or true or false. See .env.example.',
    );
  },
);
