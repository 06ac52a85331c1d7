import { z } from 'zod';
import { LONGEST_S, SHORTEST_S } from '../../domain/console-session.ts';
import { SCOPES } from '../../domain/scope.ts';
import { CreatedAt, Environment, ListOf, ObjectId, pageOf, Timestamp } from './common.ts';

const ExpiresAt = Timestamp.meta({ description: 'Time at which the session ends by itself.' });

export const CreateConsoleSession = z
  .strictObject({
    scopes: ListOf(z.enum(SCOPES), { min: 1, max: SCOPES.length })
      .exactOptional()
      .meta({
        description: 'What the person may do. Defaults to `connections:read`.',
        example: ['connections:read', 'connections:write'],
      }),
    expires_in: z.int().min(SHORTEST_S).max(LONGEST_S).exactOptional().meta({
      description: 'Seconds until the session ends, from 60 to 86,400. Defaults to 8 hours.',
      example: 28_800,
    }),
  })
  .optional();

export const ConsoleSessionCreated = z
  .object({
    id: ObjectId,
    url: z.string().meta({
      description: 'Link into the console. It works once.',
      example: 'https://domains.example.com/console#link=4fV0…',
    }),
    link_expires_at: Timestamp.meta({ description: 'Time at which the link stops working: after 2 minutes.' }),
    expires_at: ExpiresAt,
  })
  .meta({ id: 'ConsoleSessionCreated' });

const ConsoleSession = z
  .object({
    id: ObjectId,
    made_by: z
      .object({
        kind: z.enum(['key', 'operator', 'openid_connect']).meta({
          description: 'Whether an API key, an operator, or a sign-in by OpenID Connect created the session.',
        }),
        key_id: z.uuid().nullable().meta({
          description: 'Id of the API key, with which the session ends. Null if no key created it.',
          example: '0192f0c2-2222-7abc-8def-0123456789ab',
        }),
      })
      .meta({ description: 'Who created the session.' }),
    scopes: z
      .array(z.enum(SCOPES))
      .meta({ description: 'What the person may do.', example: ['connections:read', 'connections:write'] }),
    environment: Environment.meta({
      description: 'Environment of the session. A `test` session reaches only test objects.',
    }),
    created_at: CreatedAt,
    signed_in_at: Timestamp.nullable().meta({
      description: 'Time at which the link was used. Null while it was not.',
    }),
    last_seen_at: Timestamp.nullable().meta({
      description: 'Time of the last request, to the minute. Null before the first.',
    }),
    expires_at: ExpiresAt,
  })
  .meta({ id: 'ConsoleSession' });

export const ConsoleSessionList = pageOf(ConsoleSession);
