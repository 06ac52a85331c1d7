import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITHOUT_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'powerdns',
  name: PROVIDER_NAMES.powerdns,
  category: 'additional',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_url',
        label: 'API address',
        secret: false,
        required: true,
        help: 'The public URL of the Authoritative Server’s HTTP API, such as https://dns.example.com.',
      },
      {
        name: 'api_key',
        label: 'API key',
        secret: true,
        required: true,
        help: 'The value of api-key in pdns.conf. It can edit every zone of that server.',
      },
      {
        name: 'server_id',
        label: 'Server id',
        secret: false,
        required: false,
        help: 'Leave empty unless a proxy serves several servers; the default is localhost.',
      },
    ],
  },
  capabilities: WITHOUT_APEX_ALIAS,
  limits: {
    ttl: { min: 1, max: 2_147_483_647 },
    txt_bytes: 4_096,
    set_values: 1_000,
    atomic: true,
    concurrency: 'zone_lock',
    requests: [{ count: 200, seconds: 1 }], // the server has no limit of its own
  },
  nameserver_patterns: [],
  domain_connect: false,
  control_panel_url: null,
  panel: { path: [], save: null, apex_host: '@', trailing_dot: true, quotes: true },
  limitations: [
    'The API cannot compare before a write. If another program edits the same record set at the same time, a value can be lost.',
    'ALIAS records depend on the configuration of the server, so we read them but do not write them.',
  ],
  base_url: null,
} as const satisfies Descriptor;
