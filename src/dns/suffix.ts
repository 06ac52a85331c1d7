import { getDomain, getPublicSuffix } from 'tldts';
import type { Kind } from '../domain/connection/connection.ts';

/** Workflows must not use this list, because it changes weekly. */
const OPTIONS = { validateHostname: false, extractHostname: false } as const;
const WITH_PRIVATE = { ...OPTIONS, allowPrivateDomains: true } as const;

/** Returns the registered domain: the public suffix and one label. Private suffixes count (`me.github.io`). */
export const registrableDomain = (name: string): string => getDomain(name, WITH_PRIVATE) ?? name;

/** Returns the domain that an ICANN registry delegates. It exists, while one below a private suffix may not yet. */
export const delegatedDomain = (name: string): string => getDomain(name, OPTIONS) ?? name;

export const publicSuffix = (name: string): string => getPublicSuffix(name, WITH_PRIVATE) ?? name;

/** Whether strangers register names below this one, so that none of them may prove ownership of it. */
export const isPublicSuffix = (name: string): boolean => publicSuffix(name) === name;

export const kindOf = (hostname: string): Kind => (registrableDomain(hostname) === hostname ? 'apex' : 'subdomain');

/** Returns the parts of a hostname that record templates use. */
export const hostnameParts = (hostname: string) => ({
  hostname,
  kind: kindOf(hostname),
  domain: registrableDomain(hostname),
  suffix: publicSuffix(hostname),
});
