/** Signing secrets of an endpoint: the current one, and the next one during a rotation. */
export interface EndpointSecrets {
  current: string;
  next: { secret: string; activatesAt: Date } | null;
}

/** Returns the secrets at this time: once the next one is active, it is the current one. */
export function secretsAt(secrets: EndpointSecrets, now: number): EndpointSecrets {
  const { next } = secrets;
  return next !== null && next.activatesAt.getTime() <= now ? { current: next.secret, next: null } : secrets;
}

/** Rotates in two phases, so the receiver accepts both secrets first. After a leak the old one ends immediately. */
export function rotated(secrets: EndpointSecrets, secret: string, activatesAt: Date, now: number): EndpointSecrets {
  const today = secretsAt(secrets, now);
  return activatesAt.getTime() <= now
    ? { current: secret, next: null }
    : { current: today.current, next: { secret, activatesAt } };
}
