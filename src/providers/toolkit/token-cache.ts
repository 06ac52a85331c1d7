import { BoundedMap } from '../../net/bounded-map.ts';
import type { Clock } from '../call.ts';

export interface AccessToken {
  token: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** Access tokens by credential, in memory only. Concurrent calls share a request; tokens are renewed before expiry. */
export interface TokenCache {
  /** Returns a token. `fetchToken` must not use one caller's signal: others wait for the same token. */
  get(credential: string, fetchToken: () => Promise<AccessToken>): Promise<string>;
  /** Discards a token that the provider refused before its expiry. */
  discard(credential: string, token: string): void;
}

/** Time before the expiry at which a token is renewed: clocks differ and requests take time. */
const RENEW_BEFORE_MS = 60_000;
const TOKENS_MAX = 10_000;

interface Entry {
  fetching: Promise<AccessToken>;
  /** Undefined while the request for the token is under way. */
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
    discard: (credential, token) => {
      if (entries.get(credential)?.known?.token === token) entries.delete(credential);
    },
  };
}
