import { errors, jwtVerify, SignJWT } from 'jose';
import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import type { Environment } from '../domain/connection/connection.ts';
import type { Scope } from '../domain/scope.ts';
import type { Keyring } from './signed.ts';

const LIFETIME_S = 3_600;
const TYPE = 'widget+jwt';
const AUDIENCE = 'widget';
/** The only accepted algorithm. The token cannot choose another, which rules out "none" and key confusion attacks. */
const ALGORITHM = 'HS256';

const WIDGET_SCOPES = ['connections:read', 'connections:write'] as const satisfies Scope[];

/** Fields that every connection gets which the token creates. */
const Bound = z.object({
  metadata: z.record(z.string(), z.string()).exactOptional(),
  before_dns: z.boolean().exactOptional(),
  serve: z.boolean().exactOptional(),
  variables: z.record(z.string(), z.string()).exactOptional(),
});
export type Bound = z.infer<typeof Bound>;

const Claims = z.object({
  sub: z.uuid(),
  tid: z.uuid(),
  env: z.enum(['test', 'live']),
  scp: z.array(z.enum(WIDGET_SCOPES)),
  dom: z.string().optional(),
  ext: z.string().optional(),
  set: Bound.optional(),
  mkid: z.uuid(),
  jti: z.string(),
});

export interface WidgetToken {
  tokenId: string;
  tenantId: string;
  applicationId: string;
  scopes: readonly Scope[];
  hostname: string | null;
  externalId: string | null;
  bound: Bound;
  /** API key that created the token. Revoking the key also revokes the token. */
  mintedBy: string;
}

/** Rights that a tenant's backend grants to a browser. */
export interface WidgetGrant extends Pick<
  WidgetToken,
  'tenantId' | 'applicationId' | 'hostname' | 'externalId' | 'mintedBy'
> {
  environment: Environment;
  bound?: Bound;
}

export async function mintWidgetToken(
  keys: Keyring,
  issuer: string,
  grant: WidgetGrant,
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  const issuedAt = Math.floor(now.getTime() / 1_000);
  const token = await new SignJWT({
    tid: grant.tenantId,
    env: grant.environment,
    scp: WIDGET_SCOPES,
    mkid: grant.mintedBy,
    ...(grant.hostname === null ? {} : { dom: grant.hostname }),
    ...(grant.externalId === null ? {} : { ext: grant.externalId }),
    ...(Object.keys(grant.bound ?? {}).length === 0 ? {} : { set: grant.bound }),
  })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: keys[0].kid })
    .setIssuer(issuer)
    .setAudience(AUDIENCE)
    .setSubject(grant.applicationId)
    .setJti(uuidv7())
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFETIME_S)
    .sign(keys[0].secret);
  return { token, expiresAt: new Date((issuedAt + LIFETIME_S) * 1_000) };
}

/** Returns the rights of a token. Expiry is reported only if the signature is valid; other defects get the same 401. */
export async function readWidgetToken(
  keys: Keyring,
  issuer: string,
  token: string,
): Promise<WidgetToken | 'expired' | null> {
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = keys.find((candidate) => candidate.kid === kid);
        if (key === undefined) throw new errors.JWKSNoMatchingKey();
        return key.secret;
      },
      { algorithms: [ALGORITHM], typ: TYPE, issuer, audience: AUDIENCE, requiredClaims: ['exp', 'iat', 'sub', 'jti'] },
    );
    const { sub, tid, scp, dom, ext, set, mkid, jti } = Claims.parse(payload);
    return {
      tokenId: jti,
      tenantId: tid,
      applicationId: sub,
      scopes: scp,
      hostname: dom ?? null,
      externalId: ext ?? null,
      bound: set ?? {},
      mintedBy: mkid,
    };
  } catch (error) {
    if (error instanceof errors.JWTExpired) return 'expired';
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null;
    throw error;
  }
}
