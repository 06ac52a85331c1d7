import { getDomain, getPublicSuffix } from 'tldts';
import type { Kind } from '../domain/connection/connection.ts';

/** The list changes weekly, so nothing inside a workflow may ask it. */
const OPTIONS = { validateHostname: false, extractHostname: false } as const;
const WITH_PRIVATE = { ...OPTIONS, allowPrivateDomains: true } as const;

/** The part that a domain's owner registers or is given: below the public suffix, private division included (`me.github.io`). */
export const registrableDomain = (name: string): string => getDomain(name, WITH_PRIVATE) ?? name;

/**
 * The domain that ICANN's registries know, where a walk to the authoritative servers starts. The private division is
 * left out on purpose: `me.github.io` may be the very name that must not be asked for early, `github.io` never is.
 */
export const delegatedDomain = (name: string): string => getDomain(name, OPTIONS) ?? name;

/** What the name's registrable domain stands under. */
export const publicSuffix = (name: string): string => getPublicSuffix(name, WITH_PRIVATE) ?? name;

/** A name under which strangers register, so that none of them may prove it for all. */
export const isPublicSuffix = (name: string): boolean => publicSuffix(name) === name;

export const kindOf = (hostname: string): Kind => (registrableDomain(hostname) === hostname ? 'apex' : 'subdomain');
