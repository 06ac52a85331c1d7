import type { Descriptor } from '../descriptor.ts';
import { WITHOUT_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'ovh',
  name: 'OVHcloud',
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'application_key',
        label: 'Application key',
        secret: false,
        required: true,
        help: 'From the token page of the OVHcloud API of your region.',
      },
      {
        name: 'application_secret',
        label: 'Application secret',
        secret: true,
        required: true,
        help: 'Shown once, together with the application key.',
      },
      {
        name: 'consumer_key',
        label: 'Consumer key',
        secret: true,
        required: true,
        help: 'With the rights GET, POST and DELETE on /domain/zone/* and GET on /domain/zone, and unlimited validity.',
      },
      {
        name: 'endpoint',
        label: 'Region of the API',
        secret: false,
        required: false,
        help: 'ovh-eu, ovh-ca or ovh-us: where the account was opened. Leave empty for ovh-eu.',
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
    // Nothing is documented; every record is read by a request of its own, so this is what a zone of some size needs.
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
    'There is no ALIAS at the apex: the domain itself needs A and AAAA records.',
    'A consumer key stops working when the validity that was chosen for it ends; choose unlimited.',
    'Two programs that write the same value at the same moment leave it twice.',
    'OVHcloud publishes no limit of requests; this service sends at most twenty in a second.',
  ],
  // The credential says in which of the three regions the account is.
  base_url: null,
} as const satisfies Descriptor;
