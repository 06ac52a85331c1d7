import type { Provider } from '../../src/providers/contract.ts';
import { conformance } from './conformance.ts';
import type { ProviderDouble, StartDouble } from './doubles/double.ts';
import { httpLab, type HttpProviderUnderTest } from './http-lab.ts';

/** What a provider's test adds to what every adapter is held to. */
export type OwnWays = Pick<HttpProviderUnderTest, 'refusals' | 'isWrite'>;

/** Holds an adapter against the contract, on the double of its API. */
export function doubleConformance(provider: Provider, start: StartDouble, ways: OwnWays = {}): void {
  const { slug, auth } = provider.descriptor;
  conformance(slug, async () => {
    const double = await start();
    let count = 0;
    const secrets = [double.credential, double.stranger].flatMap((credential) =>
      auth.fields.flatMap(({ name, secret }) => (secret ? (credential[name] ?? []) : [])),
    );
    return httpLab(
      {
        url: double.url,
        freshZone: (records = []) => {
          const name = `zone${++count}.example.test`;
          double.addZone(name, records);
          return Promise.resolve({ name, dump: () => Promise.resolve(double.dump(name)) });
        },
        stop: double.stop,
      },
      {
        provider,
        open: (baseUrl) => ({ credential: double.credential, stranger: double.stranger, baseUrl, ...tokens(double) }),
        secrets,
        ...ways,
      },
    );
  });

  test('its name servers are recognised, and names that only look like them are not', () => {
    const isIts = (server: string) =>
      provider.descriptor.nameserver_patterns.some((one) => new RegExp(one).test(server));
    expect(isIts('ns1.nobody-has-this.test')).toBe(false);
    for (const pattern of provider.descriptor.nameserver_patterns) expect(pattern).toMatch(/\$$/);
  });
}

const tokens = ({ tokenUrl }: ProviderDouble) => (tokenUrl === undefined ? {} : { tokenUrl });
