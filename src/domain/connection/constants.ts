/** The brand's tokens, in one place: a fork renames the service here and nowhere else. */
export const CHALLENGE_LABEL = '_service-challenge';

export const challengeName = (hostname: string): string => `${CHALLENGE_LABEL}.${hostname}`;
