import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITHOUT_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'netlify',
  name: PROVIDER_NAMES.netlify,
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'access_token',
        label: 'Personal access token',
        secret: true,
        required: true,
        help: 'The token of a user in the team that owns the domain. Choose no expiration. If the team uses SAML, allow access to it.',
      },
    ],
  },
  capabilities: WITHOUT_APEX_ALIAS,
  limits: {
    ttl: { min: 60, max: 86_400 },
    txt_bytes: 2_000,
    refuses: [{ type: 'TXT', matching: '^$', because: 'is empty, which Netlify does not store.' }],
    set_values: 1_000,
    atomic: false,
    concurrency: 'zone_lock',
    requests: [{ count: 500, seconds: 60 }],
  },
  nameserver_patterns: [String.raw`^dns[1-4]\.p\d{2}\.nsone\.net$`],
  domain_connect: false,
  control_panel_url: 'https://app.netlify.com/',
  panel: { path: ['Domains', 'DNS records', 'Add new record'], save: 'Save', apex_host: '@' },
  limitations: [
    'Netlify has no ALIAS at the apex for hosts outside Netlify, so the domain itself needs A and AAAA records.',
    'A personal access token has no scopes: it can do everything that its user can do.',
    'A token stops working when it expires, when its user changes the password, or when a SAML team does not allow it.',
    'We never change records that Netlify manages for a site. Remove the domain from the site first.',
    'Two programs that write the same value at the same time create a duplicate.',
    'NS1 uses the same name servers. Connect a domain that is set up at NS1 through NS1.',
  ],
  base_url: 'https://api.netlify.com/api/v1',
} as const satisfies Descriptor;
