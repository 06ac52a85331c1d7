import { z } from 'zod';
import { RECORD_TYPES } from '../../domain/record.ts';
import { ApplicationId, Environment, Label, ListOf, pageOf, Timestamp, Ttl } from './common.ts';

const templateFields = {
  host: z.string().min(1).max(200).meta({ description: 'Name relative to the hostname, or `@`.', example: '@' }),
  type: z.enum(RECORD_TYPES).meta({ example: 'CNAME' }),
  value: z.string().min(1).max(2_000).meta({
    description: 'Record value. It can contain variables such as {hostname} and {cname_target}.',
    example: '{cname_target}',
  }),
  ttl: Ttl.exactOptional(),
  priority: z.int().min(0).max(65_535).nullable().meta({ example: null }).exactOptional(),
  when: z.enum(['apex', 'subdomain']).meta({ example: 'subdomain' }).exactOptional(),
};
const TemplateRecord = z.strictObject(templateFields).meta({ id: 'TemplateRecord' });
/** A template record in answers. Enumerations are open there, so OpenAPI needs a second component. */
const ApplicationRecord = z.strictObject(templateFields).meta({ id: 'ApplicationRecord' });

const settings = {
  allowed_origins: ListOf(z.string().max(300).meta({ example: 'https://app.example.com' }), { max: 100 }),
  record_template: ListOf(TemplateRecord, { max: 30 }),
  origin_url: z.string().max(300).nullable().meta({ example: 'https://origin.example.com' }),
  display_name: Label(60).nullable().meta({ description: "Name on the edge's pages.", example: 'Acme Shops' }),
  conflict_policy: z.enum(['refuse', 'replace']),
  drift_policy: z.enum(['notify', 'repair']),
  offboarding: z.enum(['remove_records', 'keep_records']),
  offboarding_email: z.enum(['keep', 'remove']).meta({
    description: 'Whether to keep or remove the mail records that we wrote when their connection is archived.',
  }),
  widget_email: z.boolean(),
  companion: z.boolean().meta({ description: 'Whether to connect www with an apex, and the apex with www.' }),
};

const optionalSettings = {
  allowed_origins: settings.allowed_origins.exactOptional(),
  record_template: settings.record_template.exactOptional(),
  origin_url: settings.origin_url.exactOptional(),
  display_name: settings.display_name.exactOptional(),
  conflict_policy: settings.conflict_policy.exactOptional(),
  drift_policy: settings.drift_policy.exactOptional(),
  offboarding: settings.offboarding.exactOptional(),
  offboarding_email: settings.offboarding_email.exactOptional(),
  widget_email: settings.widget_email.exactOptional(),
  companion: settings.companion.exactOptional(),
};

const Name = Label(100).meta({ example: 'Shop' });

export const CreateApplication = z.strictObject({
  name: Name,
  environment: Environment.exactOptional().meta({ description: 'Defaults to `test`. It cannot be changed later.' }),
  ...optionalSettings,
});

export const UpdateApplication = z.strictObject({ name: Name.exactOptional(), ...optionalSettings });

export const Application = z
  .object({
    id: ApplicationId,
    name: z.string().meta({ example: 'Shop' }),
    environment: Environment,
    ...settings,
    record_template: z.array(ApplicationRecord),
    created_at: Timestamp,
  })
  .meta({ id: 'Application' });

export const ApplicationList = pageOf(Application);
