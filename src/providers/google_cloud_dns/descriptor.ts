import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'google_cloud_dns',
  name: 'Google Cloud DNS',
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
        help: 'Only if the zones are in another project than the service account.',
      },
      {
        name: 'managed_zone',
        label: 'Managed zone',
        secret: false,
        required: false,
        help: 'The name of the zone in Cloud DNS, such as example-com. Needed when the role was given for that zone only, or when two public zones have the same DNS name.',
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
    'An ALIAS at the apex cannot be used in a zone that is signed with DNSSEC.',
    'Record sets with a routing policy are never changed.',
    'Squarespace uses the same name servers for domains that it took over from Google Domains; those have no API here.',
    'A service account key has no end of its own; where an organisation forbids such keys, this provider cannot be used here.',
    'Private zones are never changed.',
    'A role that was given for one zone does not allow zones to be listed, so that zone has to be named.',
  ],
  base_url: 'https://dns.googleapis.com/dns/v1',
  token_url: 'https://oauth2.googleapis.com',
} as const satisfies Descriptor;
