import { z } from 'zod';
import { LOOKUP_LIMIT } from '../../domain/email/spf.ts';
import { MAILBOX_PROVIDERS } from '../../domain/email/mailbox-providers.ts';
import { ListOf, Record } from './common.ts';

const Provider = z
  .string()
  .min(1)
  .max(50)
  .meta({
    description: `Mailbox provider: ${MAILBOX_PROVIDERS.map(({ id }) => id).join(', ')}.`,
    example: 'microsoft_365',
  });

const ExampleDkim = z
  .string()
  .min(1)
  .max(2_000)
  .meta({ example: 'selector1-example-com._domainkey.example.onmicrosoft.com' });
const Dkim = ListOf(ExampleDkim, { max: 5 }).exactOptional().meta({
  description: "DKIM values in the order of the provider's console: targets, or one key.",
});

export const ApplyEmail = z.strictObject({ provider: Provider, dkim: Dkim });

export const GenerateEmail = z.strictObject({
  domain: z.string().max(1_000).meta({ example: 'example.com' }),
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
const Unread = z.array(z.string()).meta({ example: [] });
const spfLookups = z
  .object({ count: z.int(), limit: z.literal(LOOKUP_LIMIT), unread: Unread, followed: z.boolean() })
  .meta({ description: 'DNS lookups that a receiver needs for the SPF record. `unread` policies are not counted.' });

export const EmailRecords = z
  .object({
    provider: z.string().meta({ example: 'microsoft_365' }),
    domain: z.string().meta({ example: 'example.com' }),
    records: z.array(Record),
    notes,
    spf_lookups: spfLookups,
  })
  .meta({ id: 'EmailRecords' });

export const EmailApplied = z
  .object({
    applied: z.boolean().meta({ description: 'Whether we have written at least one record.' }),
    domain: z.string().meta({ example: 'example.com' }),
    provider: z.string().meta({ example: 'microsoft_365' }),
    written_records: z.array(Record).meta({ description: 'Records that we have written.' }),
    manual_records: z.array(Record).meta({ description: 'Records to add manually, always with the SPF record.' }),
    notes,
    spf_lookups: spfLookups,
  })
  .meta({ id: 'EmailApplied' });
