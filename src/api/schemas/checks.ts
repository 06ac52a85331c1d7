import { z } from 'zod';
import { SETUP_TYPES } from '../../domain/connection/connection.ts';
import { GivenApplicationId, GivenHostname, Hostname, ProviderName, ProviderSlug, Record } from './common.ts';
import { FindingSchema, Propagated } from './connections.ts';
import { Capabilities } from './providers.ts';

const Observed = z
  .string()
  .nullable()
  .meta({ description: 'Value that is published now, or null.', example: 'old-host.example.net' });
const ServerAnswer = z.object({
  server: z.string().meta({
    description: 'Name of an authoritative name server, or address of a public resolver.',
    example: 'ada.ns.cloudflare.com',
  }),
  kind: z.enum(['authoritative', 'resolver']).meta({ description: 'Kind of server.', example: 'authoritative' }),
  values: z
    .array(z.string())
    .nullable()
    .meta({
      description: 'Values that the server returns, with their type where it is another one. Null without an answer.',
      example: ['old-host.example.net'],
    }),
  cause: z.string().nullable().meta({ description: 'Why the server gave no answer, or null.', example: null }),
});
export const RecordsCheckAnswer = z.object({
  records: z
    .array(
      Record.extend({
        propagated: Propagated,
        observed_value: Observed,
        servers: z.array(ServerAnswer).meta({
          description: 'Answers of every server that was asked. Public resolvers are asked last.',
        }),
      }),
    )
    .meta({ description: 'Every desired record.' }),
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
    provider: ProviderSlug.meta({ description: 'DNS provider, as a slug; `unknown` if no provider was recognized.' }),
    provider_slug: ProviderSlug.meta({ description: 'Equal to `provider`.' }),
    provider_name: ProviderName,
    setup_type: z.enum(SETUP_TYPES).meta({ description: 'How the domain can be connected.', example: 'automatic' }),
    apex_flattening: z.boolean().meta({ description: 'Whether the provider can point an apex at a name.' }),
    nameserver: z
      .string()
      .nullable()
      .meta({ description: 'First name server of the domain, in sorted order.', example: 'ada.ns.cloudflare.com' }),
    apex: z.boolean().meta({ description: 'Whether the name is a registrable domain.', example: false }),
    auto_configurable: z.boolean().meta({ description: 'Whether we can write the records.' }),
    www_redirect_recommended: z.boolean().meta({
      description: 'Whether connecting www is better, because the provider cannot point an apex at a name.',
      example: false,
    }),
    capabilities: Capabilities.meta({ description: 'What the provider supports.' }),
    record_conflicts: z.array(Record).meta({ description: 'Published records that are in the way.' }),
    domain_connect: z
      .object({
        supported: z.boolean().meta({ description: 'Whether the provider offers Domain Connect.' }),
        template_supported: z.boolean().meta({ description: 'Whether the provider knows our template.' }),
        provider_id: z
          .string()
          .nullable()
          .meta({ description: "The provider's id in Domain Connect.", example: 'cloudflare.com' }),
        consent_needed: z.boolean().meta({
          description:
            'Whether the customer must consent at the DNS provider, because no credential covers the domain.',
        }),
      })
      .meta({ description: 'Domain Connect at the provider.' }),
    companion: z
      .object({
        hostname: z.string().meta({ description: 'Hostname of the companion.', example: 'www.brand.test' }),
        selected: z.boolean().meta({ description: "The application's default for `companion`.", example: false }),
      })
      .nullable()
      .meta({
        description: 'The www of an apex, which can be connected too. Null if there is none or the token is bound.',
        example: null,
      }),
    dnssec: z
      .enum(['secure', 'insecure', 'bogus', 'unknown'])
      .meta({ description: 'Result of DNSSEC validation.', example: 'insecure' }),
    existing_mail: z
      .object({
        mx: z
          .array(z.string())
          .meta({ description: 'MX records, each with its priority.', example: ['10 mail.example.com'] }),
        spf: z
          .string()
          .nullable()
          .meta({ description: 'SPF record, or null.', example: 'v=spf1 include:_spf.example.com -all' }),
        dmarc: z.string().nullable().meta({ description: 'DMARC record, or null.', example: 'v=DMARC1; p=none' }),
      })
      .meta({ description: 'Mail records of the domain.' }),
    findings: z.array(FindingSchema).meta({ description: 'Problems that would delay the connection.' }),
    instructions_url: z.string().nullable().meta({
      description: 'Our instructions for the provider, or null.',
      example: 'https://api.example.net/docs/providers/cloudflare',
    }),
    control_panel_url: z
      .string()
      .nullable()
      .meta({ description: 'Page where the customer edits DNS, or null.', example: 'https://dash.cloudflare.com' }),
  })
  .meta({ id: 'DomainCheck' });
