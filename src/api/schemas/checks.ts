import { z } from 'zod';
import { SETUP_TYPES } from '../../domain/connection/connection.ts';
import { GivenApplicationId, GivenHostname, Hostname, ProviderSlug, Record } from './common.ts';
import { FindingSchema, Propagated } from './connections.ts';
import { Capabilities } from './providers.ts';

const Observed = z.string().nullable().meta({ example: 'old-host.example.net' });
export const RecordsCheckAnswer = z.object({
  records: z.array(Record.extend({ propagated: Propagated, observed_value: Observed })),
});

export const CheckDomain = z.strictObject({
  domain: GivenHostname,
  application_id: GivenApplicationId.optional().meta({
    description: 'Application whose credentials and record template apply. Defaults to all your applications.',
  }),
});

export const DomainCheck = z
  .object({
    domain: Hostname,
    registered: z.boolean().meta({ description: 'False only if the registry reports that the domain does not exist.' }),
    provider: z.string().meta({ example: 'Cloudflare' }),
    provider_slug: ProviderSlug,
    setup_type: z.enum(SETUP_TYPES).meta({ example: 'automatic' }),
    apex_flattening: z.boolean(),
    nameserver: z.string().nullable().meta({ example: 'ada.ns.cloudflare.com' }),
    apex: z.boolean().meta({ example: false }),
    auto_configurable: z.boolean(),
    www_redirect_recommended: z.boolean().meta({ example: false }),
    capabilities: Capabilities,
    record_conflicts: z.array(Record),
    domain_connect: z.object({
      supported: z.boolean(),
      template_supported: z.boolean(),
      provider_id: z.string().nullable().meta({ example: 'cloudflare.com' }),
    }),
    dnssec: z.enum(['secure', 'insecure', 'bogus', 'unknown']).meta({ example: 'insecure' }),
    existing_mail: z.object({
      mx: z.array(z.string()).meta({ example: ['10 mail.example.com'] }),
      spf: z.string().nullable().meta({ example: 'v=spf1 include:_spf.example.com -all' }),
      dmarc: z.string().nullable().meta({ example: 'v=DMARC1; p=none' }),
    }),
    findings: z.array(FindingSchema),
    instructions_url: z.string().nullable().meta({ example: 'https://api.example.net/docs/providers/cloudflare' }),
    control_panel_url: z.string().nullable().meta({ example: 'https://dash.cloudflare.com' }),
  })
  .meta({ id: 'DomainCheck' });
