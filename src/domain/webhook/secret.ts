/** The secrets of an endpoint: the one that signs, and, while it is being replaced, the one that comes after it. */
export interface EndpointSecrets {
  current: string;
  next: { secret: string; activatesAt: Date } | null;
}

/** The secrets as they are at this moment: a next one whose time has come is the current one. */
export function secretsAt(secrets: EndpointSecrets, now: number): EndpointSecrets {
  const { next } = secrets;
  return next !== null && next.activatesAt.getTime() <= now ? { current: next.secret, next: null } : secrets;
}

/**
 * Two phases: the receiver is told the next secret and accepts both, and only then do we sign with it. After a leak the old
 * one ends at once. A rotation that is still waiting is replaced: its secret was never the signing one.
 */
export function rotated(secrets: EndpointSecrets, secret: string, activatesAt: Date, now: number): EndpointSecrets {
  const today = secretsAt(secrets, now);
  return activatesAt.getTime() <= now
    ? { current: secret, next: null }
    : { current: today.current, next: { secret, activatesAt } };
}
