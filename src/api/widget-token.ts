import { errors, jwtVerify, SignJWT } from 'jose';
import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import type { Environment } from '../domain/connection/connection.ts';
import type { Scope } from '../domain/scope.ts';
import type { Keyring } from './signed.ts';

const LIFETIME_S = 3_600;
const TYPE = 'widget+jwt';
const AUDIENCE = 'widget';
/** One algorithm, named here and nowhere in the token's power: "none" and key confusion have nothing to hold on to. */
const ALGORITHM = 'HS256';

/** All a browser may ever do. */
const WIDGET_SCOPES = ['connections:read', 'connections:write'] as const satisfies Scope[];

const Claims = z.object({
  sub: z.uuid(),
  tid: z.uuid(),
  env: z.enum(['test', 'live']),
  scp: z.array(z.enum(WIDGET_SCOPES)),
  dom: z.string().optional(),
  ext: z.string().optional(),
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
  /** The API key that minted it: the token ends with it. */
  mintedBy: string;
}

/** What a tenant's backend grants a browser. */
export interface WidgetGrant extends Pick<
  WidgetToken,
  'tenantId' | 'applicationId' | 'hostname' | 'externalId' | 'mintedBy'
> {
  environment: Environment;
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

/** What a token grants. Of what is wrong with one, only that it was right and has expired is told. */
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
    const { sub, tid, scp, dom, ext, mkid, jti } = Claims.parse(payload);
    return {
      tokenId: jti,
      tenantId: tid,
      applicationId: sub,
      scopes: scp,
      hostname: dom ?? null,
      externalId: ext ?? null,
      mintedBy: mkid,
    };
  } catch (error) {
    // Judged after the signature, so only who held a token of ours learns that it was one.
    if (error instanceof errors.JWTExpired) return 'expired';
    if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null;
    throw error;
  }
}
