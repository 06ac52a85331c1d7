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
  /** Returns the server address in the tenant's credential. The dialling guards apply to such an address. */
  serverOf?: (fields: FieldsOf<D>) => string,
): Provider {
  return {
    descriptor,
    open: (credential, context) => {
      const fields = readCredential(descriptor, credential);
      const { allowPrivate = false, baseUrl = descriptor.base_url } = context;
      const http = context.http.account({
        descriptor,
        baseUrl: baseUrl ?? serverOf?.(fields) ?? '',
        ...(baseUrl === null && { tenantGiven: { allowPrivate } }),
        secrets: secretsOf(descriptor, credential),
      });
      return open({ fields, http, context });
    },
  };
}
