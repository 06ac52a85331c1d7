import { z } from 'zod';
import { RECORD_TYPES } from '../../domain/record.ts';
import { CreatedAt, Environment, Label, ListOf, ObjectId, pageOf, Ttl } from './common.ts';

const templateFields = {
  host: z.string().min(1).max(200).meta({ description: 'Name relative to the hostname, or `@`.', example: '@' }),
  type: z.enum(RECORD_TYPES).meta({ description: 'Record type.', example: 'CNAME' }),
  value: z.string().min(1).max(2_000).meta({
    description:
      'Record value. It can contain variables such as {hostname}, {cname_target} and {var.name}, which each connection gives.',
    example: '{cname_target}',
  }),
  ttl: Ttl,
  priority: z.int().min(0).max(65_535).nullable().meta({ description: 'For MX and SRV only.', example: null }),
  when: z.enum(['apex', 'subdomain']).exactOptional().meta({
    description: 'Kind of hostname to which the record applies. Defaults to both.',
    example: 'subdomain',
  }),
  required: z.boolean().exactOptional().meta({
    description:
      'False: the record is shown and watched, but a connection is live without it. Defaults to false for a TXT that begins with `v=spf1`, else to true.',
    example: true,
  }),
};
const TemplateRecord = z
  .strictObject({
    ...templateFields,
    ttl: templateFields.ttl.exactOptional(),
    priority: templateFields.priority.exactOptional(),
    relative_host: z.string().max(300).exactOptional().meta({
      description: 'Ignored, so that you can send a record of an answer back.',
      example: 'shop',
    }),
  })
  .meta({ id: 'TemplateRecord' });
/** A template record in answers. Enumerations are open there, so OpenAPI needs a second component. */
const ApplicationRecord = z.strictObject(templateFields).meta({ id: 'ApplicationRecord' });

const settings = {
  allowed_origins: ListOf(z.string().max(300).meta({ example: 'https://app.example.com' }), { max: 100 }).meta({
    description: 'Origins of your pages that may use the widget.',
  }),
  record_template: ListOf(TemplateRecord, { max: 30 }).meta({
    description: 'Records that each hostname needs. Empty: records that point at the edge.',
  }),
  origin_url: z
    .string()
    .max(300)
    .nullable()
    .meta({ description: 'Server to which the edge forwards requests, or null.', example: 'https://example.com' }),
  display_name: Label(60).nullable().meta({ description: "Name on the edge's pages.", example: 'Acme Shops' }),
  logo_url: z.string().max(1_000).nullable().meta({
    description: "https URL of a logo on the edge's pages, or null.",
    example: 'https://cdn.example.com/logo.svg',
  }),
  support_url: z.string().max(1_000).nullable().meta({
    description: "https or mailto URL of the support link on the edge's pages, or null.",
    example: 'https://example.com/help',
  }),
  conflict_policy: z
    .enum(['refuse', 'replace'])
    .meta({ description: 'What automatic setup does if other records are in the way.' }),
  drift_policy: z
    .enum(['notify', 'repair'])
    .meta({ description: 'Whether we only report drift, or write the records again.' }),
  offboarding: z
    .enum(['remove_records', 'keep_records'])
    .meta({ description: 'What happens at an archive to the records that we wrote.' }),
  offboarding_email: z.enum(['keep', 'remove']).meta({
    description: 'Whether to keep or remove the mail records that we wrote when their connection is archived.',
  }),
  sandbox_speed: z.int().min(1).max(1_440).nullable().meta({
    description:
      'Factor by which deadlines and waits of sandbox hostnames pass faster. Only for test applications. Null means 1.',
    example: 60,
  }),
  companion: z.boolean().meta({ description: 'Whether to connect www with an apex, and the apex with www.' }),
  before_dns: z.boolean().meta({
    description:
      'Whether to order the certificate before the DNS records point here, where a credential or a delegated name makes it possible.',
  }),
};

const optionalSettings = {
  allowed_origins: settings.allowed_origins.exactOptional(),
  record_template: settings.record_template.exactOptional(),
  origin_url: settings.origin_url.exactOptional(),
  display_name: settings.display_name.exactOptional(),
  logo_url: settings.logo_url.exactOptional(),
  support_url: settings.support_url.exactOptional(),
  conflict_policy: settings.conflict_policy.exactOptional(),
  drift_policy: settings.drift_policy.exactOptional(),
  offboarding: settings.offboarding.exactOptional(),
  offboarding_email: settings.offboarding_email.exactOptional(),
  sandbox_speed: settings.sandbox_speed.exactOptional(),
  companion: settings.companion.exactOptional(),
  before_dns: settings.before_dns.exactOptional(),
};

const Name = Label(100).meta({ description: 'Name of the application.', example: 'Shop' });

export const CreateApplication = z.strictObject({
  name: Name,
  environment: Environment.exactOptional().meta({
    description: "Defaults to the key's environment. It cannot be changed later.",
  }),
  ...optionalSettings,
});

export const UpdateApplication = z.strictObject({ name: Name.exactOptional(), ...optionalSettings });

export const Application = z
  .object({
    id: ObjectId,
    name: z.string().meta({ description: 'Name of the application.', example: 'Shop' }),
    environment: Environment,
    ...settings,
    record_template: z
      .array(ApplicationRecord)
      .meta({ description: 'Records that each hostname needs. Empty: records that point at the edge.' }),
    created_at: CreatedAt,
  })
  .meta({ id: 'Application' });

export const ApplicationList = pageOf(Application);
