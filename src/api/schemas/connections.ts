import { z } from 'zod';
import { ERROR_CODES, SETUP_TYPES, STATES } from '../../domain/connection/connection.ts';
import { FINDING_CODES } from '../../domain/observation/finding.ts';
import { PANEL_STEPS } from '../../domain/connection/panel.ts';
import { RECORD_STATUSES } from '../../domain/observation/record-status.ts';
import { GivenId, Label, ListQuery, pageOf, Record, Timestamp } from './common.ts';

export const CreateConnection = z.strictObject({
  application_id: GivenId,
  hostname: z.string().max(1_000),
  external_id: Label(255).nullable().exactOptional().meta({
    description: 'Your name for the customer. From API keys only: a widget token carries its own.',
  }),
  companion: z.boolean().exactOptional().meta({
    description: "Connects www beside an apex, or the apex beside www, too; the application's setting if left out.",
  }),
});

export const ConnectionQuery = ListQuery.extend({
  state: z.enum(STATES).optional(),
  hostname: z.string().max(1_000).optional().meta({ description: 'The exact name, in any spelling.' }),
  application_id: GivenId.optional(),
  external_id: z.string().min(1).max(255).optional(),
  batch_id: GivenId.optional().meta({ description: 'Those that this batch made.' }),
});

export const Connection = z
  .object({
    id: z.uuid(),
    application_id: z.uuid(),
    hostname: z.string(),
    kind: z.enum(['apex', 'subdomain']),
    setup_type: z.enum(SETUP_TYPES),
    state: z.enum(STATES),
    provider: z.string().nullable(),
    batch_id: z.uuid().nullable(),
    external_id: z.string().nullable(),
    error_code: z.enum(ERROR_CODES).nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Connection' });

export const ConnectionList = pageOf(Connection);

export const Challenge = z.object({ name: z.string(), type: z.literal('TXT'), value: z.string() });

export const ConnectionCreated = Connection.extend({ ownership_challenge: Challenge }).meta({
  id: 'ConnectionCreated',
});

export const FindingSchema = z
  .object({
    code: z.enum(FINDING_CODES),
    severity: z.enum(['info', 'warning', 'error']),
    message: z.string(),
    fix: z.string().nullable(),
    record: Record.optional(),
    params: z.record(z.string(), z.string()).nullable().meta({
      description:
        'The values in the sentence, for those who say it in another language by its code; null where there are none.',
    }),
  })
  .meta({ id: 'Finding' });

const RecordToAdd = Record.extend({
  panel_host: z.string().meta({ description: "The host as this provider's own form wants it; it may be empty." }),
  panel_type: z.string().meta({ description: 'The type as this provider calls it.' }),
  panel_value: z.string().meta({ description: 'The value as it is typed there, with a dot or quotes where wanted.' }),
  status: z.enum(RECORD_STATUSES).meta({ description: 'How far the record has come, by the last check.' }),
}).meta({ id: 'RecordToAdd' });

const ProviderPanel = z.object({
  name: z.string(),
  url: z.string().nullable(),
  steps: z.array(z.object({ code: z.enum(PANEL_STEPS), params: z.record(z.string(), z.string()) })),
});

const Standing = Record.extend({ type: z.string() });

const ExpectedPlan = z.object({
  provider: z.string(),
  creates: z.array(Record),
  keeps: z.array(Record),
  untouched: z.array(Standing).meta({ description: 'Standing at the same names, and left as they are.' }),
  conflicts: z.array(z.object({ wanted: Record, found: z.array(Standing), reason: z.string() })),
});

export const ConnectionDetail = ConnectionCreated.extend({
  desired_records: z.array(Record),
  observed_records: z.array(Record.extend({ propagated: z.boolean(), observed_at: Timestamp })),
  records_to_add: z.array(RecordToAdd),
  provider_panel: ProviderPanel.nullable().meta({ description: 'Null while the provider is not known.' }),
  plan: ExpectedPlan.nullable().meta({
    description: 'What automatic setup would do, by the last check; null where no credential covers the name.',
  }),
  certificate: z.object({
    status: z.enum(['none', 'pending', 'issued', 'failed', 'expired']),
    not_after: Timestamp.nullable(),
    ca: z.string().nullable(),
  }),
  companion: z
    .object({
      connection_id: z.uuid(),
      hostname: z.string(),
      state: z.enum(STATES),
      role: z.enum(['companion', 'main']).meta({ description: 'What that other connection is to this one.' }),
    })
    .nullable()
    .meta({ description: 'The connection beside it: a companion leads its visitors to the main one.' }),
  domain_connect: z
    .object({
      provider_id: z.string(),
      provider_name: z.string(),
      apply_url: z.string().meta({ description: 'Where the customer consents; signed for this reader, for an hour.' }),
    })
    .nullable()
    .meta({ description: 'Null where the DNS provider cannot write the records by Domain Connect, or need not.' }),
  widget_email: z.boolean().meta({ description: 'Whether the application lets the widget set up mail.' }),
  cleanup: z.enum(['none', 'pending', 'done', 'failed']),
  last_checked_at: Timestamp.nullable(),
  next_check_at: Timestamp.nullable(),
  findings: z.array(FindingSchema),
  timeline: z.array(
    z.object({
      at: Timestamp,
      kind: z
        .string()
        .meta({ description: 'move, reason, share_opened, edge_cut_off, or a kind that is yet to come.' }),
      from: z.enum(STATES).nullable().meta({ description: 'Null where nothing moved.' }),
      to: z.enum(STATES).nullable(),
      reason: z.string().nullable(),
    }),
  ),
}).meta({ id: 'ConnectionDetail' });
