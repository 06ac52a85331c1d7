import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'namecheap',
  name: PROVIDER_NAMES.namecheap,
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_user',
        label: 'API user',
        secret: false,
        required: true,
        help: 'The name of the account that has API access.',
      },
      {
        name: 'api_key',
        label: 'API key',
        secret: true,
        required: true,
        help: 'The key under Profile, Tools, API Access, after you turn on API access.',
      },
      {
        name: 'client_ip',
        label: 'Calling address',
        secret: false,
        required: true,
        help: 'The IPv4 address from which this service calls Namecheap. It must be one of your whitelisted IPs there.',
      },
      {
        name: 'user_name',
        label: 'User name',
        secret: false,
        required: false,
        help: 'The account that owns the domains, if it is not the account of the API user.',
      },
    ],
  },
  capabilities: { ...WITH_APEX_ALIAS, record_types: ['A', 'AAAA', 'CNAME', 'ALIAS', 'TXT', 'MX', 'CAA', 'NS'] },
  limits: {
    ttl: { min: 60, max: 60_000 },
    txt_bytes: 2_000,
    refuses: [
      { type: 'TXT', matching: '^$', because: 'is empty, which Namecheap does not store.' },
      { type: 'TXT', matching: '"', because: 'contains a quotation mark, which Namecheap does not store.' },
    ],
    set_values: 100,
    atomic: true,
    concurrency: 'zone_lock',
    requests: [
      { count: 20, seconds: 60 },
      { count: 700, seconds: 3_600 },
      { count: 8_000, seconds: 86_400 },
    ],
  },
  nameserver_patterns: [String.raw`^p?dns[12]\.registrar-servers\.com$`],
  domain_connect: false,
  control_panel_url: 'https://ap.www.namecheap.com/domains/list/',
  panel: {
    path: ['Domain List', 'Manage', 'Advanced DNS', 'Add New Record'],
    save: 'Save All Changes',
    apex_host: '@',
  },
  limitations: [
    'API access requires at least 20 domains, a balance of 50 dollars, or 50 dollars spent in two years.',
    'Namecheap answers only calls from whitelisted IPv4 addresses. Enter the addresses of this service at Namecheap.',
    'The API replaces all records of a domain, so a change that you make in the panel at the same time can be lost.',
    'The API neither returns nor writes SRV records. Do not use it for a domain with SRV records, because they could be lost.',
    'We never change a domain with Private Email, Google Workspace mail, dynamic DNS or an inactive record.',
    'We cannot add MX records to a domain whose mail Namecheap forwards.',
    'A TXT value cannot contain quotation marks.',
    'Namecheap answers at most 20 requests a minute, and a change can take up to an hour to appear.',
    'FreeDNS zones and hosting zones cannot be changed through the API.',
  ],
  base_url: 'https://api.namecheap.com/xml.response',
} as const satisfies Descriptor;
