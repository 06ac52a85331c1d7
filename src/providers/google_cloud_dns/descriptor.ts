import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'google_cloud_dns',
  name: PROVIDER_NAMES.google_cloud_dns,
  category: 'cloud',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'service_account_key',
        label: 'Service account key',
        secret: true,
        required: true,
        multiline: true,
        help: 'The whole JSON key file of a service account with the role DNS Administrator.',
      },
      {
        name: 'project',
        label: 'Project ID',
        secret: false,
        required: false,
        help: 'Required only if the zones are in a different project from the service account.',
      },
      {
        name: 'managed_zone',
        label: 'Managed zone',
        secret: false,
        required: false,
        help: 'The name of the zone in Cloud DNS, such as example-com. Required if the role covers only that zone, or if two public zones have the same DNS name.',
      },
    ],
  },
  capabilities: WITH_APEX_ALIAS,
  limits: {
    ttl: { min: 0, max: 2_147_483_647 },
    txt_bytes: 2_048,
    set_values: 100,
    atomic: true,
    concurrency: 'compare_and_swap',
    requests: [{ count: 300, seconds: 60 }],
  },
  nameserver_patterns: [String.raw`^ns-cloud-[a-e][1-4]\.googledomains\.com$`],
  domain_connect: false,
  control_panel_url: 'https://console.cloud.google.com/net-services/dns/zones',
  panel: {
    path: ['Network services', 'Cloud DNS', 'Add standard'],
    save: 'Create',
    apex_host: 'blank',
    trailing_dot: true,
    quotes: true,
  },
  limitations: [
    'A zone that is signed with DNSSEC cannot have an ALIAS at the apex.',
    'We never change record sets with a routing policy.',
    'Squarespace uses the same name servers for domains that it took over from Google Domains. This API does not reach those domains.',
    'A service account key does not expire. If your organisation forbids such keys, we cannot write to Google Cloud DNS.',
    'We never change private zones.',
    'A role for a single zone does not allow us to list zones, so you must enter the name of that zone.',
  ],
  base_url: 'https://dns.googleapis.com/dns/v1',
  token_url: 'https://oauth2.googleapis.com',
} as const satisfies Descriptor;
