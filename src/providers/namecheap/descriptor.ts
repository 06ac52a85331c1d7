import type { Descriptor } from '../descriptor.ts';
import { WITH_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'namecheap',
  name: 'Namecheap',
  category: 'token',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'api_user',
        label: 'API user',
        secret: false,
        required: true,
        help: 'The name of the account for which API access was turned on.',
      },
      {
        name: 'api_key',
        label: 'API key',
        secret: true,
        required: true,
        help: 'Shown under Profile, Tools, API Access, once API access is on.',
      },
      {
        name: 'client_ip',
        label: 'Calling address',
        secret: false,
        required: true,
        help: 'The IPv4 address from which this service calls. It must be on the list of whitelisted addresses at Namecheap.',
      },
      {
        name: 'user_name',
        label: 'User name',
        secret: false,
        required: false,
        help: 'The account that holds the domains, if it is not the API user’s own.',
      },
    ],
  },
  capabilities: {
    ...WITH_APEX_ALIAS,
    record_types: ['A', 'AAAA', 'CNAME', 'ALIAS', 'TXT', 'MX', 'CAA', 'NS'],
  },
  limits: {
    ttl: { min: 60, max: 60_000 },
    txt_bytes: 2_000,
    refuses: [{ type: 'TXT', matching: '"', because: 'holds a quotation mark, which Namecheap does not store.' }],
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
    'API access is given to accounts with at least 20 domains, a balance of 50 dollars, or 50 dollars spent in two years.',
    'Only calls from whitelisted IPv4 addresses are answered: the addresses of this service must be entered at Namecheap.',
    'The API replaces all records of a domain at once: a change that is made in the panel at the same moment can be lost.',
    'The API neither shows nor writes SRV records; do not use it for a domain that has some, because they could be lost.',
    'A domain with Private Email, Google Workspace mail, dynamic DNS or an inactive record is never changed.',
    'MX records cannot be added to a domain whose mail Namecheap forwards.',
    'Text cannot hold quotation marks.',
    'At most 20 requests a minute are answered, and a change can take up to an hour to be seen.',
    'FreeDNS zones and hosting zones cannot be changed through the API.',
  ],
  base_url: 'https://api.namecheap.com/xml.response',
} as const satisfies Descriptor;
