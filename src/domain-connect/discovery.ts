import { z } from 'zod';
import { lookupThroughAliases, type Lookup } from '../domain/observation/alias-path.ts';
import { CONNECTING_SERVICES, type DcObstacle, type DcOffer, type DcService } from '../domain/zone/domain-connect.ts';
import { BoundedMap } from '../net/bounded-map.ts';
import type { IsAllowed } from './allowed-hosts.ts';
import type { HttpsJson } from './https-json.ts';

/** Whether a zone's provider offers Domain Connect, and which of our templates it knows. */
export type Discover = (
  lookup: Lookup,
  zone: string,
  signal: AbortSignal,
) => Promise<{ offer: DcOffer } | { obstacle: DcObstacle }>;

/** A host name, perhaps with a port and a path; nothing that a URL parser could read otherwise. */
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
  providerId: string;
  isAllowed: IsAllowed;
  http: HttpsJson;
  now?: () => number;
}

/**
 * TXT `_domainconnect.<zone>` names a host that tells how to offer a template. Everything here is the domain owner's text
 * or the provider's, so it is bounded, parsed and held against the list of hosts; whatever goes wrong means "not offered".
 */
export function createDiscovery({ providerId, isAllowed, http, now = Date.now }: Parts): Discover {
  const knows = supportQuery(providerId, http, now);
  return async (lookup, zone, signal) => {
    const published = await lookupThroughAliases(lookup, `_domainconnect.${zone}`, 'TXT');
    const endpoint = published.values[0]?.replace(/\/$/, '');
    if (endpoint === undefined) return { obstacle: 'not_published' };
    const place = ENDPOINT.test(endpoint) ? URL.parse(`https://${endpoint}/v2/${zone}/settings`) : null;
    if (place === null || !isAllowed(place)) return { obstacle: 'not_allowed' };
    const answer = await http.get(place, signal).catch(() => null);
    const settings = settingsSchema.safeParse(answer?.status === 200 ? answer.body : undefined);
    if (!settings.success) return { obstacle: 'no_settings' };
    const { urlAPI, urlSyncUX, ...provider } = settings.data;
    const [api, sync] = [new URL(urlAPI), urlSyncUX ? new URL(urlSyncUX) : null];
    if (!isAllowed(api) || (sync !== null && !isAllowed(sync))) return { obstacle: 'not_allowed' };
    if (sync === null) return { obstacle: 'no_sync' };
    const services: DcService[] = [];
    for (const service of CONNECTING_SERVICES) if (await knows(api, service, signal)) services.push(service);
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

const REMEMBERED_MS = 3_600_000;
/** Providers on the list are few; their addresses could still differ from zone to zone. */
const MAX_REMEMBERED = 1_000;

/** Whether a provider knows a template of ours: asked once an hour, and again at once where no answer came. */
function supportQuery(providerId: string, http: HttpsJson, now: () => number) {
  const remembered = new BoundedMap<string, { known: boolean; until: number }>(MAX_REMEMBERED);
  return async (api: URL, service: DcService, signal: AbortSignal): Promise<boolean> => {
    const path = `v2/domainTemplates/providers/${encodeURIComponent(providerId)}/services/${service}`;
    const url = `${withoutSlash(api)}/${path}`;
    const before = remembered.get(url);
    if (before !== undefined && before.until > now()) return before.known;
    const answer = await http.get(new URL(url), signal).catch(() => null);
    if (answer?.status !== 200 && answer?.status !== 404) return false;
    remembered.set(url, { known: answer.status === 200, until: now() + REMEMBERED_MS });
    return answer.status === 200;
  };
}
