import { z } from 'zod';
import { lookupThroughAliases, type Lookup } from '../domain/observation/alias-path.ts';
import { CONNECTING_SERVICES, type DcObstacle, type DcOffer } from '../domain/zone/domain-connect.ts';
import { BoundedMap } from '../net/bounded-map.ts';
import type { IsAllowed } from './allowed-hosts.ts';
import type { HttpsJson } from '../net/https-json.ts';

/** Finds out whether the provider of a zone offers Domain Connect, and which of our templates the provider knows. */
export type Discover = (
  lookup: Lookup,
  zone: string,
  signal: AbortSignal,
  /** Services of the application's own records. */
  own?: readonly string[],
) => Promise<{ offer: DcOffer } | { obstacle: DcObstacle }>;

/** A host name with an optional port and path, which all URL parsers read in the same way. */
const ENDPOINT = /^[a-z0-9.-]+(:\d{1,5})?(\/[\w.~-]+)*\/?$/i;

const settingsSchema = z.object({
  providerId: z.string().min(1).max(255),
  providerName: z.string().min(1).max(255),
  providerDisplayName: z.string().min(1).max(255).nullish(),
  urlSyncUX: z.url().max(2_048).nullish(),
  urlAPI: z.url().max(2_048),
  urlControlPanel: z.string().max(2_048).nullish(),
});

interface Parts {
  /** Our own id in Domain Connect. In the settings, `providerId` is the id of the DNS provider. */
  providerId: string;
  isAllowed: IsAllowed;
  http: HttpsJson;
  now?: () => number;
}

/**
 * Discovers Domain Connect: the TXT record `_domainconnect.<zone>` names a host, which serves the provider's settings.
 * Strangers write the record and the settings, so only hosts on a list of known providers are asked.
 * Any failure counts as an obstacle: Domain Connect is not offered.
 */
export function createDiscovery({ providerId, isAllowed, http, now = Date.now }: Parts): Discover {
  const knowsTemplate = supportQuery(providerId, http, now);
  return async (lookup, zone, signal, own = []) => {
    const published = await lookupThroughAliases(lookup, `_domainconnect.${zone}`, 'TXT');
    const endpoint = published.values[0]?.replace(/\/$/, '');
    if (endpoint === undefined) return { obstacle: 'not_published' };
    const settingsUrl = ENDPOINT.test(endpoint) ? URL.parse(`https://${endpoint}/v2/${zone}/settings`) : null;
    if (settingsUrl === null || !isAllowed(settingsUrl)) return { obstacle: 'not_allowed' };
    const answer = await http.get(settingsUrl, signal).catch(() => null);
    const settings = settingsSchema.safeParse(answer?.status === 200 ? answer.body : undefined);
    if (!settings.success) return { obstacle: 'no_settings' };
    const { urlAPI, urlSyncUX, ...provider } = settings.data;
    const [api, sync] = [new URL(urlAPI), urlSyncUX ? new URL(urlSyncUX) : null];
    if (!isAllowed(api) || (sync !== null && !isAllowed(sync))) return { obstacle: 'not_allowed' };
    if (sync === null) return { obstacle: 'no_sync' };
    const services: string[] = [];
    for (const service of [...CONNECTING_SERVICES, ...own])
      if (await knowsTemplate(api, service, signal)) services.push(service);
    return {
      offer: {
        zone,
        provider_id: provider.providerId,
        provider_name: provider.providerDisplayName ?? provider.providerName,
        url_sync_ux: withoutSlash(sync),
        services,
        control_panel_url: provider.urlControlPanel ?? null,
      },
    };
  };
}

const withoutSlash = (url: URL): string => url.href.replace(/\/$/, '');

const CACHED_MS = 3_600_000;
/** The list of known providers is short, but their URLs could differ for each zone. */
const MAX_CACHED = 1_000;

/** Returns a function that asks whether a provider knows our template. Answers are cached for an hour. */
function supportQuery(providerId: string, http: HttpsJson, now: () => number) {
  const answers = new BoundedMap<string, { known: boolean; until: number }>(MAX_CACHED);
  return async (api: URL, service: string, signal: AbortSignal): Promise<boolean> => {
    const path = `v2/domainTemplates/providers/${encodeURIComponent(providerId)}/services/${service}`;
    const url = `${withoutSlash(api)}/${path}`;
    const before = answers.get(url);
    if (before !== undefined && before.until > now()) return before.known;
    const answer = await http.get(new URL(url), signal).catch(() => null);
    if (answer?.status !== 200 && answer?.status !== 404) return false;
    answers.set(url, { known: answer.status === 200, until: now() + CACHED_MS });
    return answer.status === 200;
  };
}
