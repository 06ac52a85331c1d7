import { z } from 'zod';
import { CREDENTIAL_STATUS } from '../../db/zone/credentials.ts';
import {
  ApplicationId,
  CreatedAt,
  Environment,
  GivenId,
  GivenTime,
  Label,
  MapOf,
  ObjectId,
  pageOf,
  ProviderSlug,
  Record,
  Timestamp,
} from './common.ts';
import { PlanConflict, PublishedRecord } from './connections.ts';

export const CredentialPath = z.strictObject({
  id: GivenId.meta({ description: 'Id of the application.' }),
  cid: GivenId.meta({ description: 'Id of the credential.' }),
});

const Fields = MapOf(z.string().max(50), z.string().max(10_000), 20).meta({
  description: 'Fields that the provider requires (see GET /providers). They are never returned or logged.',
  example: { api_token: 'your-api-token' },
});

const ExpiresAt = GivenTime.meta({
  description: 'Expiry of the secret, if the provider does not report it. We warn you three weeks before.',
  example: '2030-01-01T00:00:00.000Z',
});

const CredentialLabel = Label(100).meta({
  description: 'Name of the credential in lists.',
  example: 'DNS of brand.test',
});

export const CreateCredential = z.strictObject({
  provider: z
    .string()
    .min(1)
    .max(50)
    .meta({ description: 'DNS provider, as in GET /providers.', example: 'cloudflare' }),
  credentials: Fields,
  label: CredentialLabel.optional(),
  expires_at: ExpiresAt.optional(),
});

export const PatchCredential = z.strictObject({
  credentials: Fields.optional(),
  label: CredentialLabel.nullable().optional().meta({ description: 'Name of the credential in lists, or null.' }),
  expires_at: ExpiresAt.nullable().optional().meta({ description: 'Expiry of the secret, or null if it has none.' }),
});

export const Credential = z
  .object({
    id: ObjectId,
    application_id: ApplicationId,
    environment: Environment,
    provider: ProviderSlug,
    label: z
      .string()
      .nullable()
      .meta({ description: 'Name of the credential in lists, or null.', example: 'DNS of brand.test' }),
    hint: z
      .string()
      .meta({ description: 'End of the secret, by which people recognize the credential.', example: '…a1b2' }),
    zones: z.array(z.string()).meta({ description: 'Zones that the credential can write.', example: ['brand.test'] }),
    status: z.enum(CREDENTIAL_STATUS).meta({ description: 'Result of the last test at the provider.' }),
    reason: z.string().nullable().meta({ description: 'Why the provider refused it, or null.', example: null }),
    last_verified_at: Timestamp.nullable().meta({ description: 'Time of the last successful test.' }),
    expires_at: Timestamp.nullable().meta({ description: 'Expiry of the secret, if it is known.' }),
    created_at: CreatedAt,
  })
  .meta({ id: 'Credential' });

export const CredentialList = pageOf(Credential);

export const DnsPlan = z
  .object({
    provider: ProviderSlug,
    zone: z.string().meta({ description: 'Zone in which the records are written.', example: 'brand.test' }),
    creates: z.array(Record).meta({ description: 'Records that we would add.' }),
    keeps: z.array(Record).meta({ description: 'Wanted records that exist already.' }),
    conflicts: z.array(PlanConflict).meta({ description: 'Records that we cannot add, and why.' }),
    removals: z.array(PublishedRecord).meta({ description: 'Records of others that we would replace.' }),
    restores: z.array(Record).meta({ description: 'Replaced records that we would put back.' }),
  })
  .meta({ id: 'DnsPlan' });

export const RevertDns = z
  .strictObject({
    purpose: z.enum(['connection', 'email']).exactOptional().meta({
      description: 'Which of our records to remove: those of the connection (default) or those for email.',
    }),
  })
  .optional();

export const DnsReverted = z.object({
  reverted: z.boolean().meta({ description: 'Whether our records are removed.' }),
  values: z.int().meta({ description: 'Number of record values that were removed.' }),
});
