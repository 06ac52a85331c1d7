import { parse } from 'tldts';
import type { Kind } from '../domain/connection.ts';

/**
 * What the public suffix list says of a name, private division included: below github.io everybody is a stranger to
 * everybody. The list changes weekly, so nothing inside a workflow may ask it.
 */
export interface SuffixView {
  /** The registrable domain; null when the name is itself a public suffix. */
  domain: string | null;
  suffix: string;
}

export function suffixOf(hostname: string): SuffixView {
  const { domain, publicSuffix } = parse(hostname, { allowPrivateDomains: true, validateHostname: false });
  return { domain, suffix: publicSuffix ?? hostname };
}

export const isPublicSuffix = (hostname: string): boolean => suffixOf(hostname).domain === null;

export const kindOf = (hostname: string): Kind => (suffixOf(hostname).domain === hostname ? 'apex' : 'subdomain');
