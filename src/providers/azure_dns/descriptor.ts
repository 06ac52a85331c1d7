import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITHOUT_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'azure_dns',
  name: PROVIDER_NAMES.azure_dns,
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
        help: 'The ID of an app registration that has the role DNS Zone Contributor on the zone and no other role.',
      },
      {
        name: 'client_secret',
        label: 'Client secret',
        secret: true,
        required: true,
        help: 'The value of the secret, not its ID. Azure shows it only once, and it expires on the date that you choose.',
      },
      {
        name: 'subscription_id',
        label: 'Subscription ID',
        secret: false,
        required: true,
        help: 'The subscription that contains the zone.',
      },
      {
        name: 'resource_group',
        label: 'Resource group',
        secret: false,
        required: false,
        help: 'Required if two resource groups have a zone of the same name.',
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
    'Client secrets expire after at most two years. Give us a new secret before that.',
    'Alias record sets can only point to Azure resources, so an apex needs A and AAAA records. We never change alias record sets.',
    'A name can have at most 20 values of one type, and 4096 characters of text in total.',
    'Azure allows 500 reads in five minutes, and one read returns 100 record sets.',
    'We cannot read a zone with more than 5000 record sets.',
    'Only the public Azure cloud is supported, not the clouds for governments and China.',
  ],
  base_url: 'https://management.azure.com',
  token_url: 'https://login.microsoftonline.com',
} as const satisfies Descriptor;
