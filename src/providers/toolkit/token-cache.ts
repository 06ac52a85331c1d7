import { BoundedMap } from '../../net/bounded-map.ts';
import type { Clock } from '../call.ts';

export interface AccessToken {
  token: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/**
 * Access tokens by credential. Many calls that need the same one at once share one request for it, and it is fetched anew
 * before it expires. Tokens live in memory only.
 */
export interface TokenCache {
  /** `fetchToken` is bound by no caller's signal: the others who wait for the same token have not been aborted. */
  get(credential: string, fetchToken: () => Promise<AccessToken>): Promise<string>;
  /** The provider no longer accepts it, whatever its expiry says. */
  forget(credential: string, token: string): void;
}

/** Clocks differ and requests take time: a token is renewed this long before its end. */
const RENEW_BEFORE_MS = 60_000;
const TOKENS_MAX = 10_000;

interface Entry {
  fetching: Promise<AccessToken>;
  /** Undefined while it is being fetched. */
  known?: AccessToken;
}

export function tokenCache(clock: Pick<Clock, 'now'>): TokenCache {
  const entries = new BoundedMap<string, Entry>(TOKENS_MAX);
  const isUsable = ({ known }: Entry): boolean =>
    known === undefined || known.expiresAt - RENEW_BEFORE_MS > clock.now();

  const begin = (credential: string, fetchToken: () => Promise<AccessToken>): Entry => {
    const entry: Entry = { fetching: fetchToken() };
    entries.set(credential, entry);
    entry.fetching.then(
      (known) => (entry.known = known),
      () => entries.get(credential) === entry && entries.delete(credential),
    );
    return entry;
  };

  return {
    async get(credential, fetchToken) {
      const kept = entries.get(credential);
      const entry = kept && isUsable(kept) ? kept : begin(credential, fetchToken);
      return (await entry.fetching).token;
    },
    forget: (credential, token) => {
      if (entries.get(credential)?.known?.token === token) entries.delete(credential);
    },
  };
}
