import { ServiceError } from '../domain/errors.ts';
import { asProviderError } from '../provisioning/deadline.ts';
import { ProviderError } from '../providers/provider-error.ts';

/** Turns errors of a provider into 502 answers. Their messages contain no secrets. */
export async function asProviderAnswer<T>(provider: string, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (thrown) {
    const error = asProviderError(thrown, provider);
    if (error instanceof ProviderError)
      throw new ServiceError('provider_error', error.message, { details: { code: error.code } });
    throw error;
  }
}
