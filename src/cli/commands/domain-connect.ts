import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { createObserver } from '../../dns/observer.ts';
import { kindOf, publicSuffix, registrableDomain } from '../../dns/suffix.ts';
import { makeSigningKey, publishedKey, type SigningKeys } from '../../domain-connect/keys.ts';
import {
  DC_OBSTACLES,
  dcChoice,
  dcTemplates,
  isDcService,
  type DcObstacle,
  type DcOffer,
} from '../../domain/zone/domain-connect.ts';
import { normalizeHostname } from '../../domain/hostname.ts';
import { desiredRecords } from '../../domain/connection/template.ts';
import { dialPolicies } from '../../main/dial-policies.ts';
import { openDomainConnect, signingKeysIn, type DomainConnect } from '../../main/domain-connect.ts';
import { required, type SettingsCommand, type Output } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';

const keys: SettingsCommand = {
  name: 'domain-connect keys',
  usage: '[--make | --rotate]',
  summary: 'Show the TXT records of the keys that sign apply URLs; --make a first key, --rotate to a new one',
  options: { make: { type: 'boolean' }, rotate: { type: 'boolean' } },
  requires: [],
  async runBySettings(values, config) {
    const before = config.DOMAIN_CONNECT_KEYS;
    if (values['make'] === true && before !== undefined)
      throw new UsageError('DOMAIN_CONNECT_KEYS is set already; --rotate puts a new key before it.');
    if (values['make'] !== true && before === undefined)
      throw new CommandError('DOMAIN_CONNECT_KEYS is not set; --make makes a first key.');
    if (values['make'] !== true && values['rotate'] !== true) return shownKeys(before ?? '', config, false);
    const made = await makeSigningKey(nextName(before));
    return shownKeys([made, ...(before === undefined ? [] : [before])].join(','), config, true);
  },
};

/** `_dcpubkeyv1`, `_dcpubkeyv2` and so on: one that no key has yet, because providers may still know the older ones. */
function nextName(text: string | undefined): string {
  const used: readonly { kid: string }[] = text === undefined ? [] : signingKeysIn(text);
  const numbers = used.map(({ kid }) => Number(/^_dcpubkeyv(\d+)$/.exec(kid)?.[1] ?? 0));
  return `_dcpubkeyv${Math.max(0, ...numbers) + 1}`;
}

function shownKeys(text: string, { DOMAIN_CONNECT_PUBKEY_DOMAIN: domain }: Config, isNew: boolean): Output {
  const ring: SigningKeys = signingKeysIn(text);
  const records = ring.flatMap((key) =>
    publishedKey(key).map((value) => ({
      host: `${key.kid}.${domain ?? '<DOMAIN_CONNECT_PUBKEY_DOMAIN>'}`,
      type: 'TXT',
      value,
    })),
  );
  const rotation = [
    'First publish these TXT records, and wait until they are seen everywhere.',
    'Then set DOMAIN_CONNECT_KEYS as below and restart: the first key signs.',
    'An hour later no URL of an older key is in use, and it can leave the setting and DNS.',
  ];
  return {
    json: { ...(isNew ? { DOMAIN_CONNECT_KEYS: text } : {}), signs_with: ring[0].kid, records },
    lines: [
      ...(isNew ? rotation : [`${ring[0].kid} signs.`]),
      ...records.map(({ host, type, value }) => `${host}  ${type}  "${value}"`),
      ...(isNew ? [`DOMAIN_CONNECT_KEYS=${text}`] : []),
    ],
  };
}

const templates: SettingsCommand = {
  name: 'domain-connect templates',
  usage: '--folder DIR --name NAME [--logo URL]',
  summary: 'Write our templates, as DNS providers and the public repository of templates want them',
  options: { folder: { type: 'string' }, name: { type: 'string' }, logo: { type: 'string' } },
  requires: ['folder', 'name'],
  async runBySettings(values, config) {
    const { identity, pubKeyDomain, close } = opened(config);
    await close();
    const folder = required(values, 'folder');
    const made = dcTemplates({
      providerId: identity.providerId,
      providerName: required(values, 'name'),
      ...(typeof values['logo'] === 'string' ? { logoUrl: values['logo'] } : {}),
      pubKeyDomain,
      redirectDomain: new URL(config.baseUrl).hostname,
      edge: config.edge,
    });
    await mkdir(folder, { recursive: true });
    const files = made.map((template) => join(folder, `${template.providerId}.${template.serviceId}.json`));
    for (const [index, template] of made.entries())
      await writeFile(files[index] ?? '', `${JSON.stringify(template, null, 4)}\n`);
    return { json: { files }, lines: files };
  },
};

const check: SettingsCommand = {
  name: 'domain-connect check',
  usage: 'DOMAIN',
  summary: 'Tell whether a name can be connected by Domain Connect, at which provider, and why not',
  positional: 'domain',
  options: {},
  requires: ['domain'],
  async runBySettings(values, config) {
    const result = normalizeHostname(required(values, 'domain'));
    if (!result.ok) throw new UsageError(result.message);
    const found = await discoverFor(result.hostname, config);
    if ('obstacle' in found) return told(result.hostname, null, found.obstacle);
    return told(result.hostname, found.offer, choiceFor(result.hostname, found.offer, config));
  },
};

export const domainConnectCommands = [keys, templates, check];

function opened(config: Config): DomainConnect {
  const domainConnect = openDomainConnect(config, dialPolicies(config, { isOwn: () => false }).servers);
  if (domainConnect === null) throw new CommandError(DC_OBSTACLES.off);
  return domainConnect;
}

async function discoverFor(hostname: string, config: Config): ReturnType<DomainConnect['discover']> {
  const { discover, close } = opened(config);
  let found: Awaited<ReturnType<DomainConnect['discover']>> = { obstacle: 'not_published' };
  const observer = createObserver(
    {
      resolvers: config.DNS_RESOLVERS,
      authoritativePort: config.DNS_AUTHORITATIVE_PORT,
      allowPrivate: config.DNS_ALLOW_PRIVATE,
    },
    {
      async discover(lookup, zone, signal) {
        found = await discover(lookup, zone, signal);
        return 'offer' in found ? found.offer : null;
      },
    },
  );
  try {
    await observer.observeOffer(hostname);
    return found;
  } finally {
    await Promise.all([observer.close(), close()]);
  }
}

/** As a connection of an application without a record template of its own would be. */
function choiceFor(hostname: string, offer: DcOffer, { edge }: Config) {
  const name = {
    hostname,
    kind: kindOf(hostname),
    domain: registrableDomain(hostname),
    suffix: publicSuffix(hostname),
  };
  const desired_records = desiredRecords([], { ...name, connectionId: '' }, edge);
  return dcChoice({ hostname, desired_records }, offer, edge);
}

function told(hostname: string, offer: DcOffer | null, choice: ReturnType<typeof choiceFor>): Output {
  if (isDcService(choice))
    return {
      json: { hostname, offered: true, service: choice, ...offer },
      lines: [`${hostname} can be connected at ${offer?.provider_name ?? 'its provider'} by our template ${choice}.`],
    };
  const obstacle: DcObstacle = choice;
  return {
    json: { hostname, offered: false, obstacle, reason: DC_OBSTACLES[obstacle], ...offer },
    lines: [
      `${hostname} cannot be connected by Domain Connect. ${DC_OBSTACLES[obstacle]}`,
      ...(offer === null ? [] : [`Provider: ${offer.provider_name} (${offer.provider_id}), ${offer.url_sync_ux}`]),
    ],
  };
}
