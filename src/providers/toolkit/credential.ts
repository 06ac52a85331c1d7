import type { Credential } from '../contract.ts';
import type { Descriptor } from '../descriptor.ts';
import { ProviderError } from '../provider-error.ts';

/** Checks a credential against the provider's form. Pasted keys come with spaces and line ends around them. */
export function readCredential({ name, auth }: Descriptor, given: Credential): (field: string) => string | undefined {
  const known = new Map(auth.fields.map((field) => [field.name, field]));
  const values = new Map<string, string>();
  for (const [field, value] of Object.entries(given)) {
    if (!known.has(field)) throw new ProviderError('validation', `${name} has no credential field "${field}".`);
    if (value.trim() !== '') values.set(field, value.trim());
  }
  for (const { name: field, label, required } of auth.fields) {
    if (required && !values.has(field))
      throw new ProviderError('validation', `${name} needs a value for ${label} (${field}).`);
  }
  return (field) => values.get(field);
}

/** The values that must never be seen again. */
export const secretsOf = ({ auth }: Descriptor, credential: Credential): string[] =>
  auth.fields
    .flatMap(({ name, secret }) => (secret ? (credential[name]?.trim() ?? []) : []))
    .filter((text) => text !== '');
