import { delegatedElsewhere, UNOBSERVED_ZONE } from '../../src/domain/observation/delegation.ts';
import type { ZoneObservation } from '../../src/domain/observation/observation.ts';

const live = (name: string, ...nameservers: string[]): ZoneObservation => ({
  ...UNOBSERVED_ZONE,
  name,
  registered: true,
  nameservers,
});
const zone = (...nameservers: string[]) => ({ name: 'customer.com', nameservers });
const problem = (given: ReturnType<typeof zone>, seen: ZoneObservation) =>
  delegatedElsewhere('www.shop.customer.com', given, seen);

test('a hostname below a delegation is refused, and the message names the zone and its servers', () => {
  expect(problem(zone(), live('shop.customer.com', 'ns1.elsewhere.net'))).toBe(
    'www.shop.customer.com lies in the zone shop.customer.com, which is delegated to ns1.elsewhere.net, ' +
      'so records in customer.com would not be seen.',
  );
});

test('a zone that is delegated to other servers than the provider assigned is refused', () => {
  expect(problem(zone('ana.ns.host.com.', 'bob.ns.host.com.'), live('customer.com', 'ns1.old-host.net'))).toContain(
    'customer.com is served by ns1.old-host.net and not by ana.ns.host.com, bob.ns.host.com',
  );
});

test.each<[string, ReturnType<typeof zone>, ZoneObservation]>([
  ['the zone could not be found', zone('ns1.host.com'), UNOBSERVED_ZONE],
  ['the check failed halfway', zone('ns1.host.com'), { ...live('customer.com', 'ns9.net'), cause: 'timeout' }],
  ['the provider does not report its servers', zone(), live('customer.com', 'ns1.elsewhere.net')],
  ['the servers are not known', zone('ns1.host.com'), live('customer.com')],
  ['one server is shared', zone('ns1.host.com'), live('customer.com', 'NS1.HOST.COM.', 'ns2.second.net')],
  ['the servers bear the customer’s own name', zone('ns1.host.com'), live('customer.com', 'ns1.customer.com')],
  ['only the zone above is live', zone('ns1.host.com'), live('com', 'a.gtld-servers.net')],
])('nothing is refused if %s', (_, given, seen) => {
  expect(problem(given, seen)).toBeUndefined();
});
