import { z } from 'zod';
import { Certificate } from './certificates.ts';
import { PROOFS } from '../../domain/connection/cname-proof.ts';
import { ERROR_CODES, SETUP_TYPES, STATES } from '../../domain/connection/connection.ts';
import { CONNECTION_ATTENTION } from '../../domain/connection/counts.ts';
import { FINDING_CODES, SAVED_FINDING_CODES } from '../../domain/observation/finding.ts';
import { PANEL_STEPS } from '../../domain/connection/panel.ts';
import { RECORD_STATUSES } from '../../domain/observation/record-status.ts';
import { EmailSetup } from './email.ts';
import {
  ApplicationId,
  CreatedAt,
  Environment,
  ExternalId,
  GivenApplicationId,
  GivenEnvironment,
  GivenHostname,
  GivenId,
  Hostname,
  Label,
  ListQuery,
  MapOf,
  ObjectId,
  pageOf,
  ProviderName,
  ProviderSlug,
  Record,
  Timestamp,
} from './common.ts';
import { LONGEST_VARIABLE, MOST_VARIABLES, VARIABLE_NAME } from '../../domain/connection/variables.ts';
import { givenRoute, shownRoute } from './own-routes.ts';

export const BeforeDns = z.boolean().meta({
  description:
    "Whether to order the certificate before the DNS records point here. It needs a credential for the zone, or the operator's delegation zone. Defaults to the application's setting.",
  example: false,
});
const Point = z.enum(['auto', 'hold']).meta({
  description:
    'When the records that point here are written: as soon as the certificate is there (`auto`), or by a cutover (`hold`). With `before_dns` and a credential only.',
  example: 'auto',
});

const VariableName = z.string().regex(VARIABLE_NAME, 'must be a lower-case letter, then letters, digits or _');
export const GivenVariables = MapOf(VariableName, Label(LONGEST_VARIABLE), MOST_VARIABLES).meta({
  description:
    'Values for `{var.name}` in the application\'s record_template, such as `{"selector": "s1"}`. Each one that the template uses, and no other.',
  example: {},
});
export const Serve = z.boolean().meta({
  description:
    'False: the connection wants records only. It has no origin and no certificate, and holds no claim to its hostname. It cannot be changed later.',
  example: true,
});

export const CreateConnection = z.strictObject({
  application_id: GivenApplicationId,
  hostname: GivenHostname,
  external_id: Label(255).nullable().exactOptional().meta({
    description: 'Your id for the customer. Only API keys can set it. A widget token carries its own.',
    example: 'customer-1234',
  }),
  companion: z.boolean().exactOptional().meta({
    example: false,
    description: "Whether to connect www with an apex, or the apex with www. Defaults to the application's setting.",
  }),
  before_dns: BeforeDns.exactOptional(),
  point: Point.exactOptional(),
  serve: Serve.exactOptional(),
  variables: GivenVariables.exactOptional(),
  ...givenRoute,
});

export const UpdateConnection = z.strictObject({
  ...givenRoute,
  before_dns: BeforeDns.nullable()
    .exactOptional()
    .meta({ description: "As in POST. Null returns to the application's setting.", example: false }),
  point: Point.nullable().exactOptional().meta({ description: 'As in POST. Null means `auto`.', example: 'auto' }),
  variables: GivenVariables.exactOptional().meta({
    description:
      'All variables of the connection. The new records are written or shown, and ours of before are removed once the new ones are seen.',
    example: {},
  }),
});

export const ConnectionQuery = ListQuery.extend({
  state: z.enum(STATES).optional().meta({ description: 'Only connections in this state.' }),
  environment: GivenEnvironment.optional(),
  hostname: z.string().max(1_000).optional().meta({ description: 'Exact hostname, in any spelling.' }),
  hostname_prefix: z.string().min(1).max(253).optional().meta({
    description: 'Only connections whose hostname begins with this text.',
  }),
  provider: z
    .string()
    .regex(/^[a-z0-9_]{1,64}$/, 'must be the slug of a provider')
    .optional()
    .meta({ description: 'Only connections at this DNS provider, as in GET /providers.' }),
  finding: z.enum(SAVED_FINDING_CODES).optional().meta({
    description: 'Only connections for which the last check has saved a finding with this code.',
  }),
  attention: z.enum(CONNECTION_ATTENTION).optional().meta({
    description: 'Only connections that need attention for this reason, as counted by GET /connections:counts.',
  }),
  application_id: GivenId.optional().meta({ description: 'Only connections of this application.' }),
  external_id: z.string().min(1).max(255).optional().meta({ description: 'Only connections with this external id.' }),
  batch_id: GivenId.optional().meta({ description: 'Only connections that this batch created.' }),
  dangling: z.literal('true').optional().meta({
    description: 'Only archived connections whose hostname still pointed here at the last check.',
  }),
});

export const DetailQuery = z.strictObject({
  include: z.enum(['email_setup']).optional().meta({
    description: 'Adds `email_setup`: the mail records that each mailbox provider needs, from the last observation.',
  }),
});

const ExampleState = z.enum(STATES).meta({ description: 'State of the connection.', example: 'propagating' });

export const Connection = z
  .object({
    id: ObjectId,
    application_id: ApplicationId,
    environment: Environment,
    hostname: Hostname,
    kind: z.enum(['apex', 'subdomain']).meta({
      description: 'Whether the hostname is a registrable domain (`apex`). A wildcard is a `subdomain`.',
      example: 'subdomain',
    }),
    setup_type: z.enum(SETUP_TYPES).meta({
      description: 'Who sets the DNS records: we (`automatic`) or the customer (`manual`).',
      example: 'manual',
    }),
    state: ExampleState,
    provider: ProviderSlug.nullable().meta({
      description: 'DNS provider that serves the hostname, as a slug. Null until the first check.',
    }),
    provider_name: ProviderName,
    batch_id: z.uuid().nullable().meta({ description: 'Batch that created the connection, or null.', example: null }),
    external_id: ExternalId,
    serve: Serve,
    proof: z.enum(PROOFS).meta({
      description:
        "How ownership is proved: by the TXT record (`txt`), or by the hostname's CNAME to an approved target of yours (`cname_target`), which only the operator's import creates.",
      example: 'txt',
    }),
    error_code: z
      .enum(ERROR_CODES)
      .nullable()
      .meta({ description: 'What keeps the connection from being live. Null if nothing does.', example: null }),
    created_at: CreatedAt,
  })
  .meta({ id: 'Connection' });

export const ConnectionList = pageOf(Connection);

export const Challenge = z
  .object({
    name: z.string().meta({
      description:
        'Publish the record at exactly this name, not at the hostname. A wildcard is proved at its domain, without the star.',
      example: '_service-challenge.shop.brand.test',
    }),
    type: z.literal('TXT').meta({ description: 'Record type, always TXT.' }),
    value: z.string().meta({
      description: 'Publish exactly this value, without quotes.',
      example: 'zX3l0c9QfJ8s2d1m5o7q9w1e3r5t7y9u1i3o5p7a9s0',
    }),
  })
  .meta({ description: 'TXT record that proves ownership of the hostname.' });

export const ConnectionCreated = Connection.extend({
  state: ExampleState.meta({ example: 'pending_ownership' }),
  provider: Connection.shape.provider.meta({ example: null }),
  ownership_challenge: Challenge,
}).meta({ id: 'ConnectionCreated' });

export const FindingSchema = z
  .object({
    code: z.enum(FINDING_CODES).meta({ description: 'Kind of problem.', example: 'wrong_value' }),
    severity: z
      .enum(['info', 'warning', 'error'])
      .meta({ description: 'An error keeps the connection from being live.', example: 'error' }),
    message: z.string().meta({
      description: 'What is wrong, in English.',
      example: 'CNAME shop.brand.test points to old-host.example.net.',
    }),
    fix: z.string().nullable().meta({
      description: 'What to do, in English. Null if nothing is to be done.',
      example: 'Change its value to edge.example.net.',
    }),
    record: Record.optional().meta({ description: 'Record that the finding is about.' }),
    records: z.array(Record).optional().meta({
      description:
        'With `wildcard_covers_hostname`, records to add before all others, in this order. With `dangling`, records to delete.',
    }),
    params: z
      .record(z.string(), z.string())
      .nullable()
      .meta({
        description: 'Values in the message, so that you can translate it by its code. Null if there are none.',
        example: { host: 'shop.brand.test', found: 'old-host.example.net', value: 'edge.example.net' },
      }),
  })
  .meta({ id: 'Finding' });

const Required = z.boolean().meta({
  description: 'Whether the connection waits for the record. One that is not required is shown and watched.',
  example: true,
});

const RecordToAdd = Record.extend({
  panel_host: z.string().meta({ description: "Host for the provider's form. It can be empty.", example: 'shop' }),
  panel_type: z.string().meta({ description: "Record type as the provider's form names it.", example: 'CNAME' }),
  panel_value: z.string().meta({ description: "Value for the provider's form.", example: 'edge.example.net' }),
  status: z.enum(RECORD_STATUSES).meta({
    description:
      'Result of the last check of the record. `later`: add it when the certificate is there. `ready`: it is there, so the record may replace the old one. `optional`: another address of the edge is published, so this one is not required.',
    example: 'wrong',
  }),
  required: Required,
}).meta({ id: 'RecordToAdd' });

const ProviderPanel = z.object({
  name: z.string().meta({ description: 'Name of the provider.', example: 'Cloudflare' }),
  url: z
    .string()
    .nullable()
    .meta({ description: 'Page where the customer edits DNS, or null.', example: 'https://dash.cloudflare.com' }),
  steps: z
    .array(
      z.object({
        code: z.enum(PANEL_STEPS).meta({ description: 'Kind of step.', example: 'open' }),
        params: z
          .record(z.string(), z.string())
          .meta({ description: 'Values for the text of the step.', example: { path: 'DNS › Records › Add record' } }),
      }),
    )
    .meta({ description: 'Steps in the order in which the customer takes them.' }),
});

/** A record that is published now. It can have any type, even a type that we do not write. */
export const PublishedRecord = Record.extend({
  type: z.string().meta({ description: 'Record type, of any kind.', example: 'CNAME' }),
});

export const PlanConflict = z.object({
  wanted: Record.meta({ description: 'Record that we want to write.' }),
  found: z.array(PublishedRecord).meta({ description: 'Published records that are in the way.' }),
  reason: z.string().meta({
    description: 'Why both cannot exist, in English.',
    example: 'Another CNAME record already exists at this name.',
  }),
});

const ExpectedPlan = z.object({
  provider: ProviderSlug,
  creates: z.array(Record).meta({ description: 'Records that we would add.' }),
  keeps: z.array(Record).meta({ description: 'Wanted records that exist already.' }),
  untouched: z.array(PublishedRecord).meta({ description: 'Other records at the same names, which stay.' }),
  conflicts: z.array(PlanConflict).meta({ description: 'Records that we cannot add, and why.' }),
});

export const Propagated = z.boolean().meta({
  description:
    'Whether name servers and resolvers return this value. An address of the edge that is not published is false, even where another address is enough.',
  example: false,
});

export const ConnectionDetail = Connection.extend({
  ownership_challenge: Challenge,
  desired_records: z.array(Record.extend({ required: Required })).meta({
    description: 'Records that make the hostname live, without the challenge.',
  }),
  variables: z.record(z.string(), z.string()).meta({
    description: "Values for `{var.name}` in the application's record_template.",
    example: { selector: 's1' },
  }),
  observed_records: z
    .array(
      Record.extend({ propagated: Propagated, observed_at: Timestamp.meta({ description: 'Time of the check.' }) }),
    )
    .meta({ description: 'What the last check found for each desired record.' }),
  records_to_add: z.array(RecordToAdd).meta({
    description:
      'Everything to add, in this order: the `records` of the finding `wildcard_covers_hostname`, the challenge, the delegation of certificate challenges and the desired records. Without `before_dns`, one visit to the DNS panel is enough.',
  }),
  provider_panel: ProviderPanel.nullable().meta({ description: 'Null if the provider is unknown.' }),
  plan: ExpectedPlan.nullable().meta({
    description: 'Changes that automatic setup would make. Null if no credential covers the hostname.',
  }),
  certificate: Certificate,
  before_dns: z
    .boolean()
    .meta({ description: 'Whether the certificate is ordered before the DNS records point here.' }),
  point: z.enum(['auto', 'hold']).meta({ description: '`hold`: the records that point here wait for a cutover.' }),
  ready_to_point: z.boolean().nullable().meta({
    description: 'Whether the hostname may be pointed here. Null without `before_dns`, and after it was live.',
    example: null,
  }),
  ...shownRoute,
  companion: z
    .object({
      connection_id: z.uuid().meta({ description: 'Id of the other connection.' }),
      hostname: z.string().meta({ description: 'Hostname of the other connection.', example: 'www.brand.test' }),
      state: ExampleState,
      role: z.enum(['companion', 'main']).meta({ description: 'Role of the other connection.' }),
    })
    .nullable()
    .meta({ description: 'Connection of the matching apex or www. The companion redirects visitors to the main one.' }),
  domain_connect: z
    .object({
      provider_id: z.string().meta({ description: "The provider's id in Domain Connect.", example: 'cloudflare.com' }),
      provider_name: z.string().meta({ description: 'Name of the provider.', example: 'Cloudflare' }),
      apply_url: z.string().meta({
        description: 'Page where the customer consents. Signed for this reader and valid for one hour.',
        example: 'https://dash.cloudflare.com/domainconnect/v2/domainTemplates/providers/…',
      }),
    })
    .nullable()
    .meta({ description: 'Domain Connect offer. Null if the DNS provider has none, or if no records are needed.' }),
  cleanup: z
    .enum(['none', 'pending', 'done', 'failed'])
    .meta({ description: 'Removal of the records that we wrote, after an archive.' }),
  last_checked_at: Timestamp.nullable().meta({ description: 'Time of the last check.' }),
  next_check_at: Timestamp.nullable().meta({ description: 'Time of the next check, or null if none is planned.' }),
  findings: z.array(FindingSchema).meta({ description: 'Problems that the last check found.' }),
  email_setup: z.array(EmailSetup).exactOptional().meta({
    description: 'One entry for each mailbox provider. Present only with `include=email_setup`.',
  }),
  timeline: z
    .array(
      z.object({
        at: Timestamp.meta({ description: 'Time of the entry.' }),
        kind: z
          .string()
          .meta({ description: 'Kind of entry: move, reason, share_opened, edge_cut_off, …', example: 'move' }),
        from: z.enum(STATES).nullable().meta({ description: 'Null if the state did not change.', example: 'verified' }),
        to: ExampleState.nullable().meta({ description: 'State after the entry. Null if it did not change.' }),
        reason: z
          .string()
          .nullable()
          .meta({ description: 'Why, in English, or null.', example: 'The records are not published yet.' }),
      }),
    )
    .meta({ description: 'The last 50 changes, newest first.' }),
}).meta({ id: 'ConnectionDetail' });
