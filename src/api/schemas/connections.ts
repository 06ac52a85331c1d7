import { z } from 'zod';
import { ERROR_CODES, SETUP_TYPES, STATES } from '../../domain/connection/connection.ts';
import { FINDING_CODES } from '../../domain/observation/finding.ts';
import { PANEL_STEPS } from '../../domain/connection/panel.ts';
import { RECORD_STATUSES } from '../../domain/observation/record-status.ts';
import {
  ApplicationId,
  ExternalId,
  GivenApplicationId,
  GivenHostname,
  GivenId,
  Hostname,
  Label,
  ListQuery,
  pageOf,
  ProviderSlug,
  Record,
  Timestamp,
} from './common.ts';

export const CreateConnection = z.strictObject({
  application_id: GivenApplicationId,
  hostname: GivenHostname,
  external_id: Label(255).nullable().exactOptional().meta({
    description: 'Your id for the customer. Only API keys can set it. A widget token carries its own.',
    example: 'customer-1234',
  }),
  companion: z.boolean().exactOptional().meta({
    description: "Whether to connect www with an apex, or the apex with www. Defaults to the application's setting.",
  }),
});

export const ConnectionQuery = ListQuery.extend({
  state: z.enum(STATES).optional(),
  hostname: z.string().max(1_000).optional().meta({ description: 'Exact hostname, in any spelling.' }),
  application_id: GivenId.optional(),
  external_id: z.string().min(1).max(255).optional(),
  batch_id: GivenId.optional().meta({ description: 'Only connections that this batch created.' }),
});

const ExampleState = z.enum(STATES).meta({ example: 'propagating' });

export const Connection = z
  .object({
    id: z.uuid(),
    application_id: ApplicationId,
    hostname: Hostname,
    kind: z.enum(['apex', 'subdomain']).meta({ example: 'subdomain' }),
    setup_type: z.enum(SETUP_TYPES).meta({ example: 'manual' }),
    state: ExampleState,
    provider: z.string().nullable().meta({ example: 'cloudflare' }),
    batch_id: z.uuid().nullable().meta({ example: null }),
    external_id: ExternalId,
    error_code: z.enum(ERROR_CODES).nullable().meta({ example: null }),
    created_at: Timestamp,
  })
  .meta({ id: 'Connection' });

export const ConnectionList = pageOf(Connection);

export const Challenge = z.object({
  name: z.string().meta({ example: '_service-challenge.shop.example.com' }),
  type: z.literal('TXT'),
  value: z.string().meta({ example: 'zX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0' }),
});

export const ConnectionCreated = Connection.extend({ ownership_challenge: Challenge }).meta({
  id: 'ConnectionCreated',
});

export const FindingSchema = z
  .object({
    code: z.enum(FINDING_CODES).meta({ example: 'wrong_value' }),
    severity: z.enum(['info', 'warning', 'error']).meta({ example: 'error' }),
    message: z.string().meta({ example: 'CNAME shop.example.com points to old-host.example.net.' }),
    fix: z.string().nullable().meta({ example: 'Change its value to edge.example.net.' }),
    record: Record.optional(),
    params: z
      .record(z.string(), z.string())
      .nullable()
      .meta({
        description: 'Values in the message, so that you can translate it by its code. Null if there are none.',
        example: { host: 'shop.example.com', found: 'old-host.example.net', value: 'edge.example.net' },
      }),
  })
  .meta({ id: 'Finding' });

const RecordToAdd = Record.extend({
  panel_host: z.string().meta({ description: "Host for the provider's form. It can be empty.", example: 'shop' }),
  panel_type: z.string().meta({ description: "Record type as the provider's form names it.", example: 'CNAME' }),
  panel_value: z.string().meta({ description: "Value for the provider's form.", example: 'edge.example.net' }),
  status: z.enum(RECORD_STATUSES).meta({ description: 'Result of the last check of the record.', example: 'wrong' }),
}).meta({ id: 'RecordToAdd' });

const ProviderPanel = z.object({
  name: z.string().meta({ example: 'Cloudflare' }),
  url: z.string().nullable().meta({ example: 'https://dash.cloudflare.com' }),
  steps: z.array(
    z.object({
      code: z.enum(PANEL_STEPS).meta({ example: 'open' }),
      params: z.record(z.string(), z.string()).meta({ example: { path: 'DNS › Records › Add record' } }),
    }),
  ),
});

/** A record that is published now. It can have any type, even a type that we do not write. */
export const PublishedRecord = Record.extend({ type: z.string().meta({ example: 'CNAME' }) });

export const PlanConflict = z.object({
  wanted: Record,
  found: z.array(PublishedRecord),
  reason: z.string().meta({ example: 'Another CNAME record already exists at this name.' }),
});

const ExpectedPlan = z.object({
  provider: ProviderSlug,
  creates: z.array(Record),
  keeps: z.array(Record),
  untouched: z.array(PublishedRecord).meta({ description: 'Other records at the same names, which stay.' }),
  conflicts: z.array(PlanConflict),
});

export const Propagated = z.boolean().meta({ example: false });

export const ConnectionDetail = ConnectionCreated.extend({
  desired_records: z.array(Record),
  observed_records: z.array(Record.extend({ propagated: Propagated, observed_at: Timestamp })),
  records_to_add: z.array(RecordToAdd),
  provider_panel: ProviderPanel.nullable().meta({ description: 'Null if the provider is unknown.' }),
  plan: ExpectedPlan.nullable().meta({
    description: 'Changes that automatic setup would make. Null if no credential covers the hostname.',
  }),
  certificate: z.object({
    status: z.enum(['none', 'pending', 'issued', 'failed', 'expired']).meta({ example: 'pending' }),
    not_after: Timestamp.nullable().meta({ example: '2026-06-30T12:00:00.000Z' }),
    ca: z.string().nullable().meta({ example: "Let's Encrypt" }),
  }),
  companion: z
    .object({
      connection_id: z.uuid(),
      hostname: z.string().meta({ example: 'www.example.com' }),
      state: ExampleState,
      role: z.enum(['companion', 'main']).meta({ description: 'Role of the other connection.' }),
    })
    .nullable()
    .meta({ description: 'Connection of the matching apex or www. The companion redirects visitors to the main one.' }),
  domain_connect: z
    .object({
      provider_id: z.string().meta({ example: 'cloudflare.com' }),
      provider_name: z.string().meta({ example: 'Cloudflare' }),
      apply_url: z.string().meta({
        description: 'Page where the customer consents. Signed for this reader and valid for one hour.',
        example: 'https://dash.cloudflare.com/domainconnect/v2/domainTemplates/providers/…',
      }),
    })
    .nullable()
    .meta({ description: 'Domain Connect offer. Null if the DNS provider has none, or if no records are needed.' }),
  widget_email: z.boolean().meta({ description: 'Whether the application lets the widget set up email.' }),
  cleanup: z.enum(['none', 'pending', 'done', 'failed']),
  last_checked_at: Timestamp.nullable(),
  next_check_at: Timestamp.nullable(),
  findings: z.array(FindingSchema),
  timeline: z.array(
    z.object({
      at: Timestamp,
      kind: z.string().meta({ description: 'One of move, reason, share_opened, edge_cut_off, …', example: 'move' }),
      from: z.enum(STATES).nullable().meta({ description: 'Null if the state did not change.', example: 'verified' }),
      to: ExampleState.nullable(),
      reason: z.string().nullable().meta({ example: 'The records are not published yet.' }),
    }),
  ),
}).meta({ id: 'ConnectionDetail' });
