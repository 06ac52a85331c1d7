export const SCOPES = ['connections:read', 'connections:write', 'apps:admin', 'webhooks:write', 'usage:read'] as const;
export type Scope = (typeof SCOPES)[number];
