import type { Account, Provider, ProviderContext } from '../contract.ts';
import type { Descriptor } from '../descriptor.ts';
import { type FieldsOf, readCredential, secretsOf } from './credential.ts';
import type { HttpAccount } from './http.ts';

/** A credential in use: its fields by name, and the way to its provider. */
export interface Opened<D extends Descriptor> {
  fields: FieldsOf<D>;
  http: HttpAccount;
  context: ProviderContext;
}

/**
 * A provider that is reached over HTTP. The descriptor must be a constant (`as const satisfies Descriptor`): its field
 * names are then part of its type, and an adapter that misspells one does not compile.
 */
export function defineProvider<D extends Descriptor>(
  descriptor: D,
  open: (opened: Opened<D>) => Account,
  /** Where the tenant's credential names the server: such an address is dialled with care. */
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
