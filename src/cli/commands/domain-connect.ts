import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { createObserver } from '../../dns/observer.ts';
import { hostnameParts } from '../../dns/suffix.ts';
import { getApplication } from '../../db/tenant/applications.ts';
import { ownService } from '../../domain-connect/own-service.ts';
import { makeSigningKey, publishedKey, type SigningKeys } from '../../domain-connect/keys.ts';
import {
  DC_OBSTACLES,
  dcChoice,
  dcTemplates,
  isDcService,
  ownTemplate,
  type DcObstacle,
  type DcOffer,
  type DcOperator,
  type DcTemplate,
} from '../../domain/zone/domain-connect.ts';
import { normalizeHostname } from '../../domain/hostname.ts';
import { desiredRecords } from '../../domain/connection/template.ts';
import { dialPolicies } from '../../main/dial-policies.ts';
import { openDomainConnect, signingKeysIn, type DomainConnect } from '../../main/domain-connect.ts';
import {
  APPLICATION,
  idIn,
  required,
  type Command,
  type Output,
  type SettingsCommand,
  type Values,
} from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';

const keys: SettingsCommand = {
  name: 'domain-connect keys',
  summary: 'Shows the TXT records of the keys that sign apply URLs',
  options: {
    make: { type: 'boolean', help: 'Create the first key' },
    rotate: { type: 'boolean', help: 'Create the next key' },
  },
  examples: ['domain-connect keys --make', 'domain-connect keys'],
  role: 'setup', // --make creates the last of the three settings, so the other two may be there already
  requires: [],
  async runBySettings(values, config) {
    const before = config.DOMAIN_CONNECT_KEYS;
    if (values['make'] === true && before !== undefined)
      throw new UsageError('DOMAIN_CONNECT_KEYS is already set. Use --rotate to add a new key.');
    if (values['make'] !== true && before === undefined)
      throw new CommandError('DOMAIN_CONNECT_KEYS is not set. Use --make to create the first key.');
    if (values['make'] !== true && values['rotate'] !== true) return shownKeys(before ?? '', config, false);
    const made = await makeSigningKey(nextName(before));
    return shownKeys([made, ...(before === undefined ? [] : [before])].join(','), config, true);
  },
};

/** Returns an unused name such as `_dcpubkeyv2`. Names are not reused, because providers may cache the older keys. */
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
    'First publish these TXT records, and wait until they have propagated.',
    'Then set DOMAIN_CONNECT_KEYS as below and restart. The first key signs.',
    'One hour later, URLs of older keys have expired. Remove the older keys from the setting and from DNS.',
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

const FILES = {
  folder: { type: 'string', value: 'DIR', help: 'Folder for the files' },
  name: { type: 'string', value: 'NAME', help: 'Your name, as people know it' },
  logo: { type: 'string', value: 'URL', help: 'Your logo' },
} as const;

const templates: SettingsCommand = {
  name: 'domain-connect templates',
  summary: 'Writes our Domain Connect templates as files for DNS providers',
  details: 'The files have the names of the public template repository.',
  options: FILES,
  examples: ["domain-connect templates --folder templates --name 'Acme Shops'"],
  requires: ['folder', 'name'],
  async runBySettings(values, config) {
    return writeTemplates(values, dcTemplates(await operatorIn(values, config)));
  },
};

const ownTemplates: Command = {
  name: 'domain-connect record-template',
  summary: "Writes a Domain Connect template of an application's own records",
  details: 'Variables of connections become parameters. SPF and DMARC are left out. Run it again after a change.',
  options: {
    ...APPLICATION,
    ...FILES,
    service: { type: 'string', value: 'NAME', help: 'Name of what the records are for, as customers read it' },
  },
  examples: ["domain-connect record-template --application ID --service 'Mail' --folder templates --name 'Acme Shops'"],
  requires: ['application', 'service', 'folder', 'name'],
  async run(values, { config, pool }) {
    const operator = await operatorIn(values, config);
    const application = await getApplication(pool, idIn(values, 'application'));
    if (application === null) throw new CommandError('There is no such application.');
    const own = (['apex', 'subdomain'] as const).map((kind) =>
      ownService(application.record_template, kind, config.edge),
    );
    const distinct = new Map(own.filter((one) => one !== null).map((one) => [one.serviceId, one]));
    if (distinct.size === 0)
      throw new CommandError(
        'The application has no record_template that Domain Connect can express. See docs/domain-connect.md.',
      );
    const serviceName = required(values, 'service');
    return writeTemplates(
      values,
      [...distinct.values()].map((one) => ownTemplate(operator, { ...one, serviceName })),
    );
  },
};

/** Returns the operator as templates name it. */
async function operatorIn(values: Values, config: Config): Promise<DcOperator> {
  const { identity, pubKeyDomain, close } = opened(config);
  await close();
  return {
    providerId: identity.providerId,
    providerName: required(values, 'name'),
    ...(typeof values['logo'] === 'string' ? { logoUrl: values['logo'] } : {}),
    pubKeyDomain,
    redirectDomain: new URL(config.baseUrl).hostname,
    edge: config.edge,
    delegationZone: config.ACME_DELEGATION_ZONE,
  };
}

async function writeTemplates(values: Values, made: readonly DcTemplate[]): Promise<Output> {
  const folder = required(values, 'folder');
  await mkdir(folder, { recursive: true });
  const files = made.map((template) => join(folder, `${template.providerId}.${template.serviceId}.json`));
  for (const [index, template] of made.entries())
    await writeFile(files[index] ?? '', `${JSON.stringify(template, null, 4)}\n`);
  return { json: { files }, lines: files };
}

const check: SettingsCommand = {
  name: 'domain-connect check',
  summary: 'Shows whether a hostname can be connected by Domain Connect',
  positional: 'DOMAIN',
  options: {},
  requires: ['DOMAIN'],
  examples: ['domain-connect check shop.customer.com'],
  async runBySettings(values, config) {
    const result = normalizeHostname(required(values, 'DOMAIN'));
    if (!result.ok) throw new UsageError(result.message);
    const found = await discoverFor(result.hostname, config);
    if ('obstacle' in found) return outputOf(result.hostname, null, found.obstacle);
    return outputOf(result.hostname, found.offer, choiceFor(result.hostname, found.offer, config));
  },
};

export const domainConnectCommands = [keys, templates, ownTemplates, check];

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

/** Returns the service for a connection of an application without a record template. */
function choiceFor(hostname: string, offer: DcOffer, { edge }: Config) {
  const desired_records = desiredRecords([], { ...hostnameParts(hostname), connectionId: '' }, edge);
  return dcChoice({ hostname, desired_records }, offer, edge);
}

function outputOf(hostname: string, offer: DcOffer | null, choice: ReturnType<typeof choiceFor>): Output {
  if (isDcService(choice))
    return {
      json: { hostname, offered: true, service: choice, ...offer },
      lines: [`${hostname} can be connected at ${offer?.provider_name ?? 'its provider'} with our template ${choice}.`],
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
