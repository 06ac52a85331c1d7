import type { ServerResponse } from 'node:http';
import { allowedHosts } from '../../src/domain-connect/allowed-hosts.ts';
import { createDiscovery } from '../../src/domain-connect/discovery.ts';
import { createHttpsJson } from '../../src/net/https-json.ts';
import type { Lookup } from '../../src/domain/observation/alias-path.ts';
import { dcTemplates } from '../../src/domain/zone/domain-connect.ts';
import { EVERY_NETWORK } from '../../src/net/address.ts';
import { startDomainConnectProvider, type DomainConnectProvider } from '../support/doubles/domain-connect-provider.ts';

const OPERATOR = {
  providerId: 'saas-product.com',
  providerName: 'SaaS Product',
  pubKeyDomain: 'saas-product.com',
  redirectDomain: 'api.saas-product.com',
  edge: { cnameTarget: 'edge.saas-product.com', ipv4: ['192.0.2.10'], ipv6: [], policy: 'any' as const },
};

let provider: DomainConnectProvider;
beforeAll(async () => {
  const templates = dcTemplates(OPERATOR).filter(({ serviceId }) => serviceId === 'subdomain');
  provider = await startDomainConnectProvider({ templates });
});
afterAll(() => provider.stop());
afterEach(() => {
  provider.answer = null;
  provider.asked.length = 0;
});

/** Returns a zone that publishes this TXT, behind the CNAME that providers create. */
const publishing =
  (...values: string[]): Lookup =>
  (name) =>
    Promise.resolve(
      name === '_domainconnect.customer.com'
        ? { values: [], alias: '_domainconnect.provider.net', cause: null }
        : { values: name === '_domainconnect.provider.net' ? values : [], cause: null },
    );

interface DiscoveryOptions {
  allowPrivate?: boolean;
  hosts?: string[];
  now?: () => number;
}

function discovery({ allowPrivate = true, hosts = [provider.endpoint], now = Date.now }: DiscoveryOptions = {}) {
  const http = createHttpsJson({ allowed: allowPrivate ? EVERY_NETWORK : [] }, { ca: provider.ca });
  const discover = createDiscovery({ providerId: OPERATOR.providerId, isAllowed: allowedHosts(hosts), http, now });
  return (lookup: Lookup, own: string[] = []) => discover(lookup, 'customer.com', AbortSignal.timeout(10_000), own);
}

const settings = (changes: object = {}) => ({
  providerId: 'double.example',
  providerName: 'Double',
  urlAPI: `${provider.url}/api`,
  urlSyncUX: `${provider.url}/ux`,
  ...changes,
});
const say = (status: number, body: string, headers: Record<string, string> = {}) => {
  provider.answer = (path: string, response: ServerResponse) => {
    if (!path.endsWith('/settings')) return false;
    response.writeHead(status, headers).end(body);
    return true;
  };
};

test('an offer is found through the CNAME that providers publish, with the templates that the provider knows', async () => {
  const found = await discovery()(publishing(`${provider.endpoint}/`));

  expect(found).toEqual({
    offer: {
      zone: 'customer.com',
      provider_id: 'double.example',
      provider_name: 'Double DNS',
      url_sync_ux: `${provider.url}/ux`,
      services: ['subdomain'],
      control_panel_url: `${provider.url}/panel?domain=%domain%`,
    },
  });
  expect(provider.asked[0]).toBe('/v2/customer.com/settings');
});

test("the services of an application's own records are asked for too", async () => {
  const found = await discovery()(publishing(provider.endpoint), ['records-0123456789ab']);

  expect(found).toMatchObject({ offer: { services: ['subdomain'] } });
  expect(provider.asked.at(-1)).toMatch(/\/services\/records-0123456789ab$/);
});

test('support for a template is asked once an hour, and again if the provider did not answer', async () => {
  let now = 0;
  const discover = discovery({ now: () => now });
  const support = () => provider.asked.filter((path) => path.includes('/services/')).length;
  provider.answer = (path, response) => {
    if (!path.includes('/services/')) return false;
    response.writeHead(500).end();
    return true;
  };
  const ill = await discover(publishing(provider.endpoint));
  provider.answer = null;

  const counts = [support()];
  for (const minutes of [0, 59, 61]) {
    now = minutes * 60_000;
    await discover(publishing(provider.endpoint));
    counts.push(support());
  }

  expect(ill).toMatchObject({ offer: { services: [] } });
  expect(counts).toEqual([3, 6, 6, 9]);
});

test.each([
  ['nothing', [], 'not_published'],
  ['a host that is not on the list', ['evil.example'], 'not_allowed'],
  ['a host whose name ends like a known one', ['evilcloudflare.com'], 'not_allowed'],
  ['an address', ['127.0.0.1'], 'not_allowed'],
  ['user information', ['x@api.cloudflare.com'], 'not_allowed'],
  ['another port of a known host', ['api.cloudflare.com:8443'], 'not_allowed'],
  ['text that a URL parser reads in another way', ['api.cloudflare.com/../x?y#z'], 'not_allowed'],
  ['a known host behind a backslash', ['evil.example\\.cloudflare.com'], 'not_allowed'],
])('no host is asked for a zone that publishes %s', async (_, published, obstacle) => {
  expect(await discovery()(publishing(...published))).toEqual({ obstacle });
  expect(provider.asked).toEqual([]);
});

test('a listed host with a private address is not dialled', async () => {
  expect(await discovery({ allowPrivate: false })(publishing(provider.endpoint))).toEqual({ obstacle: 'no_settings' });
  expect(provider.asked).toEqual([]);
});

test.each([
  ['not served here', () => say(404, '{}'), 'no_settings'],
  ['no JSON', () => say(200, '<html>'), 'no_settings'],
  ['a redirect', () => say(302, '', { location: 'https://api.cloudflare.com/' }), 'no_settings'],
  ['10 MB', () => say(200, JSON.stringify(settings({ padding: 'x'.repeat(10_000_000) }))), 'no_settings'],
  ['an API by http', () => say(200, JSON.stringify(settings({ urlAPI: 'http://api.cloudflare.com' }))), 'not_allowed'],
  ['an API elsewhere', () => say(200, JSON.stringify(settings({ urlAPI: 'https://10.0.0.1/' }))), 'not_allowed'],
  ['a page elsewhere', () => say(200, JSON.stringify(settings({ urlSyncUX: 'https://evil.example' }))), 'not_allowed'],
  ['a page that is a script', () => say(200, JSON.stringify(settings({ urlSyncUX: 'javascript:0' }))), 'not_allowed'],
  ['no synchronous flow', () => say(200, JSON.stringify(settings({ urlSyncUX: null }))), 'no_sync'],
])('hostile or useless settings mean not offered: %s', async (_, prepare, obstacle) => {
  prepare();

  expect(await discovery()(publishing(provider.endpoint))).toEqual({ obstacle });
});

test('settings that arrive too slowly are abandoned', async () => {
  provider.answer = (_, response) => {
    const drip = setInterval(() => response.write(' '), 100);
    response.once('close', () => clearInterval(drip));
    return true;
  };

  expect(await discovery()(publishing(provider.endpoint))).toEqual({ obstacle: 'no_settings' });
}, 10_000);
