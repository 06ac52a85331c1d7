/**
 * Reads the one-time link or an error from the fragment and removes it from the address bar and the history, so that a
 * copied address or a screenshot does not contain the secret.
 */
export function takeFragment(): { link: string | null; error: string | null } {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  return { link: fragment.get('link'), error: fragment.get('error') };
}
