import { z } from 'zod';
import { SETUP_TYPES } from '../../domain/connection/connection.ts';
import { GivenId, Record } from './common.ts';
import { FindingSchema } from './connections.ts';

export const RecordsCheckAnswer = z.object({
  records: z.array(Record.extend({ propagated: z.boolean(), observed_value: z.string().nullable() })),
});

export const CheckDomain = z.strictObject({
  domain: z.string().max(1_000),
  application_id: GivenId.optional().meta({
    description: 'Whose credentials and template count; any of yours if left out.',
  }),
});

export const DomainCheck = z
  .object({
    domain: z.string(),
    registered: z.boolean().meta({ description: 'False only when the registry says so.' }),
    provider: z.string(),
    provider_slug: z.string(),
    setup_type: z.enum(SETUP_TYPES),
    apex_flattening: z.boolean(),
    nameserver: z.string().nullable(),
    apex: z.boolean(),
    auto_configurable: z.boolean(),
    www_redirect_recommended: z.boolean(),
    capabilities: z.object({
      cname_flattening: z.boolean(),
      wildcard: z.boolean(),
      caa: z.boolean(),
      multi_txt: z.boolean(),
      ns_delegation: z.boolean(),
    }),
    record_conflicts: z.array(Record),
    domain_connect: z.object({
      supported: z.boolean(),
      template_supported: z.boolean(),
      provider_id: z.string().nullable(),
    }),
    dnssec: z.enum(['secure', 'insecure', 'bogus', 'unknown']),
    existing_mail: z.object({ mx: z.array(z.string()), spf: z.string().nullable(), dmarc: z.string().nullable() }),
    findings: z.array(FindingSchema),
    instructions_url: z.string().nullable(),
    control_panel_url: z.string().nullable(),
  })
  .meta({ id: 'DomainCheck' });
