import type { Descriptor } from '../descriptor.ts';
import { WITHOUT_APEX_ALIAS } from '../toolkit/capabilities.ts';

export const descriptor = {
  slug: 'route53',
  name: 'Amazon Route 53',
  category: 'cloud',
  setup_types: ['automatic', 'manual'],
  auth: {
    fields: [
      {
        name: 'access_key_id',
        label: 'Access key ID',
        secret: false,
        required: true,
        help: 'Of an IAM user that may list hosted zones and change record sets in the zones concerned, and nothing else.',
      },
      {
        name: 'secret_access_key',
        label: 'Secret access key',
        secret: true,
        required: true,
        help: 'Shown once, when the access key is created.',
      },
      {
        name: 'session_token',
        label: 'Session token',
        secret: true,
        required: false,
        help: 'Only with temporary keys, which stop working when they expire.',
      },
      {
        name: 'hosted_zone_id',
        label: 'Hosted zone ID',
        secret: false,
        required: false,
        help: 'Needed when two public hosted zones have the same name, such as Z0123456789ABCDEFGHIJ.',
      },
    ],
  },
  capabilities: WITHOUT_APEX_ALIAS,
  limits: {
    ttl: { min: 0, max: 2_147_483_647 },
    // Route 53 counts 4000 characters with the quotation marks of every piece.
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
    'Alias records lead only to AWS resources, so an apex needs A and AAAA records.',
    'Alias, weighted, latency and other routed record sets, and those with a health check or of a traffic policy, are never changed.',
    'Text is stored up to about 3900 bytes, and less where it is not plain ASCII.',
    'Keys of an IAM user have no end; temporary keys stop working when their session expires.',
    'Name servers with names of your own (white-label name servers) are not recognised; choose Route 53 yourself then.',
  ],
  base_url: 'https://route53.amazonaws.com',
} as const satisfies Descriptor;
