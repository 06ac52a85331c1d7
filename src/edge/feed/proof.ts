import { EmbeddedJWK, errors, jwtVerify, SignJWT } from 'jose';
import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { PublicKey } from '../../db/edge/registered-edges.ts';
import type { EdgeKey } from '../edge-key.ts';

/**
 * Every request of an edge has its token and a proof that it has the key pair: a signed statement about this request
 * (DPoP, RFC 9449). A stolen token alone is worth nothing.
 */
const TYPE = 'dpop+jwt';

/** Largest difference between the clocks of edge and API, and longest life of a proof. */
const CLOCK_SECONDS = 300;

const Claims = z.object({ htm: z.string(), htu: z.url(), ath: z.string() });
const Header = z.object({ jwk: PublicKey });

/** Returns the headers of a request. The query is not part of the proof, as in the RFC. */
export async function proofHeaders(
  { privateKey, publicKey }: EdgeKey,
  token: string,
  method: string,
  url: URL,
): Promise<Record<string, string>> {
  const htu = `${url.origin}${url.pathname}`;
  const proof = await new SignJWT({ htm: method, htu, ath: hashOf(token), jti: randomUUID() })
    .setProtectedHeader({ typ: TYPE, alg: 'ES256', jwk: publicKey })
    .setIssuedAt()
    .sign(privateKey);
  return { authorization: `DPoP ${token}`, dpop: proof };
}

/** A request whose proof is valid. Whether the token belongs to the key is for the database to decide. */
export interface ProvedRequest {
  token: string;
  publicKey: PublicKey;
}

/** Checks the proof; returns a sentence if it is not accepted. Proxies may change the host, so the path alone counts. */
export async function provedBy(
  headers: { authorization?: string | undefined; dpop?: string | string[] | undefined },
  method: string,
  path: string,
): Promise<ProvedRequest | string> {
  const token = /^DPoP (edge_[0-9A-Za-z]{43})$/.exec(headers.authorization ?? '')?.[1];
  if (token === undefined || typeof headers.dpop !== 'string')
    return 'An edge token and a proof of its key are required.';
  try {
    const { payload, protectedHeader } = await jwtVerify(headers.dpop, EmbeddedJWK, {
      typ: TYPE,
      algorithms: ['ES256'],
      maxTokenAge: CLOCK_SECONDS,
      clockTolerance: CLOCK_SECONDS,
    });
    const claims = Claims.parse(payload);
    const isThis = claims.htm === method && new URL(claims.htu).pathname === path && claims.ath === hashOf(token);
    if (!isThis) return 'The proof is one of another request.';
    return { token, publicKey: Header.parse(protectedHeader).jwk };
  } catch (error) {
    const isLate = error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed;
    return isLate ? 'The proof is too old. Check the clocks of edge and API.' : 'The proof is not valid.';
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');
