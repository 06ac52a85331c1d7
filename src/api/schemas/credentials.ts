import { z } from 'zod';
import { CREDENTIAL_STATUS } from '../../db/zone/credentials.ts';
import { PURPOSES } from '../../domain/zone/plan.ts';
import {
  ApplicationId,
  Environment,
  GivenId,
  GivenTime,
  Label,
  MapOf,
  pageOf,
  ProviderSlug,
  Record,
  Timestamp,
} from './common.ts';
import { PlanConflict, PublishedRecord } from './connections.ts';

export const CredentialPath = z.strictObject({ id: GivenId, cid: GivenId });

const Fields = MapOf(z.string().max(50), z.string().max(10_000), 20).meta({
  description: 'Fields that the provider requires (see GET /providers). They are never returned or logged.',
  example: { api_token: 'your-api-token' },
});

const ExpiresAt = GivenTime.meta({
  description: 'Expiry of the secret, if the provider does not report it. We warn you three weeks before.',
});

const CredentialLabel = Label(100).meta({ example: 'DNS of example.com' });

export const CreateCredential = z.strictObject({
  provider: z.string().min(1).max(50).meta({ example: 'cloudflare' }),
  credentials: Fields,
  label: CredentialLabel.optional(),
  expires_at: ExpiresAt.optional(),
});

export const PatchCredential = z.strictObject({
  credentials: Fields.optional(),
  label: CredentialLabel.nullable().optional(),
  expires_at: ExpiresAt.nullable().optional(),
});

export const Credential = z
  .object({
    id: z.uuid(),
    application_id: ApplicationId,
    environment: Environment,
    provider: ProviderSlug,
    label: z.string().nullable().meta({ example: 'DNS of example.com' }),
    hint: z.string().meta({ example: '…a1b2' }),
    zones: z.array(z.string()).meta({ example: ['example.com'] }),
    status: z.enum(CREDENTIAL_STATUS),
    reason: z.string().nullable().meta({ example: null }),
    last_verified_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Credential' });

export const CredentialList = pageOf(Credential);

export const DnsPlan = z
  .object({
    provider: ProviderSlug,
    zone: z.string().meta({ example: 'example.com' }),
    creates: z.array(Record),
    keeps: z.array(Record),
    conflicts: z.array(PlanConflict),
    removals: z.array(PublishedRecord),
    restores: z.array(Record),
  })
  .meta({ id: 'DnsPlan' });

export const RevertDns = z
  .strictObject({
    purpose: z.enum(PURPOSES).exactOptional().meta({
      description: 'Which of our records to remove: those of the connection (default) or those for email.',
    }),
  })
  .optional();

export const DnsReverted = z.object({ reverted: z.boolean(), values: z.int() });
