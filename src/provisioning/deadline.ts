import { ProviderError } from '../providers/provider-error.ts';
import { providerOf } from '../providers/registry.ts';

/** Converts our own timeout to a provider that does not answer. A write may have been sent. */
export function asProviderError(error: unknown, provider: string): unknown {
  if (!(error instanceof DOMException) || error.name !== 'TimeoutError') return error;
  const name = providerOf(provider)?.descriptor.name ?? provider;
  return new ProviderError('transient', `${name}: it did not answer in time.`, { mayHaveChanged: true });
}
