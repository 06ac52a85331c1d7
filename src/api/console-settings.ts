/** Settings of the console. */
export interface ConsoleSettings {
  /** The OpenID provider at which people can sign in. Null if there is none. */
  oidc: OidcSettings | null;
}

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Claim with the id of the person's tenant. */
  tenantClaim: string;
  /** Claim with the person's role. */
  roleClaim: string;
}
