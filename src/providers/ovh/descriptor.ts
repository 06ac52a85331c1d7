import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITHOUT_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'ovh',
  name: PROVIDER_NAMES.ovh,
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'application_key',
        label: 'Application key',
        secret: false,
        required: true,
        help: 'The application key from the token page of your region’s OVHcloud API.',
      },
      {
        name: 'application_secret',
        label: 'Application secret',
        secret: true,
        required: true,
        help: 'The application secret. OVHcloud shows it only once, together with the application key.',
      },
      {
        name: 'consumer_key',
        label: 'Consumer key',
        secret: true,
        required: true,
        help: 'A key with the rights GET, POST and DELETE on /domain/zone/* and GET on /domain/zone, and with unlimited validity.',
      },
      {
        name: 'endpoint',
        label: 'Region of the API',
        secret: false,
        required: false,
        help: 'The region of your account: ovh-eu, ovh-ca or ovh-us. Leave empty for ovh-eu.',
      },
    ],
  },
  capabilities: WITHOUT_APEX_ALIAS,
  limits: {
    ttl: { min: 60, max: 2_147_483_647 },
    txt_bytes: 4_000,
    set_values: 1_000,
    atomic: false,
    concurrency: 'zone_lock',
    // OVHcloud documents no limit. Every record needs a separate read, so a larger zone needs this rate.
    requests: [{ count: 20, seconds: 1 }],
  },
  nameserver_patterns: [String.raw`(^|\.)ovh\.(net|ca|co\.uk)$`, String.raw`(^|\.)anycast\.me$`],
  domain_connect: false,
  control_panel_url: 'https://www.ovh.com/manager/#/web/domain',
  panel: {
    path: ['Web Cloud', 'Domain names', 'DNS zone', 'Add an entry'],
    save: 'Confirm',
    apex_host: 'blank',
    trailing_dot: true,
  },
  limitations: [
    'OVHcloud has no ALIAS at the apex, so the domain itself needs A and AAAA records.',
    'A consumer key stops working at the end of its validity. Choose unlimited validity.',
    'Two programs that write the same value at the same time create a duplicate.',
    'OVHcloud documents no request limit. This service sends at most 20 requests a second.',
  ],
  // The region in the credential selects this URL or one of two others.
  base_url: 'https://eu.api.ovh.com/1.0',
} as const satisfies Descriptor;
