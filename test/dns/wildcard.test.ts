import { challengeName } from '../../src/domain/connection/challenge.ts';
import { diagnoseChallenge } from '../../src/domain/observation/diagnosis.ts';
import { wantedRecord } from '../support/fixtures/dns-lab.ts';
import { SERVERS, startWildcardLab, type ServedDomain, type WildcardLab } from '../support/fixtures/wildcard-lab.ts';

const TOKEN = 'd2lsZGNhcmQtdG9rZW4';

let lab: WildcardLab;
beforeAll(async () => (lab = await startWildcardLab()));
afterAll(() => lab.stop());

describe.each(SERVERS)('with %s', (server) => {
  let domain: ServedDomain;
  let shop: string;
  beforeEach(async () => {
    domain = await lab.domain(server);
    shop = `shop.${domain.name}`;
  });
  const at = (path: string) => `${path}.${domain.name}`;
  const observe = (name = shop) => lab.observer.observeWildcard(name);
  const typed = (records: readonly { host: string; type: string; value: string; ttl: number }[]) =>
    records.map(({ host, type, value, ttl }) => `${host} ${ttl} ${type} ${value}`);

  test('a record below a hostname takes the hostname out of DNS, and explicit records that come first keep it', async () => {
    await domain.set(at('*'), 'A', '192.0.2.1');
    expect(await domain.ask(shop, 'A')).toEqual(['192.0.2.1']);
    await domain.set(challengeName(at('blog')), 'TXT', `"${TOKEN}"`);
    expect(await domain.ask(at('blog'), 'A')).toEqual([]);

    const { records } = await observe();
    for (const { host, type, value } of records) await domain.set(host, type, value);
    await domain.set(challengeName(shop), 'TXT', `"${TOKEN}"`);
    expect(await domain.ask(shop, 'A')).toEqual(['192.0.2.1']);
  });

  test('every kind of wildcard is found with its records and TTL', async () => {
    expect(await observe()).toMatchObject({ covered: false });

    await domain.set(at('*'), 'A', '192.0.2.1', '192.0.2.2');
    await domain.set(at('*'), 'AAAA', '2001:db8::1');
    const addresses = await observe();
    expect(addresses).toMatchObject({ covered: true, wildcard: at('*') });
    expect(typed(addresses.records).sort()).toEqual(
      [`${shop} 60 A 192.0.2.1`, `${shop} 60 A 192.0.2.2`, `${shop} 60 AAAA 2001:db8::1`].sort(),
    );

    for (const type of ['A', 'AAAA']) await domain.set(at('*'), type);
    await domain.set(at('*'), 'MX', '10 mail.example.net.');
    expect(typed((await observe()).records)).toEqual([`${shop} 60 MX mail.example.net`]);

    await domain.set(at('*'), 'MX');
    await domain.set(at('*'), 'CNAME', 'old-host.example.net.');
    expect(typed((await observe()).records)).toEqual([`${shop} 60 CNAME old-host.example.net`]);
  });

  test('a hostname with records of its own, or below it, is not covered', async () => {
    await domain.set(at('*'), 'A', '192.0.2.1');
    await domain.set(shop, 'A', '192.0.2.1');
    await domain.set(`mail.${at('blog')}`, 'A', '192.0.2.1');
    await domain.set(at('*.docs'), 'A', '192.0.2.3');

    const verdicts = await Promise.all([shop, at('blog'), at('docs'), domain.name].map(observe));
    expect(verdicts.map(({ covered }) => covered)).toEqual([false, false, false, false]);
  });

  test('a wildcard several levels up is copied to every name that begins to exist', async () => {
    await domain.set(at('*'), 'A', '192.0.2.1');
    const deep = await observe(at('www.shop'));
    expect(deep.wildcard).toBe(at('*'));
    expect(typed(deep.records)).toEqual([
      `*.${shop} 60 A 192.0.2.1`,
      `${shop} 60 A 192.0.2.1`,
      `www.${shop} 60 A 192.0.2.1`,
    ]);
    for (const { host, type, value } of deep.records) await domain.set(host, type, value);
    await domain.set(challengeName(at('www.shop')), 'TXT', `"${TOKEN}"`);
    for (const name of ['shop', 'www.shop', 'blog.shop', 'blog'])
      expect([name, await domain.ask(at(name), 'A')]).toEqual([name, ['192.0.2.1']]);

    await domain.set(at('*.team'), 'A', '192.0.2.1');
    const below = await observe(at('www.team'));
    expect(below).toMatchObject({ covered: true, wildcard: at('*.team') });
    expect(typed(below.records)).toEqual([`${at('www.team')} 60 A 192.0.2.1`]);
  });

  test('the challenge has the finding with the records to add first, until they exist', async () => {
    const challenge = { name: challengeName(shop), value: TOKEN };
    const codes = async () => diagnoseChallenge(await lab.observer.observeChallenge(shop, challenge), challenge);
    await domain.set(at('*'), 'CNAME', 'old-host.example.net.');

    // The wildcard also answers for the challenge. Its CNAME need not be deleted.
    expect(await codes()).toMatchObject([
      { code: 'missing', record: { host: challenge.name } },
      {
        code: 'wildcard_covers_hostname',
        severity: 'warning',
        records: [{ host: shop, type: 'CNAME', value: 'old-host.example.net', ttl: 60 }],
      },
    ]);
    await domain.set(shop, 'CNAME', 'old-host.example.net.');
    expect(await codes()).toMatchObject([{ code: 'missing' }]);
  });

  test('the answers of a wildcard do not conflict with wanted records', async () => {
    const wanted = [wantedRecord(shop, 'CNAME', 'edge.example.net')];
    await domain.set(at('*'), 'A', '192.0.2.1');
    expect(await lab.observer.observeDomain(shop, wanted)).toMatchObject({
      conflicts: [],
      wildcard: { covered: true, records: [{ host: shop, type: 'A', value: '192.0.2.1' }] },
    });
    await domain.set(shop, 'A', '192.0.2.1');
    expect(await lab.observer.observeDomain(shop, wanted)).toMatchObject({
      conflicts: [{ type: 'A', value: '192.0.2.1' }],
      wildcard: { covered: false },
    });
  });
});
