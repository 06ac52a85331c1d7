import { baseOf, isWildcard } from './certificate/dns-validation.ts';
import type { Environment } from './connection/connection.ts';
import { CHALLENGE_LABEL } from './connection/challenge.ts';

/**
 * An accepted hostname: lower-case ASCII, no trailing dot, short enough for its challenge name (RFC 1035). Where
 * wildcards are allowed, its first label may be a star.
 */
export type Hostname = string & { readonly brand: 'Hostname' };

export type HostnameFault =
  | 'empty'
  | 'scheme'
  | 'userinfo'
  | 'port'
  | 'path'
  | 'wildcard'
  | 'ip_address'
  | 'underscore'
  | 'characters'
  | 'empty_label'
  | 'label_too_long'
  | 'too_long'
  | 'too_many_labels'
  | 'hyphen'
  | 'punycode'
  | 'single_label'
  | 'reserved'
  | 'public_suffix'
  | 'own_host';

export type HostnameResult =
  { ok: true; hostname: Hostname } | { ok: false; code: HostnameFault; message: string; suggestion?: string };

const MAX_NAME = 253;
export const MAX_HOSTNAME = MAX_NAME - `${CHALLENGE_LABEL}.`.length;
const MAX_LABEL = 63;
const MAX_LABELS = 10;

/** Top-level domains that are never delegated: RFC 2606, 6761, 6762, 7686, 9476, and .internal by ICANN. */
const RESERVED_TLDS: ReadonlySet<string> = new Set(
  'test example invalid localhost local onion internal arpa alt'.split(' '),
);
const RESERVED_DOMAINS = /(?:^|\.)example\.(?:com|net|org)$/;

const fault = (code: HostnameFault, message: string, suggestion?: string): HostnameResult =>
  suggestion === undefined ? { ok: false, code, message } : { ok: false, code, message, suggestion };

/** Hostnames that are not acceptable everywhere. */
interface Allowed {
  /** Names below .test, which exist in the test environment only. */
  test?: boolean;
  /** A star in place of the first label. Edges ask about single hostnames only, so they never allow it. */
  wildcard?: boolean;
}

/** Returns a hostname or a reason for any string. The result always names the same host as the input. */
export function normalizeHostname(input: string, allow: Allowed = {}): HostnameResult {
  const text = input.trim();
  const shape = refuseOtherThanName(text);
  if (shape) return shape;
  const [, star = '', rest = ''] = /^(\*[.。．｡])?(.*)$/su.exec(text) ?? [];
  const ascii = toAscii(rest.toLowerCase().replace(/[.。．｡]$/u, ''));
  if (ascii === undefined) return fault('characters', 'The name has characters that a host name cannot contain.');
  return strictHostname(star === '' ? ascii : `*.${ascii}`, allow);
}

/** Accepts only the form that our tables hold: A-labels in lower case. Nothing is corrected. */
export function strictHostname(name: string, allow: Allowed = {}): HostnameResult {
  const wrong = isPlain(name) ? undefined : (faultOfShape(name, allow) ?? faultOfReserved(name, allow));
  return wrong ?? { ok: true, hostname: name as Hostname };
}

/** Whether one regular expression can accept the name, as it does for nearly all; it runs at every TLS handshake. */
const isPlain = (name: string): boolean =>
  name.length <= MAX_LABEL && !name.includes('example') && PLAIN_NAME.test(name);
const PLAIN_NAME = new RegExp(`^(?:[a-z0-9]+(?:-[a-z0-9]+)*\\.){1,9}(?!(?:${[...RESERVED_TLDS].join('|')})$)[a-z]+$`);

const DNS_LABEL = '[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?';
const DNS_NAME = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`, 'i');

/** Whether the text can be a name in DNS or in a hosts file, such as a single label. */
export const isDnsName = (text: string): boolean => text.length <= MAX_NAME && DNS_NAME.test(text);

function faultOfShape(name: string, allow: Allowed): HostnameResult | undefined {
  if (name === '') return fault('empty', 'The name is empty.');
  const base = baseOf(name);
  if (base === '' || base.includes('*'))
    return fault('wildcard', 'A wildcard is a star before a domain, such as *.customer.com.');
  if (isWildcard(name) && allow.wildcard !== true)
    return fault('wildcard', 'Enter a single hostname. A wildcard is not possible here.', base);
  if (name.includes('_')) return fault('underscore', 'A host name cannot contain an underscore.');
  if (!/^[a-z0-9.-]+$/.test(base)) return fault('characters', 'A host name contains only letters, digits and hyphens.');
  if (name.length > MAX_HOSTNAME) return fault('too_long', `The name is longer than ${MAX_HOSTNAME} characters.`);
  // The star counts, because the hostnames that the wildcard covers have as many labels.
  if (name.split('.').length > MAX_LABELS)
    return fault('too_many_labels', `The name has more than ${MAX_LABELS} labels.`);
  const labels = base.split('.');
  for (const label of labels) {
    const wrong = faultOfLabel(label);
    if (wrong) return wrong;
  }
  if (isNumericLabel(labels[labels.length - 1] ?? '')) return fault('ip_address', 'An IP address is not a host name.');
  if (labels.length === 1) return fault('single_label', 'The name needs a domain, such as shop.example.com.');
  return undefined;
}

function refuseOtherThanName(text: string): HostnameResult | undefined {
  if (text === '') return fault('empty', 'The name is empty.');
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text);
  if (scheme)
    return fault('scheme', 'Give the host name only, without a scheme.', hostOf(text.slice(scheme[0].length)));
  if (/[/?#\\]/.test(text)) return fault('path', 'Give the host name only, without a path.', hostOf(text));
  if (text.includes('@')) return fault('userinfo', 'Give the host name only, without user information.', hostOf(text));
  if (text.startsWith('[') || /^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*$/i.test(text))
    return fault('ip_address', 'An IP address is not a host name.');
  if (text.includes(':')) return fault('port', 'Give the host name only, without a port.', hostOf(text));
  return undefined;
}

/** Returns the hostname that was probably meant, if it is acceptable. */
function hostOf(text: string): string | undefined {
  const candidate = (text.split(/[/?#\\]/)[0] ?? '').replace(/^.*@/s, '').replace(/:\d*$/, '');
  if (candidate.includes(':')) return undefined;
  const result = normalizeHostname(candidate, { test: true });
  return result.ok ? result.hostname : undefined;
}

/** Converts by UTS 46 ToASCII with the URL parser. It would decode percent signs, so they never reach it. */
function toAscii(text: string): string | undefined {
  if (/^[\x21-\x7e]*$/.test(text)) return text;
  if (/[\s%\p{Cc}\p{Cf}]/u.test(text)) return undefined;
  const host = hostOfUrl(text);
  if (host === undefined || host === '') return undefined;
  // A name that maps to a name that maps elsewhere has no single meaning.
  return hostOfUrl(host) === host ? host : undefined;
}

/** Returns the host that the URL parser reads in a name. `URL.parse` is missing in browsers before 2024. */
export function hostOfUrl(name: string): string | undefined {
  try {
    return new URL(`http://${name}/`).hostname;
  } catch {
    return undefined;
  }
}

function faultOfLabel(label: string): HostnameResult | undefined {
  if (label === '') return fault('empty_label', 'The name has an empty label (two dots in a row, or a leading dot).');
  if (label.length > MAX_LABEL) return fault('label_too_long', `A label is longer than ${MAX_LABEL} characters.`);
  if (label.startsWith('-') || label.endsWith('-'))
    return fault('hyphen', 'A label cannot begin or end with a hyphen.');
  // RFC 5890 reserves hyphens in positions three and four for A-labels.
  if (label[2] === '-' && label[3] === '-' && !isALabel(label))
    return fault('punycode', `The label ${label} is not valid internationalized text.`);
  return undefined;
}

/** Whether the label is a valid A-label. Node does not decode all-ASCII names, so another label is added. */
const isALabel = (label: string): boolean =>
  label.startsWith('xn--') && hostOfUrl(`ü.${label}.a`) === `xn--tda.${label}.a`;

/** Whether the URL standard would read a name that ends in this label as an IPv4 address; hexadecimal counts too. */
const isNumericLabel = (label: string): boolean => /^(\d+|0x[0-9a-f]*)$/.test(label);

function faultOfReserved(name: string, allow: Allowed): HostnameResult | undefined {
  const tld = name.slice(name.lastIndexOf('.') + 1);
  if (tld === 'test' && allow.test) return undefined;
  if (tld === 'test') return fault('reserved', 'Names under .test exist only in the test environment.');
  const reserved = RESERVED_TLDS.has(tld) ? `.${tld}` : RESERVED_DOMAINS.exec(name)?.[0].replace(/^\./, '');
  return reserved === undefined ? undefined : fault('reserved', `${reserved} is reserved and can never be proved.`);
}

/** Returns www for an apex, the apex for www, and null for any other hostname. `domain` is the registrable domain. */
export function companionName(hostname: string, domain: string): string | null {
  if (hostname === domain) return `www.${domain}`;
  return hostname === `www.${domain}` ? domain : null;
}

/** Returns the companion of a hostname that is known to have one. */
export const companionHostname = (hostname: string): string =>
  hostname.startsWith('www.') ? hostname.slice('www.'.length) : `www.${hostname}`;

/** Returns the wildcard that covers a hostname: a wildcard covers one label only (RFC 9525 section 6.3). */
export const wildcardAbove = (hostname: string): string => `*${hostname.slice(hostname.indexOf('.'))}`;

/** Returns a hostname that no connection but the wildcard covers. With the longest wildcard it fits into a DNS name. */
export const randomBelow = (wildcard: string, random: string): string =>
  `check-${random.slice(0, 12)}.${baseOf(wildcard)}`;

/** Whether the hostname is below .test, which has no public DNS (RFC 6761). A table serves it in the test environment. */
export const isSandboxName = (hostname: string): boolean => hostname.endsWith('.test');

export const isInSandbox = ({ environment, hostname }: { environment: Environment; hostname: string }): boolean =>
  environment === 'test' && isSandboxName(hostname);
