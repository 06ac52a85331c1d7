import { z } from 'zod';
import { RECORD_TYPES } from '../../domain/record.ts';
import { Environment, Label, ListOf, pageOf, Timestamp, Ttl } from './common.ts';

const templateFields = {
  host: z.string().min(1).max(200).meta({ description: 'Relative to the hostname; @ is the hostname itself.' }),
  type: z.enum(RECORD_TYPES),
  value: z.string().min(1).max(2_000).meta({ description: 'May use {hostname}, {cname_target} and other variables.' }),
  ttl: Ttl.exactOptional(),
  priority: z.int().min(0).max(65_535).nullable().exactOptional(),
  when: z.enum(['apex', 'subdomain']).exactOptional(),
};
const TemplateRecord = z.strictObject(templateFields).meta({ id: 'TemplateRecord' });
/** The same in answers, where its enumerations are open: another component of the document. */
const ApplicationRecord = z.strictObject(templateFields).meta({ id: 'ApplicationRecord' });

const settings = {
  allowed_origins: ListOf(z.string().max(300), { max: 100 }),
  record_template: ListOf(TemplateRecord, { max: 30 }),
  origin_url: z.string().max(300).nullable(),
  display_name: Label(60)
    .nullable()
    .meta({ description: "What visitors are shown on the edge's own pages, such as the product's name." }),
  conflict_policy: z.enum(['refuse', 'replace']),
  drift_policy: z.enum(['notify', 'repair']),
  offboarding: z.enum(['remove_records', 'keep_records']),
  offboarding_email: z
    .enum(['keep', 'remove'])
    .meta({ description: 'What becomes of mail records that we wrote, when their connection is archived.' }),
  widget_email: z.boolean(),
  companion: z.boolean().meta({ description: 'Whether www is connected beside an apex, and the apex beside www.' }),
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

export const CreateApplication = z.strictObject({
  name: Label(100),
  environment: Environment.exactOptional().meta({ description: 'test unless given; it never changes.' }),
  ...optionalSettings,
});

export const UpdateApplication = z.strictObject({ name: Label(100).exactOptional(), ...optionalSettings });

export const Application = z
  .object({
    id: z.uuid(),
    name: z.string(),
    environment: Environment,
    ...settings,
    record_template: z.array(ApplicationRecord),
    created_at: Timestamp,
  })
  .meta({ id: 'Application' });

export const ApplicationList = pageOf(Application);
