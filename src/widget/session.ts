/** Progress that survives a reload of the page. */
export interface SavedProgress {
  domain: string;
  id: string | null;
  added: boolean;
  manual: boolean;
}

export interface Session {
  read(): SavedProgress | null;
  write(saved: SavedProgress): void;
  clear(): void;
}

/** Keeps progress in this tab's sessionStorage. If the browser blocks it, a reload starts from the beginning. */
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
    write: ({ domain, id, added, manual }) =>
      void attempt(() => sessionStorage.setItem(key, `${domain} ${id ?? ''} ${String(added)} ${String(manual)}`)),
    clear: () => void attempt(() => sessionStorage.removeItem(key)),
  };
}

/** Splits at spaces, which hostnames and ids cannot contain. */
function parsed(text: string | null): SavedProgress | null {
  const [domain, id, added, manual] = (text ?? '').split(' ');
  if (!domain || manual === undefined) return null;
  return { domain, id: id || null, added: added === 'true', manual: manual === 'true' };
}

/** Reads a token's domain and customer id. Does not verify the token, because the service does so on every call. */
export function claimsOf(token: string): { domain: string | null; customer: string | null } {
  try {
    const payload = (token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/');
    const { dom, ext } = JSON.parse(atob(payload)) as { dom?: unknown; ext?: unknown };
    return { domain: typeof dom === 'string' ? dom : null, customer: typeof ext === 'string' ? ext : null };
  } catch {
    return { domain: null, customer: null };
  }
}
