import { z } from 'zod';
import { CREDENTIAL_STATUS } from '../../db/zone/credentials.ts';
import { PURPOSES } from '../../domain/zone/plan.ts';
import { Environment, GivenId, Label, MapOf, pageOf, Record, Timestamp } from './common.ts';

export const CredentialPath = z.strictObject({ id: GivenId, cid: GivenId });

const Fields = MapOf(z.string().max(50), z.string().max(10_000), 20).meta({
  description: "The provider's fields by name; see GET /providers. Never answered, never logged.",
});

const ExpiresAt = z.iso.datetime({ offset: true }).meta({
  description: 'When the secret ends, where the provider does not tell us; you are warned three weeks before.',
});

export const CreateCredential = z.strictObject({
  provider: z.string().min(1).max(50),
  credentials: Fields,
  label: Label(100).optional(),
  expires_at: ExpiresAt.optional(),
});

export const PatchCredential = z.strictObject({
  credentials: Fields.optional(),
  label: Label(100).nullable().optional(),
  expires_at: ExpiresAt.nullable().optional(),
});

export const Credential = z
  .object({
    id: z.uuid(),
    application_id: z.uuid(),
    environment: Environment,
    provider: z.string(),
    label: z.string().nullable(),
    hint: z.string(),
    zones: z.array(z.string()),
    status: z.enum(CREDENTIAL_STATUS),
    reason: z.string().nullable(),
    last_verified_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Credential' });

export const CredentialList = pageOf(Credential);

const Conflict = z.object({ wanted: Record, found: z.array(Record.extend({ type: z.string() })), reason: z.string() });

export const DnsPlan = z
  .object({
    provider: z.string(),
    zone: z.string(),
    creates: z.array(Record),
    keeps: z.array(Record),
    conflicts: z.array(Conflict),
    removals: z.array(Record.extend({ type: z.string() })),
    restores: z.array(Record),
  })
  .meta({ id: 'DnsPlan' });

export const RevertDns = z
  .strictObject({
    purpose: z.enum(PURPOSES).exactOptional().meta({
      description: 'Which of our records: those of the connection (default), or those for mail.',
    }),
  })
  .optional();

export const DnsReverted = z.object({ reverted: z.boolean(), values: z.int() });
