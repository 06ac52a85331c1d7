import type { ConsoleSettings } from '../api/console-settings.ts';
import type { Config } from '../config.ts';

/** Returns the settings of the console. Null if it is off. */
export function consoleOf(config: Config): ConsoleSettings | null {
  if (config.CONSOLE === 'off') return null;
  const {
    CONSOLE_OIDC_ISSUER: issuer,
    CONSOLE_OIDC_CLIENT_ID: clientId = '',
    CONSOLE_OIDC_CLIENT_SECRET: clientSecret = '',
    CONSOLE_OIDC_TENANT_CLAIM: tenantClaim = '',
    CONSOLE_OIDC_ROLE_CLAIM: roleClaim = '',
  } = config;
  return { oidc: issuer === undefined ? null : { issuer, clientId, clientSecret, tenantClaim, roleClaim } };
}
