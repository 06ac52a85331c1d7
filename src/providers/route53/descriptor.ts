import { PROVIDER_NAMES } from '../../domain/zone/provider-names.ts';
import type { Descriptor } from '../descriptor.ts';
import { WITHOUT_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'route53',
  name: PROVIDER_NAMES.route53,
  category: 'cloud',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'access_key_id',
        label: 'Access key ID',
        secret: false,
        required: true,
        help: 'The key of an IAM user who may only list hosted zones and change record sets in the zones that you connect.',
      },
      {
        name: 'secret_access_key',
        label: 'Secret access key',
        secret: true,
        required: true,
        help: 'AWS shows it only once, when you create the access key.',
      },
      {
        name: 'session_token',
        label: 'Session token',
        secret: true,
        required: false,
        help: 'Required only for temporary keys, which stop working when they expire.',
      },
      {
        name: 'hosted_zone_id',
        label: 'Hosted zone ID',
        secret: false,
        required: false,
        help: 'An ID such as Z0123456789ABCDEFGHIJ. Required if two public hosted zones have the same name.',
      },
    ],
  },
  capabilities: WITHOUT_APEX_ALIAS,
  limits: {
    ttl: { min: 0, max: 2_147_483_647 },
    // Route 53 allows 4000 characters, including the quotation marks of every piece.
    txt_bytes: 3_900,
    set_values: 400,
    atomic: true,
    concurrency: 'compare_and_swap',
    requests: [
      { count: 10, seconds: 1 },
      { count: 5, seconds: 1, counts: 'writes' },
    ],
  },
  nameserver_patterns: [
    String.raw`^ns-\d+\.awsdns-\d+\.(com|net|org|co\.uk)$`,
    String.raw`^ns\d+\.amzndns\.(com|net|org|co\.uk)$`,
  ],
  domain_connect: false,
  control_panel_url: 'https://console.aws.amazon.com/route53/v2/hostedzones',
  panel: {
    path: ['Route 53', 'Hosted zones', 'Create record'],
    save: 'Create records',
    apex_host: 'blank',
    quotes: true,
  },
  limitations: [
    'Alias records can only point to AWS resources, so an apex needs A and AAAA records.',
    'We never change alias, weighted, latency and other routed record sets, or sets with a health check or a traffic policy.',
    'A TXT value can have about 3900 bytes, or fewer if it is not plain ASCII.',
    'Keys of an IAM user do not expire. Temporary keys stop working when their session expires.',
    'We do not recognise white-label name servers. If you use them, choose Route 53 yourself.',
  ],
  base_url: 'https://route53.amazonaws.com',
} as const satisfies Descriptor;
