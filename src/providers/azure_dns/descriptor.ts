import type { Descriptor } from '../descriptor.ts';
import { WITHOUT_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'azure_dns',
  name: 'Azure DNS',
  category: 'cloud',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'tenant_id',
        label: 'Directory (tenant) ID',
        secret: false,
        required: true,
        help: 'Shown on the overview of the app registration.',
      },
      {
        name: 'client_id',
        label: 'Application (client) ID',
        secret: false,
        required: true,
        help: 'Of an app registration with the role DNS Zone Contributor on the zone, and nothing else.',
      },
      {
        name: 'client_secret',
        label: 'Client secret',
        secret: true,
        required: true,
        help: 'The value of the secret, not its ID. It is shown once, and expires on the date chosen with it.',
      },
      {
        name: 'subscription_id',
        label: 'Subscription ID',
        secret: false,
        required: true,
        help: 'Of the subscription that the zone is in.',
      },
      {
        name: 'resource_group',
        label: 'Resource group',
        secret: false,
        required: false,
        help: 'Needed when two resource groups have a zone of the same name.',
      },
    ],
  },
  capabilities: WITHOUT_APEX_ALIAS,
  limits: {
    ttl: { min: 1, max: 2_147_483_647 },
    txt_bytes: 4_096,
    refuses: [{ type: 'TXT', matching: '^$', because: 'is empty, which Azure does not store.' }],
    set_values: 20,
    atomic: false,
    concurrency: 'compare_and_swap',
    requests: [
      { count: 500, seconds: 300, counts: 'reads' },
      { count: 1_000, seconds: 300, counts: 'writes' },
    ],
  },
  nameserver_patterns: [String.raw`(^|\.)azure-dns\.(com|net|org|info)$`],
  domain_connect: false,
  control_panel_url: 'https://portal.azure.com/#browse/Microsoft.Network%2FdnsZones',
  panel: { path: ['DNS zones', 'Recordsets', 'Add'], save: 'Add', apex_host: '@' },
  limitations: [
    'Client secrets expire, after two years at the latest; a new one has to be given to us before that.',
    'Alias record sets lead only to Azure resources, so an apex needs A and AAAA records; they are never changed.',
    'A name can have 20 values of one type, and 4096 characters of text altogether.',
    'Azure allows 500 reads in five minutes, and a zone is read 100 record sets at a time.',
    'A zone with more than 5000 record sets is too large to be read here.',
    'Only the public Azure cloud is reached, not the ones for governments and China.',
  ],
  base_url: 'https://management.azure.com',
  token_url: 'https://login.microsoftonline.com',
} as const satisfies Descriptor;
