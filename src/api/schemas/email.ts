import { z } from 'zod';
import { LOOKUP_LIMIT } from '../../domain/email/spf.ts';
import { MAILBOX_PROVIDERS } from '../../domain/email/mailbox-providers.ts';
import { ListOf, Record, Timestamp } from './common.ts';

const Provider = z
  .string()
  .min(1)
  .max(50)
  .meta({
    description: `Mailbox provider: ${MAILBOX_PROVIDERS.map(({ id }) => id).join(', ')}.`,
    example: 'microsoft_365',
  });

const Dkim = ListOf(z.string().min(1).max(2_000), { max: 5 })
  .exactOptional()
  .meta({
    description: "DKIM values in the order of the provider's console: targets, or one key.",
    example: ['selector1', 'selector2'].map((selector) => `${selector}-brand-test._domainkey.brand.onmicrosoft.com`),
  });

export const ApplyEmail = z.strictObject({ provider: Provider, dkim: Dkim });

export const GenerateEmail = z.strictObject({
  domain: z.string().max(1_000).meta({ description: 'Domain that gets mailboxes.', example: 'brand.test' }),
  provider: Provider,
  dkim: Dkim,
  spf: z.string().max(4_000).exactOptional().meta({
    description: 'Existing SPF record to merge with.',
    example: 'v=spf1 include:_spf.example.com -all',
  }),
  live: z.boolean().exactOptional().meta({
    description: 'Whether to merge with the published records and count DNS lookups through every include.',
  }),
});

const notes = z.array(z.string()).meta({
  description: 'Steps and advice for people, in English.',
  example: ['Add the SPF record manually if no other service sends email for your domain.'],
});
const Unread = z.array(z.string()).meta({ description: 'Policies that could not be read.', example: [] });
const spfLookups = z
  .object({
    count: z.int().meta({ description: 'Number of lookups.' }),
    limit: z.literal(LOOKUP_LIMIT).meta({ description: 'Largest number that receivers accept (RFC 7208).' }),
    unread: Unread,
    followed: z.boolean().meta({ description: 'Whether we counted through every include.' }),
  })
  .meta({ description: 'DNS lookups that a receiver needs for the SPF record. `unread` policies are not counted.' });

const EXAMPLE_MX = { host: 'brand.test', relative_host: '@', type: 'MX', value: 'brand-test.mail.protection.outlook.com', ttl: 300, priority: 0 }; // prettier-ignore
const EXAMPLE_SPF = { host: 'brand.test', relative_host: '@', type: 'TXT', value: 'v=spf1 include:spf.protection.outlook.com -all', ttl: 300, priority: null }; // prettier-ignore

export const EmailRecords = z
  .object({
    provider: z.string().meta({ description: 'Mailbox provider.', example: 'microsoft_365' }),
    domain: z.string().meta({ description: 'Domain that gets mailboxes.', example: 'brand.test' }),
    records: z.array(Record).meta({ description: 'Records that the provider needs.', example: [EXAMPLE_MX] }),
    notes,
    spf_lookups: spfLookups,
  })
  .meta({ id: 'EmailRecords' });

const MailRecord = Record.omit({ ttl: true });

export const EmailSetup = z
  .object({
    provider: z.string().meta({ description: 'Mailbox provider.', example: 'google_workspace' }),
    provider_name: z
      .string()
      .meta({ description: 'Display name of the mailbox provider.', example: 'Google Workspace' }),
    domain: z.string().meta({ description: 'Domain whose mail the records configure.', example: 'example.com' }),
    records: z
      .array(
        Record.extend({
          action: z.enum(['add', 'replace']).meta({ description: 'Whether the record replaces published ones.' }),
          replaces: z.array(MailRecord).meta({ description: 'Published records that must be removed or changed.' }),
        }),
      )
      .meta({ description: 'Records that are not published yet.' }),
    existing: z.array(Record).meta({ description: 'Records of this setup that are already published.' }),
    notes: z
      .array(
        z.object({
          code: z.string().meta({ description: 'Identifies the sentence, for translations.', example: 'spf_merge' }),
          params: z.record(z.string(), z.string()).meta({
            description: 'Values in the sentence.',
            example: { domain: 'example.com', provider: 'Google Workspace' },
          }),
          message: z.string().meta({
            description: 'The sentence in English.',
            example: 'example.com already has an SPF record. Replace its value with the one in the list.',
          }),
        }),
      )
      .meta({ description: 'Advice for the owner of the domain.' }),
    observed_at: Timestamp.nullable().meta({ description: 'Time of the observation. Null if there is none yet.' }),
  })
  .meta({ id: 'EmailSetup' });

export const EmailApplied = z
  .object({
    applied: z.boolean().meta({ description: 'Whether this call has written at least one record.' }),
    domain: z.string().meta({ description: 'Domain that gets mailboxes.', example: 'brand.test' }),
    provider: z.string().meta({ description: 'Mailbox provider.', example: 'microsoft_365' }),
    written_records: z
      .array(Record)
      .meta({ description: 'Records that this call has written.', example: [EXAMPLE_MX] }),
    manual_records: z.array(Record).meta({
      description: 'Records to add manually, always with the SPF record. Without a credential, every record.',
      example: [EXAMPLE_SPF],
    }),
    existing_records: z.array(Record).meta({
      description: 'Records of this setup that were already published.',
      example: [],
    }),
    notes,
    spf_lookups: spfLookups,
  })
  .meta({ id: 'EmailApplied' });
