import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITHOUT_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'rfc2136',
  name: PROVIDER_NAMES.rfc2136,
  category: 'additional',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'server',
        label: 'Primary server',
        secret: false,
        required: true,
        help: 'Name or address of the primary name server that accepts updates over TCP.',
      },
      { name: 'port', label: 'Port', secret: false, required: false, help: 'The default is 53.' },
      { name: 'zone', label: 'Zone', secret: false, required: true, help: 'The zone to update, such as example.com.' },
      {
        name: 'key_name',
        label: 'TSIG key name',
        secret: false,
        required: true,
        help: 'The name of the key in the server’s configuration.',
      },
      {
        name: 'algorithm',
        label: 'TSIG algorithm',
        secret: false,
        required: false,
        help: 'hmac-sha256 (the default), hmac-sha384, hmac-sha512 or hmac-sha1.',
      },
      {
        name: 'secret',
        label: 'TSIG secret',
        secret: true,
        required: true,
        help: 'The base64 text from the key file. The key must be allowed to update the zone and to query it.',
      },
    ],
  },
  capabilities: WITHOUT_APEX_ALIAS,
  limits: {
    ttl: { min: 1, max: 2_147_483_647 },
    txt_bytes: 4_096,
    set_values: 100,
    atomic: true,
    concurrency: 'compare_and_swap',
    requests: [],
  },
  nameserver_patterns: [],
  domain_connect: false,
  control_panel_url: null,
  panel: { path: [], save: null, apex_host: 'full_name', trailing_dot: true, quotes: true },
  limitations: [
    'The server must be reachable from the internet over TCP and accept updates signed with TSIG.',
    'One credential covers one zone.',
  ],
  base_url: null,
} as const satisfies Descriptor;
