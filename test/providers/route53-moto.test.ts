import { signV4 } from '../../src/providers/route53/sigv4.ts';
import { route53 } from '../../src/providers/route53/adapter.ts';
import { startMoto } from '../support/servers/moto.ts';
import { aloneWith, uncountedHttp } from './processes.ts';
import { record } from './suites/given.ts';

/** Another project's emulation of Route 53. It is more lenient than Amazon's, and independent of our double. */
describe('route53 on an independent server', () => {
  const KEY = { accessKeyId: 'AKIDFOREIGN', secretAccessKey: 'foreign/secret' };
  const http = uncountedHttp();
  let moto: Awaited<ReturnType<typeof startMoto>>;
  beforeAll(async () => {
    moto = await startMoto();
    for (const name of ['example.test', 'sub.example.test', 'other.test']) await createZone(name);
  }, 120_000);
  afterAll(async () => {
    await http.close();
    await moto.stop();
  });

  const createZone = async (name: string): Promise<void> => {
    const url = new URL(`${moto.url}/2013-04-01/hostedzone`);
    const body = `<CreateHostedZoneRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Name>${name}.</Name><CallerReference>${name}</CallerReference></CreateHostedZoneRequest>`;
    const scope = { region: 'us-east-1', service: 'route53', now: new Date() };
    const headers = signV4({ method: 'POST', url, body }, KEY, scope);
    const answer = await fetch(url, { method: 'POST', headers, body });
    if (answer.status !== 201) throw new Error(`moto refused the zone: ${await answer.text()}`);
  };
  const open = () =>
    route53.open(
      { access_key_id: KEY.accessKeyId, secret_access_key: KEY.secretAccessKey },
      { ...aloneWith(http), baseUrl: moto.url },
    );

  test('the longest zone is found, with its assigned name servers', async () => {
    const zone = await open().findZone('a.sub.example.test');
    expect(zone).toMatchObject({ name: 'sub.example.test' });
    expect(zone?.nameservers.length).toBeGreaterThan(0);
    expect((await open().verify()).map(({ name }) => name).sort()).toEqual([
      'example.test',
      'other.test',
      'sub.example.test',
    ]);
  });

  test('values are added next to others and removed again, and the displaced values are put back', async () => {
    const account = open();
    const zone = (await account.findZone('shop.example.test'))!;
    const theirs = [
      record('shop.example.test', 'A', '192.0.2.1'),
      record('_t.shop.example.test', 'TXT', 'theirs "quoted"'),
    ];
    await account.apply(zone, { add: theirs, remove: [] });
    const hosts = ['shop.example.test', '_t.shop.example.test'];
    const before = await account.records(zone, hosts);

    const ours = [
      record('shop.example.test', 'CNAME', 'edge.example.net'),
      record('_t.shop.example.test', 'TXT', 'grüße'),
    ];
    const old = before.filter(({ type }) => type === 'A');
    const { removed } = await account.apply(zone, { add: ours, remove: old });
    expect(removed).toMatchObject([{ type: 'A', value: '192.0.2.1' }]);
    expect(await account.apply(zone, { add: ours, remove: [] })).toMatchObject({ changed: false });

    await account.apply(zone, { add: theirs.slice(0, 1), remove: ours });
    expect(await account.records(zone, hosts)).toEqual(before);
  });
});
