import { ConfigError } from '../config.ts';
import type { Descriptor } from '../providers/descriptor.ts';
import { descriptors } from '../providers/registry.ts';

type Addresses = Pick<Descriptor, 'slug' | 'name' | 'token_url'>;

/**
 * Reads the URLs that replace those of providers' APIs, for proxies and test doubles: PROVIDER_<SLUG>_URL under the key
 * `slug`, and PROVIDER_<SLUG>_TOKEN_URL under `slug_token`. A setting that would have no effect is refused, because the
 * operator would believe that secrets go to the double.
 */
export function providerUrls(
  env: Readonly<Record<string, string | undefined>>,
  providers: readonly Addresses[] = descriptors(),
): ReadonlyMap<string, string> {
  const urls = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    const key = /^PROVIDER_(\w+)_URL$/.exec(name)?.[1]?.toLowerCase();
    if (key === undefined || !value) continue;
    if (!providers.some((provider) => keysOf(provider).includes(key)))
      throw new ConfigError(`${name}: no such setting. ${wantedNames(providers)}`);
    if (!isBaseUrl(value))
      throw new ConfigError(`${name} must be an http or https URL without a user, query or fragment.`);
    urls.set(key, value);
  }
  for (const provider of providers) requireTokenUrl(provider, urls);
  return urls;
}

const tokenKey = (slug: string): string => `${slug}_token`;

const keysOf = ({ slug, token_url }: Addresses): string[] =>
  token_url === undefined ? [slug] : [slug, tokenKey(slug)];

const settingOf = (key: string): string => `PROVIDER_${key.toUpperCase()}_URL`;

const wantedNames = (providers: readonly Addresses[]): string =>
  `The settings are ${providers.flatMap(keysOf).map(settingOf).join(', ')}.`;

function isBaseUrl(value: string): boolean {
  const url = URL.parse(value);
  return /^https?:$/.test(url?.protocol ?? '') && url?.username === '' && url.search === '' && url.hash === '';
}

/** A double of the API alone would still make the service send the secret of a credential to the real token endpoint. */
function requireTokenUrl({ slug, name, token_url }: Addresses, urls: ReadonlyMap<string, string>): void {
  if (token_url === undefined || !urls.has(slug) || urls.has(tokenKey(slug))) return;
  throw new ConfigError(
    `${settingOf(tokenKey(slug))} must be set, because ${settingOf(slug)} is: without it, ${name} credentials would still go to ${token_url} for access tokens.`,
  );
}
