/** What outlives a reload of the page, until the window is finished with. */
export interface Kept {
  domain: string;
  id: string | null;
  added: boolean;
  byHand: boolean;
}

export interface Session {
  read(): Kept | null;
  write(kept: Kept): void;
  clear(): void;
}

/** In sessionStorage: of this tab alone, and gone with it. Where the browser refuses it, a reload begins anew. */
export function openSession(applicationId: string, customer: string | null): Session {
  const key = `svc:${applicationId}:${customer ?? ''}`;
  const attempt = <T>(action: () => T): T | null => {
    try {
      return action();
    } catch {
      return null;
    }
  };
  return {
    read: () => attempt(() => parsed(sessionStorage.getItem(key))),
    write: ({ domain, id, added, byHand }) =>
      void attempt(() => sessionStorage.setItem(key, `${domain} ${id ?? ''} ${String(added)} ${String(byHand)}`)),
    clear: () => void attempt(() => sessionStorage.removeItem(key)),
  };
}

/** Four words; host names and ids hold no blanks. */
function parsed(text: string | null): Kept | null {
  const [domain, id, added, byHand] = (text ?? '').split(' ');
  if (!domain || byHand === undefined) return null;
  return { domain, id: id || null, added: added === 'true', byHand: byHand === 'true' };
}

/**
 * What a token says of itself: the name it is bound to, and the customer it is for, as the tenant calls them. It is not
 * judged here: the service does that at every call.
 */
export function claimsOf(token: string): { domain: string | null; customer: string | null } {
  try {
    const payload = (token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/');
    const { dom, ext } = JSON.parse(atob(payload)) as { dom?: unknown; ext?: unknown };
    return { domain: typeof dom === 'string' ? dom : null, customer: typeof ext === 'string' ? ext : null };
  } catch {
    return { domain: null, customer: null };
  }
}
