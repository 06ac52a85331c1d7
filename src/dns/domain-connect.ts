import { z } from 'zod';
import { lookupThroughAliases, type Lookup } from '../domain/alias-path.ts';
import type { DomainConnectOffer } from '../domain/domain-observation.ts';

/** The part of fetch that is needed here, so that the caller can give one that dials public addresses only. */
export type Fetch = (url: string, init: { signal: AbortSignal; redirect: 'error' }) => Promise<Response>;

const MAX_BYTES = 64 * 1_024;

/** A host name with an optional path; neither an address, nor a port, nor anything a URL parser could read otherwise. */
const ENDPOINT = /^(?=[^/]*[a-z])[a-z0-9-]+(\.[a-z0-9-]+)+(\/[\w.~-]+)*\/?$/i;

const httpsUrl = z.url({ protocol: /^https$/ });
const settingsSchema = z.object({
  providerId: z.string().min(1).max(255),
  providerName: z.string().min(1).max(255),
  urlSyncUX: httpsUrl.nullish(),
  urlAsyncUX: httpsUrl.nullish(),
  urlAPI: httpsUrl,
  urlControlPanel: z.string().max(2_048).nullish(),
});

/**
 * Domain Connect discovery: TXT `_domainconnect.<zone>` names a host that tells how to offer a template. Everything here
 * is the domain owner's text, so it is bounded and parsed; whatever goes wrong means "not offered".
 */
export async function discoverDomainConnect(
  lookup: Lookup,
  zone: string,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<DomainConnectOffer | null> {
  const published = await lookupThroughAliases(lookup, `_domainconnect.${zone}`, 'TXT');
  const endpoint = published.values[0]?.replace(/\/$/, '');
  if (endpoint === undefined || !ENDPOINT.test(endpoint)) return null;
  try {
    const response = await fetch(`https://${endpoint}/v2/${zone}/settings`, { signal, redirect: 'error' });
    if (!response.ok) return null;
    const settings = settingsSchema.parse(JSON.parse(await boundedText(response)));
    return {
      endpoint,
      providerId: settings.providerId,
      providerName: settings.providerName,
      urlAPI: settings.urlAPI,
      urlSyncUX: settings.urlSyncUX ?? null,
      urlAsyncUX: settings.urlAsyncUX ?? null,
      urlControlPanel: settings.urlControlPanel ?? null,
    };
  } catch {
    return null;
  }
}

async function boundedText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    size += part.value.length;
    if (size > MAX_BYTES) throw new Error('The Domain Connect settings are larger than 64 kB.');
    chunks.push(part.value);
  }
  return Buffer.concat(chunks).toString('utf8');
}
