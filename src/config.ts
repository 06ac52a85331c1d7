import { existsSync } from 'node:fs';
import { z } from 'zod';
import { endpointSchema } from './dns/endpoint.ts';
import { EDGE_POLICIES, type EdgeTargets } from './domain/connection/edge-addresses.ts';
import { isDnsName } from './domain/hostname.ts';
import { canonicalValue } from './domain/record.ts';
import { PRIVATE_NETWORKS, parseNetwork, type Network } from './net/address.ts';
import { isLoopbackHost, isLoopbackOnly } from './net/reach.ts';
import { USAGE_KINDS, type UsageKind } from './domain/billing/usage.ts';
import { SecretFileError, withSecretFiles } from './secret-files.ts';

/** The settings, one line each: external name, format and default. See .env.example. */
const flag = z.enum(['true', 'false', '1', '0', '']).transform((text) => text === 'true' || text === '1');
const PORT_RULE = 'must be a number from 1 to 65535';
const port = z.coerce.number(PORT_RULE).int(PORT_RULE).min(1, PORT_RULE).max(65_535, PORT_RULE);
const list = z.string().transform((text) => text.split(',').map((item) => item.trim()).filter(Boolean)); // prettier-ignore
const url = z.url({ protocol: /^https?$/ });
/** Tokens of the provider decide who signs in, so they must not cross a network in plain text. */
const issuer = url.refine(
  (text) => text.startsWith('https:') || isLoopbackHost(new URL(text).hostname),
  'must be an https address',
);
/** Checked here and kept as text; the observer parses it. */
const address = z.string().superRefine((text, context) => {
  for (const { message } of endpointSchema.safeParse(text).error?.issues ?? []) context.addIssue(message);
});

const network = z
  .string()
  .refine((text) => parseNetwork(text) !== undefined, 'must have the form 10.0.0.0/8 or 10.1.2.3, comma separated');

const RATE_RULE = 'must have the form 25:50 (per second : burst), or 0 for no limit';

/** `per second:burst`, or 0 for no limit. */
const rate = z
  .string()
  .regex(/^(0|\d+(\.\d+)?:\d+)$/, RATE_RULE)
  // A bucket that never fills, or has no capacity, would refuse every request forever.
  .refine((text) => text === '0' || text.split(':').every((part) => Number(part) > 0), RATE_RULE)
  .transform((text) => {
    const [perSecond = 0, burst = 0] = text.split(':').map(Number);
    return text === '0' ? null : { perSecond, burst };
  });

/** `kid:base64,…`. The first key signs or encrypts; the others are still accepted. */
const keyringText = z
  .string()
  .regex(
    /^[\w-]+:[A-Za-z0-9+/]{43}=(,[\w-]+:[A-Za-z0-9+/]{43}=)*$/,
    'must have the form kid:base64 of 32 bytes, comma separated',
  );
const keyring = keyringText.transform((text) => {
  const [first = '', ...others] = text.split(',');
  const key = (item: string) => {
    const [kid = '', secret = ''] = item.split(/:(.*)/s);
    return { kid, secret: Buffer.from(secret, 'base64') };
  };
  return [key(first), ...others.map(key)] as const;
});

/** `90s`, `30m`, `24h`, `7d` or `0`, in milliseconds. */
const duration = z
  .string()
  .regex(/^(0|\d+[smhd])$/, 'must have the form 90s, 30m, 24h or 7d, or 0')
  .transform((text) => Number.parseInt(text, 10) * (UNIT_MS[text.at(-1) ?? ''] ?? 0));
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const NETWORKS_RULE = 'must be a list of networks such as 10.0.0.0/8,fd00::/8, or true or false';
/** `true` means the private networks. Loopback and link-local networks must be listed explicitly. */
const networks = z.string().transform((text, context): readonly Network[] => {
  if (['true', '1'].includes(text)) return PRIVATE_NETWORKS;
  if (['false', '0'].includes(text)) return [];
  const parsed = list.parse(text).map(parseNetwork);
  if (parsed.includes(undefined)) context.addIssue(NETWORKS_RULE);
  return parsed.filter((network) => network !== undefined);
});
const CREDENTIALS_RULE = 'must be a JSON object of texts, such as {"api_token":"…"}';
/** Fields of a provider's credential, as JSON. */
const credentials = z.string().transform((text, context): Readonly<Record<string, string>> => {
  const fields = z.record(z.string(), z.string()).safeParse(jsonIn(text));
  if (!fields.success) context.addIssue(CREDENTIALS_RULE);
  return fields.data ?? {};
});

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const providerHost = z.string().regex(/^[a-z0-9.-]+(:\d{1,5})?$/i, 'must have the form host or host:port');

const METERS_RULE = `must have the form connect=event_name, comma separated, with ${USAGE_KINDS.join(', ')}`;
/** `kind=event name`, comma separated. */
const meters = list
  .refine(
    (items) =>
      items.every(
        (item) => USAGE_KINDS.some((kind) => item.startsWith(`${kind}=`)) && /^\w+=[\w.-]{1,100}$/.test(item),
      ),
    METERS_RULE,
  )
  .transform((items) => new Map(items.map((item) => item.split('=') as [UsageKind, string])));

/** Temporal writes a version as name and build with a dot in between, and limits the length of each. */
const versionPart = z
  .string()
  .regex(/^[\w-][\w.:+-]{0,99}$/, 'must be made of letters, digits, dots, hyphens, + and :');

const databaseUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' });

/** Addresses of one family. An address that is listed twice is a typo, because a record set holds each value once. */
const addressList = (type: 'A' | 'AAAA', item: z.ZodType<string, string>) =>
  list.pipe(z.array(item)).superRefine((addresses, context) => {
    const values = addresses.map((text) => canonicalValue(type, text));
    const twice = addresses.find((_, i) => values.indexOf(values[i] ?? '') < i);
    if (twice !== undefined) context.addIssue(`${twice} is listed twice`);
  });

const Settings = z.object({
  NODE_ENV: z.string().default('development'),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8080),
  BASE_URL: url.optional(),
  INTERNAL_PORT: port.optional(),
  DATA_DIR: z.string().optional(),
  CACHE_DIR: z.string().optional(),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_PASSWORD: z.string().optional(),
  MIGRATION_DATABASE_URL: databaseUrl.optional(),
  MIGRATION_DATABASE_PASSWORD: z.string().optional(),
  API_DATABASE_URL: databaseUrl.optional(),
  API_DATABASE_PASSWORD: z.string().optional(),
  WORKER_DATABASE_URL: databaseUrl.optional(),
  WORKER_DATABASE_PASSWORD: z.string().optional(),
  DATABASE_POOL: z.coerce.number().int().min(2).max(500).default(20),
  TEMPORAL_ADDRESS: z.string().optional(),
  TEMPORAL_UI_URL: url.optional(),
  TEMPORAL_CODEC_KEYS: keyring.optional(),
  TEMPORAL_TASK_QUEUE: z.string().default('connections'),
  WORKER_CACHED_WORKFLOWS: z.coerce.number().int().min(10).default(1000),
  WORKER_WORKFLOW_TASKS: z.coerce.number().int().min(2).max(1_000).default(8),
  WORKER_CACHED_DELIVERIES: z.coerce.number().int().min(10).default(200),
  WORKER_DELIVERY_TASKS: z.coerce.number().int().min(2).max(1_000).default(200),
  WORKER_POLLERS: z.coerce.number().int().min(5).max(1_000).default(100),
  WORKER_DEPLOYMENT_NAME: versionPart.optional(),
  WORKER_BUILD_ID: versionPart.optional(),
  WORKER_HELD_PATCHES: list.default([]),
  BATCH_AT_ONCE: z.coerce.number().int().min(1).max(1_000).default(2),
  WORKER_ACTIVITIES: z.coerce.number().int().min(20).max(2_000).default(200),
  CREDENTIAL_KEYS: keyringText.optional(),
  WIDGET_TOKEN_KEYS: keyring.optional(),
  CURSOR_KEY: keyring.optional(),
  DNS_RESOLVERS: list.pipe(z.array(address)).default(['1.1.1.1', '8.8.8.8', '9.9.9.9']),
  DNS_AUTHORITATIVE_PORT: port.default(53),
  DNS_ALLOW_PRIVATE: flag.default(false),
  EDGE: z.enum(['internal', 'acme', 'off']).default('internal'),
  EDGE_BIND: z.union([z.ipv4(), z.ipv6()], 'must be an IP address').default('127.0.0.1'),
  EDGE_HTTP_PORT: port.optional(),
  EDGE_HTTPS_PORT: port.optional(),
  EDGE_METRICS_PORT: port.default(2020),
  EDGE_ASK_PORT: port.default(2021),
  EDGE_ADMIN: z.string().default('off'),
  EDGE_PROTOCOLS: z
    .string()
    .regex(/^h[123]( h[123])*$/, 'must have the form h1 h2 h3')
    .default('h1 h2 h3'),
  EDGE_TLS_ADDRESS: z
    .string()
    .regex(/^(\[[0-9a-fA-F:.]+\]|[\w.-]+):\d{1,5}$/, 'must have the form host:port')
    .optional(),
  EDGE_CA_FILE: z.string().optional(),
  EDGE_LOG_FILE: z.string().optional(),
  ACME_DIRECTORY_URL: url.default('https://acme-v02.api.letsencrypt.org/directory'),
  ACME_FALLBACK_DIRECTORY_URL: url.optional(),
  ACME_CA_FILE: z.string().optional(),
  ACME_EMAIL: z.email().optional(),
  ACME_PROFILE: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be the name of a profile, such as tlsserver or shortlived')
    .optional(),
  ACME_DELEGATION_ZONE: z.string().toLowerCase().refine(isDnsName, 'must be a domain name').optional(),
  ACME_DELEGATION_PROVIDER: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/, 'must be the slug of a provider, such as route53')
    .optional(),
  ACME_DELEGATION_CREDENTIALS: credentials.optional(),
  ACME_DELEGATION_KEY: z.string().min(16, 'must have 16 characters or more').optional(),
  ACME_EAB_KID: z.string().min(1).optional(),
  ACME_EAB_HMAC_KEY: z
    .string()
    .regex(/^[\w-]+=*$/, 'must be base64url')
    .optional(),
  UPLOAD_CA_FILE: z.string().optional(),
  CAA_IDENTITIES: list.default(['letsencrypt.org']),
  CAA_EDGE_ACCOUNTS: list.pipe(z.array(url)).default([]),
  EDGE_CNAME_TARGET: z.string().refine(isDnsName, 'must be a host name').optional(),
  EDGE_IPV4: addressList('A', z.ipv4('must be a list of IPv4 addresses, comma separated')).optional(),
  EDGE_IPV6: addressList('AAAA', z.ipv6('must be a list of IPv6 addresses, comma separated')).optional(),
  EDGE_ADDRESSES: z.enum(EDGE_POLICIES, 'must be any or all').default('any'),
  IMPORT_CNAME_PROOF: z.enum(['on', 'off'], 'must be on or off').default('off'),
  WEBHOOK_ALLOW_PRIVATE: networks.prefault('false'),
  ORIGIN_ALLOW_PRIVATE: networks.prefault('false'),
  OWN_HOSTS: list
    .pipe(z.array(z.string().regex(/^[\w.-]+$|^[0-9a-f:.]+$/i, 'must be host names or addresses, comma separated')))
    .default([]),
  EDGE_ID: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be made of letters, digits, dots and hyphens')
    .default('edge'),
  EDGE_TOKEN: z
    .string()
    .regex(/^edge_[0-9A-Za-z]{43}$/, 'must be the token that `edges add` printed')
    .optional(),
  EDGE_KEY_FILE: z.string().optional(),
  EDGE_AGENT_HOST: z.string().default('127.0.0.1'),
  EDGE_AGENT_PORT: port.default(8090),
  EDGE_AGENT_DNS_PORT: port.default(8053),
  EDGE_CERT_HOST: z.string().default('127.0.0.1'),
  EDGE_CERT_PORT: port.default(8091),
  EDGE_ANSWERER_CERT_PORT: port.default(8092),
  EDGE_ANSWERER_PORT: port.default(8093),
  EDGE_CERT_SEGMENT_FILE: z.string().optional(),
  EDGE_AGENT_DIR: z.string().optional(),
  EDGE_ASKING: z.enum(['agent', 'module']).default('agent'),
  EDGE_GENERATION_FILE: z.string().optional(),
  EDGE_API_URL: url.optional(),
  EDGE_FEED_PORT: port.optional(),
  EDGE_FEED_CERT_FILE: z.string().optional(),
  EDGE_FEED_KEY_FILE: z.string().optional(),
  EDGE_FEED_URL: url.optional(),
  EDGE_FEED_CA_FILE: z.string().optional(),
  EDGE_STALE_FOR: duration.prefault('24h'),
  EDGE_ORIGIN_CERT_FILE: z.string().optional(),
  EDGE_ORIGIN_KEY_FILE: z.string().optional(),
  EDGE_ORIGIN_REQUESTS: z.coerce.number().int().min(1).max(1_000_000).default(1_000),
  EDGE_STREAMS: z.enum(['relay', 'direct']).default('relay'),
  RATE_LIMIT_ANONYMOUS: rate.prefault('50:500'),
  RATE_LIMIT_KEY: rate.prefault('25:50'),
  RATE_LIMIT_TENANT: rate.prefault('100:200'),
  RATE_LIMIT_WIDGET: rate.prefault('5:20'),
  RATE_LIMIT_VERIFY: rate.prefault('0.5:1'),
  TRUSTED_PROXIES: list.pipe(z.array(network)).default([]),
  DOMAIN_CONNECT_PROVIDER_ID: z.string().refine(isDnsName, 'must be a domain name').optional(),
  DOMAIN_CONNECT_PUBKEY_DOMAIN: z.string().refine(isDnsName, 'must be a domain name').optional(),
  DOMAIN_CONNECT_KEYS: z.string().optional(),
  DOMAIN_CONNECT_HOSTS: list.pipe(z.array(providerHost)).default([]),
  RDAP_BOOTSTRAP_FILE: z.string().optional(),
  CONSOLE: z.enum(['on', 'off'], 'must be on or off').default('on'),
  CONSOLE_OIDC_ISSUER: issuer.optional(),
  CONSOLE_OIDC_CLIENT_ID: z.string().optional(),
  CONSOLE_OIDC_CLIENT_SECRET: z.string().optional(),
  CONSOLE_OIDC_TENANT_CLAIM: z.string().optional(),
  CONSOLE_OIDC_ROLE_CLAIM: z.string().optional(),
  PRODUCT_NAME: z.string().max(60).optional(),
  DEFAULT_PLAN: z.string().default('unlimited'),
  UPGRADE_URL: url.optional(),
  STRIPE_SECRET_KEY: z.string().min(1).optional(),
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  STRIPE_API_URL: url.optional(),
  STRIPE_METERS: meters.prefault(''),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  LOG_FORMAT: z.enum(['pretty', 'json']).optional(),
});

export const SETTINGS: readonly string[] = Object.keys(Settings.shape);

export type Config = Readonly<z.infer<typeof Settings>> & {
  /** Targets of customers' records. An edge that is configured only by name has no addresses. */
  edge: EdgeTargets;
  /** The version under which Temporal knows this build of the worker; undefined if every worker takes every run. */
  workerVersion: { deploymentName: string; buildId: string } | undefined;
  /** Directories of the public certificate authorities, in order of preference. */
  acmeDirectories: readonly [string, ...string[]];
  /** The CA at which the worker orders certificates; null if the edge has its own CA and none was set. */
  ownOrdersAt: string | null;
  baseUrl: string;
  /** Page where a tenant can choose a larger plan. */
  upgradeUrl: string;
  /** Whether development defaults apply, such as private origins, the demo and keys in the output. */
  isDevelopment: boolean;
  /** Address of the listener for /internal/*, /metrics and /healthz. */
  internalHost: string;
  /** URL at which this machine reaches /internal/*, /metrics and /healthz. */
  internalUrl: string;
};

/** Prefixes of our settings. An unknown name with such a prefix is a typo; other names may belong to other programs. */
const PREFIXES = [
  'DNS_',
  'EDGE_',
  'ACME_',
  'CAA_',
  'RATE_LIMIT_',
  'WEBHOOK_',
  'ORIGIN_',
  'WIDGET_TOKEN_',
  'CREDENTIAL_',
  'DOMAIN_CONNECT_',
  'STRIPE_',
  'RDAP_',
  'CONSOLE_',
];

/** Settings that only Caddy reads, see docs/edge.md. Compose passes one .env to Caddy and to us. */
const CADDY_SETTINGS = new Set([
  'EDGE_ASK',
  'EDGE_ROUTE',
  'EDGE_DIAL_RESOLVER',
  'EDGE_STORAGE',
  'EDGE_OPTIONS',
  'EDGE_ORIGIN_TLS',
  'EDGE_HTTPS_SUFFIX',
  'EDGE_STREAM_TIMEOUT',
  'EDGE_METRICS_BIND',
  'EDGE_CERTIFICATES',
  'EDGE_CERT_AGENT',
  'EDGE_CERT_ANSWERER',
  'EDGE_CERT_SEGMENT',
  'ACME_OPTIONS',
  'ACME_FALLBACK_OPTIONS',
]);

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Returns the environment, which overrides the .env file of the working folder, with secrets read from their files. */
export function readEnvironment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env');
  try {
    return withSecretFiles(process.env);
  } catch (error) {
    throw error instanceof SecretFileError ? new ConfigError(error.message, { cause: error }) : error;
  }
}

interface ParseOptions {
  /**
   * The edge's agent and `migrate` have neither keys nor a public listener, so production does not require them. A
   * command for the setup creates settings that the service requires.
   */
  role?: 'service' | 'edge agent' | 'migration' | 'setup';
  /** Host of the internal listener, if it is not HOST. */
  internalHost?: string;
}

export function parseConfig(
  env: Readonly<Record<string, string | undefined>>,
  { role = 'service', internalHost }: ParseOptions = {},
): Config {
  const typos = Object.keys(env).filter(
    (name) => PREFIXES.some((f) => name.startsWith(f)) && !(name in Settings.shape) && !CADDY_SETTINGS.has(name),
  );
  if (typos.length > 0)
    throw new ConfigError(`${typos.join(', ')}: no such setting. See .env.example for all settings.`);
  // Shells and compose files use an empty value for "not set".
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = Settings.safeParse(given);
  if (!parsed.success) {
    const sentences = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`${sentences.join('; ')}. See .env.example.`);
  }
  const settings = withPasswords(parsed.data);
  if (settings.NODE_ENV === 'production' && role === 'service') {
    requireKeys(settings);
    requireInternalPort(settings);
    requireEdgeTarget(settings);
  }
  if (role === 'service') requireFeedTls(settings);
  if (role !== 'setup') for (const [subject, names] of TOGETHER) requireAllOf(settings, subject, names);
  const workerVersion = workerVersionOf(settings);
  const baseUrl = settings.BASE_URL ?? urlOn(settings.HOST, settings.PORT);
  return {
    ...settings,
    edge: edgeTargets(settings),
    workerVersion,
    acmeDirectories: [settings.ACME_DIRECTORY_URL, ...[settings.ACME_FALLBACK_DIRECTORY_URL ?? []].flat()],
    ownOrdersAt: settings.EDGE === 'acme' ? settings.ACME_DIRECTORY_URL : (given['ACME_DIRECTORY_URL'] ?? null),
    baseUrl,
    upgradeUrl: settings.UPGRADE_URL ?? `${baseUrl}${settings.CONSOLE === 'on' ? '/console/plan' : '/docs'}`,
    isDevelopment: isLoopbackOnly({
      nodeEnv: settings.NODE_ENV,
      edge: settings.EDGE,
      hosts: [
        settings.HOST,
        settings.EDGE_BIND,
        settings.EDGE_AGENT_HOST,
        new URL(baseUrl).hostname,
        ...[settings.EDGE_TLS_ADDRESS?.replace(/:\d+$/, '') ?? [], given['EDGE_METRICS_BIND'] ?? []].flat(),
      ],
    }),
    internalHost: internalHost ?? settings.HOST,
    internalUrl: urlOn(internalHost ?? settings.HOST, settings.INTERNAL_PORT ?? settings.PORT),
  };
}

/** Returns a URL at which this machine reaches one of its listeners. */
function urlOn(bind: string, at: number): string {
  const host = bind === '0.0.0.0' || bind === '::' ? 'localhost' : bind;
  return `http://${host.includes(':') ? `[${host}]` : host}:${at}`;
}

/** Returns the configured targets. Without a configured edge, the targets are this machine's own edge. */
function edgeTargets(settings: z.infer<typeof Settings>): EdgeTargets {
  const { EDGE_CNAME_TARGET, EDGE_IPV4, EDGE_IPV6 = [], EDGE_ADDRESSES: policy } = settings;
  const here = EDGE_CNAME_TARGET === undefined ? ['127.0.0.1'] : [];
  return { cnameTarget: EDGE_CNAME_TARGET ?? 'edge.localhost', ipv4: EDGE_IPV4 ?? here, ipv6: EDGE_IPV6, policy };
}

/** Routing, permissions for certificates and metrics must not be public. */
function requireInternalPort({ INTERNAL_PORT }: z.infer<typeof Settings>): void {
  if (INTERNAL_PORT === undefined)
    throw new ConfigError(
      'INTERNAL_PORT must be set in production: without it, the public listener serves /internal/* and /metrics.',
    );
}

/** The feed carries tokens and hostnames, so it is encrypted wherever it leaves this machine. */
function requireFeedTls({ EDGE_FEED_PORT, EDGE_FEED_CERT_FILE, HOST }: z.infer<typeof Settings>): void {
  if (EDGE_FEED_PORT !== undefined && EDGE_FEED_CERT_FILE === undefined && !isLoopbackHost(HOST))
    throw new ConfigError('EDGE_FEED_CERT_FILE and EDGE_FEED_KEY_FILE must be set, unless HOST is a loopback address.');
}

/** The default is this machine's own edge, which customers' DNS records cannot point to. */
function requireEdgeTarget({ EDGE_CNAME_TARGET }: z.infer<typeof Settings>): void {
  if (EDGE_CNAME_TARGET === undefined)
    throw new ConfigError(
      "EDGE_CNAME_TARGET must be set in production: it is the hostname that customers' records point to, such as edge.example.com.",
    );
}

/** Adds each password to its URL, unless the URL already contains one. */
function withPasswords(settings: z.infer<typeof Settings>): z.infer<typeof Settings> {
  const address = (url: string | undefined, password: string | undefined): string | undefined => {
    if (url === undefined || password === undefined) return url;
    const complete = new URL(url);
    if (complete.password === '') complete.password = encodeURIComponent(password);
    return complete.href;
  };
  return {
    ...settings,
    DATABASE_URL: address(settings.DATABASE_URL, settings.DATABASE_PASSWORD),
    MIGRATION_DATABASE_URL: address(settings.MIGRATION_DATABASE_URL, settings.MIGRATION_DATABASE_PASSWORD),
    API_DATABASE_URL: address(settings.API_DATABASE_URL, settings.API_DATABASE_PASSWORD),
    WORKER_DATABASE_URL: address(settings.WORKER_DATABASE_URL, settings.WORKER_DATABASE_PASSWORD),
  };
}

function workerVersionOf({
  WORKER_DEPLOYMENT_NAME,
  WORKER_BUILD_ID,
}: z.infer<typeof Settings>): Config['workerVersion'] {
  if (WORKER_DEPLOYMENT_NAME === undefined && WORKER_BUILD_ID === undefined) return undefined;
  if (WORKER_DEPLOYMENT_NAME === undefined || WORKER_BUILD_ID === undefined)
    throw new ConfigError('WORKER_DEPLOYMENT_NAME and WORKER_BUILD_ID must be set together, or neither of them.');
  if (WORKER_DEPLOYMENT_NAME.includes('.'))
    throw new ConfigError('WORKER_DEPLOYMENT_NAME: must have no dot, which Temporal puts between name and build.');
  return { deploymentName: WORKER_DEPLOYMENT_NAME, buildId: WORKER_BUILD_ID };
}

/** Settings that work only together, by their subject. */
const TOGETHER = [
  ['TLS of the feed', ['EDGE_FEED_CERT_FILE', 'EDGE_FEED_KEY_FILE']],
  ['A certificate for origins', ['EDGE_ORIGIN_CERT_FILE', 'EDGE_ORIGIN_KEY_FILE']],
  [
    'OpenID Connect',
    [
      'CONSOLE_OIDC_ISSUER',
      'CONSOLE_OIDC_CLIENT_ID',
      'CONSOLE_OIDC_CLIENT_SECRET',
      'CONSOLE_OIDC_TENANT_CLAIM',
      'CONSOLE_OIDC_ROLE_CLAIM',
    ],
  ],
  ['Domain Connect', ['DOMAIN_CONNECT_PROVIDER_ID', 'DOMAIN_CONNECT_PUBKEY_DOMAIN', 'DOMAIN_CONNECT_KEYS']],
  [
    'Delegated validation',
    ['ACME_DELEGATION_ZONE', 'ACME_DELEGATION_PROVIDER', 'ACME_DELEGATION_CREDENTIALS', 'ACME_DELEGATION_KEY'],
  ],
] as const satisfies [string, (keyof z.infer<typeof Settings>)[]][];

/**
 * Requires all of some settings, or none. Domain Connect with only some would create signatures that no provider can
 * verify. Delegated validation would publish names in a zone that we cannot write to. Caddy would not start. Without
 * its claims, OpenID Connect could sign no one in.
 */
function requireAllOf(
  settings: z.infer<typeof Settings>,
  subject: string,
  names: readonly (keyof z.infer<typeof Settings>)[],
): void {
  const missing = names.filter((name) => settings[name] === undefined);
  if (missing.length === 0 || missing.length === names.length) return;
  const count = ['both', 'all three', 'all four', 'all five'][names.length - 2];
  throw new ConfigError(`${missing.join(', ')} must be set too: ${subject} needs ${count}, or none of them.`);
}

function requireKeys(settings: z.infer<typeof Settings>): void {
  const missing = (['CREDENTIAL_KEYS', 'WIDGET_TOKEN_KEYS', 'CURSOR_KEY'] as const).filter((name) => !settings[name]);
  if (missing.length > 0)
    throw new ConfigError(
      `${missing.join(', ')} must be set in production, as kid:base64 of 32 random bytes: data that a lost key protects cannot be read again.`,
    );
}
