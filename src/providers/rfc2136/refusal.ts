import { ProviderError, type ProviderErrorCode } from '../provider-error.ts';

/** Meaning of the response codes of RFC 1035 and RFC 2136 for the tenant who gave us the key. */
const REFUSALS: Record<number, [ProviderErrorCode, string]> = {
  1: ['validation', 'the server could not read the request.'],
  4: ['validation', 'the server does not accept updates.'],
  5: ['forbidden_scope', 'the key may not do this. Allow it to query and update the zone.'],
  9: ['zone_not_found', 'the server is not authoritative for the zone.'],
  10: ['validation', 'a name is outside the zone.'],
};

export function refusalOf(rcode: number, isUpdate = false): ProviderError {
  const [code, text] = REFUSALS[rcode] ?? ['transient', `the server reported an internal error (rcode ${rcode}).`];
  return new ProviderError(code, `DNS UPDATE: ${text}`, { mayHaveChanged: code === 'transient' && isUpdate });
}
