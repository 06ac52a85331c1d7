import { z } from 'zod';
import { LOOKUP_LIMIT } from '../../domain/email/spf.ts';
import { MAILBOX_PROVIDERS } from '../../domain/email/mailbox-providers.ts';
import { ListOf, Record } from './common.ts';

const Provider = z
  .string()
  .min(1)
  .max(50)
  .meta({ description: `A mailbox provider: ${MAILBOX_PROVIDERS.map(({ id }) => id).join(', ')}.` });

const Dkim = ListOf(z.string().min(1).max(2_000), { max: 5 }).exactOptional().meta({
  description: "What the provider's console shows for DKIM, in its order: targets, or one key. Without it, a note.",
});

export const ApplyEmail = z.strictObject({ provider: Provider, dkim: Dkim });

export const GenerateEmail = z.strictObject({
  domain: z.string().max(1_000),
  provider: Provider,
  dkim: Dkim,
  spf: z.string().max(4_000).exactOptional().meta({ description: 'The SPF record that stands, to be merged.' }),
  live: z.boolean().exactOptional().meta({
    description: 'Reads what stands at the domain, merges with it, and counts look-ups through every include.',
  }),
});

const notes = z.array(z.string()).meta({ description: 'What to do and what to know, in sentences for people.' });
const spfLookups = z
  .object({ count: z.int(), limit: z.literal(LOOKUP_LIMIT), unread: z.array(z.string()), followed: z.boolean() })
  .meta({ description: 'DNS look-ups that the SPF record costs a receiver; `unread` policies are not in the count.' });

export const EmailRecords = z
  .object({
    provider: z.string(),
    domain: z.string(),
    records: z.array(Record),
    notes,
    spf_lookups: spfLookups,
  })
  .meta({ id: 'EmailRecords' });

export const EmailApplied = z
  .object({
    applied: z.boolean().meta({ description: 'Whether at least one record stands through us.' }),
    domain: z.string(),
    provider: z.string(),
    written_records: z.array(Record).meta({ description: 'Records that stand through us now.' }),
    manual_records: z
      .array(Record)
      .meta({ description: 'Records to set by hand; the SPF record is always one of them.' }),
    notes,
    spf_lookups: spfLookups,
  })
  .meta({ id: 'EmailApplied' });
