/** Progress that survives a reload of the page. */
export interface SavedProgress {
  domain: string;
  id: string | null;
  added: boolean;
  manual: boolean;
  pointed: boolean;
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
    write: ({ domain, id, added, manual, pointed }) =>
      void attempt(() =>
        sessionStorage.setItem(key, [domain, id ?? '', String(added), String(manual), String(pointed)].join(' ')),
      ),
    clear: () => void attempt(() => sessionStorage.removeItem(key)),
  };
}

/** Splits at spaces, which hostnames and ids cannot contain. */
function parsed(text: string | null): SavedProgress | null {
  const [domain, id, added, manual, pointed] = (text ?? '').split(' ');
  if (!domain || manual === undefined) return null;
  return { domain, id: id || null, added: added === 'true', manual: manual === 'true', pointed: pointed === 'true' };
}

interface Claims {
  application: string | null;
  domain: string | null;
  customer: string | null;
}

/** Reads a token's claims. Does not verify the token, because the service does so on every call. */
export function claimsOf(token: string): Claims {
  const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  try {
    const payload = (token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/');
    const { sub, dom, ext } = JSON.parse(atob(payload)) as Record<string, unknown>;
    return { application: textOf(sub), domain: textOf(dom), customer: textOf(ext) };
  } catch {
    return { application: null, domain: null, customer: null };
  }
}

/** Whether two tokens have the same application, customer and domain, so that one can replace the other. */
export function isSameBearer(one: string, other: string): boolean {
  const [a, b] = [claimsOf(one), claimsOf(other)];
  return a.application === b.application && a.domain === b.domain && a.customer === b.customer;
}
