import type { Account, Provider, ProviderContext } from '../contract.ts';
import type { Descriptor } from '../descriptor.ts';
import { type FieldsOf, readCredential, secretsOf } from './credential.ts';
import type { HttpAccount } from './http.ts';

/** An opened credential: its fields by name, and the HTTP client of its account. */
export interface Opened<D extends Descriptor> {
  fields: FieldsOf<D>;
  http: HttpAccount;
  context: ProviderContext;
}

/** Defines a provider with an HTTP API. A constant descriptor types its fields, so misspelling one does not compile. */
export function defineProvider<D extends Descriptor>(
  descriptor: D,
  open: (opened: Opened<D>) => Account,
  /**
   * Returns the server that the credential selects. Without `base_url` the tenant wrote its address, so the dialling
   * guards apply.
   */
  serverOf?: (fields: FieldsOf<D>) => string,
): Provider {
  return {
    descriptor,
    open: (credential, context) => {
      const fields = readCredential(descriptor, credential);
      const { allowPrivate = false, baseUrl } = context;
      const isTenantGiven = baseUrl === undefined && descriptor.base_url === null;
      const http = context.http.account({
        descriptor,
        baseUrl: baseUrl ?? serverOf?.(fields) ?? descriptor.base_url ?? '',
        ...(isTenantGiven && { tenantGiven: { allowPrivate } }),
        secrets: secretsOf(descriptor, credential),
      });
      return open({ fields, http, context });
    },
  };
}
