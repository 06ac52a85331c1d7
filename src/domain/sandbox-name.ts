import type { Environment } from './connection/connection.ts';

/** Names under .test have no DNS in the world (RFC 6761); in the test environment a table plays it. */
export const isSandboxName = (hostname: string): boolean => hostname.endsWith('.test');

export const isInSandbox = ({ environment, hostname }: { environment: Environment; hostname: string }): boolean =>
  environment === 'test' && isSandboxName(hostname);
