import type { Credential } from '../contract.ts';
import type { AuthField, Descriptor } from '../descriptor.ts';
import { ProviderError } from '../provider-error.ts';

/** The credential fields of a descriptor as an object type. Optional fields may be undefined. */
export type FieldsOf<D extends Descriptor> = {
  [F in D['auth']['fields'][number] as F['required'] extends true ? F['name'] : never]: string;
} & {
  [F in D['auth']['fields'][number] as F['required'] extends true ? never : F['name']]: string | undefined;
};

/** Checks a credential against the provider's form. Values are sent in headers, so special characters are refused. */
export function readCredential<D extends Descriptor>({ name, auth }: D, given: Credential): FieldsOf<D> {
  const known = new Map(auth.fields.map((field) => [field.name, field]));
  const values: Record<string, string> = {};
  for (const [key, value] of Object.entries(given)) {
    const field = known.get(key);
    if (!field) throw new ProviderError('validation', `${name} has no credential field "${key}".`);
    const text = value.trim();
    if (text !== '') values[key] = acceptable(name, field, text);
  }
  for (const { name: key, label, required } of auth.fields) {
    if (required && !Object.hasOwn(values, key))
      throw new ProviderError('validation', `${name} needs a value for ${label} (${key}).`);
  }
  return values as FieldsOf<D>;
}

function acceptable(name: string, { label, name: key, multiline }: AuthField, text: string): string {
  if (multiline === true || /^[\x20-\x7e]*$/.test(text)) return text;
  throw new ProviderError(
    'validation',
    `${name}: ${label} (${key}) must be one line of plain characters. Copy it again, without line breaks.`,
  );
}

export const secretsOf = ({ auth }: Descriptor, credential: Credential): string[] =>
  auth.fields
    .flatMap(({ name, secret }) => (secret ? (credential[name]?.trim() ?? []) : []))
    .filter((text) => text !== '');
