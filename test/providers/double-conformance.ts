import { createDetection } from '../../src/dns/detect.ts';
import type { Provider } from '../../src/providers/contract.ts';
import { descriptors } from '../../src/providers/registry.ts';
import { conformance } from './conformance.ts';
import type { ProviderDouble, StartDouble } from './doubles/double.ts';
import { httpLab, type HttpProviderUnderTest } from './http-lab.ts';
import { NAME_SERVERS } from './name-servers.ts';

/** Additions of one provider's test to the conformance suite. */
export type OwnChecks = Pick<HttpProviderUnderTest, 'refusals' | 'isWrite'> & {
  /** Distinguishes two doubles of one provider. */
  variant?: string;
};

/** Tests an adapter against the contract, on the double of its API. */
export function doubleConformance(
  provider: Provider,
  start: StartDouble,
  { variant = '', ...own }: OwnChecks = {},
): void {
  const { slug, auth } = provider.descriptor;
  conformance(`${slug}${variant}`, async () => {
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
        ...own,
      },
    );
  });

  test('its documented name servers are recognised as its own, and similar names are not', () => {
    const candidatesFor = (server: string) => detection.providerOf([server], null).candidates.map(({ slug }) => slug);
    const { own, similar } = NAME_SERVERS[slug] ?? { own: [], similar: [] };
    expect(own).not.toEqual([]);
    for (const server of own) expect([server, ...candidatesFor(server)]).toContain(slug);
    for (const server of similar) expect(candidatesFor(server)).not.toContain(slug);
  });
}

const detection = createDetection(descriptors());

const tokens = ({ tokenUrl }: ProviderDouble) => (tokenUrl === undefined ? {} : { tokenUrl });
