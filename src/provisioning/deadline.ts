import { ProviderError } from '../providers/provider-error.ts';
import { providerOf } from '../providers/registry.ts';

/**
 * Our own deadline (AbortSignal.timeout) reads as the provider not answering, because that is what happened. Whether a
 * write was under way is not known then, so it may have changed the zone. Every other error is returned as it is.
 */
export function asProviderError(error: unknown, provider: string): unknown {
  if (!(error instanceof DOMException) || error.name !== 'TimeoutError') return error;
  const name = providerOf(provider)?.descriptor.name ?? provider;
  return new ProviderError('transient', `${name}: it did not answer in time.`, { mayHaveChanged: true });
}
