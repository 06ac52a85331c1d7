/** Names as providers spell them. Ours are absolute, lower-case and without a trailing dot; these go there and back. */
export function absolute(name: string, zone: string): string {
  const lower = name.toLowerCase();
  if (lower === '' || lower === '@') return zone;
  if (lower.endsWith('.')) return lower.slice(0, -1);
  return lower === zone || lower.endsWith(`.${zone}`) ? lower : `${lower}.${zone}`;
}

/** `apex` is what this provider calls the zone itself: `@` or the empty string. */
export function relative(host: string, zone: string, apex: '@' | ''): string {
  return host === zone ? apex : host.slice(0, -(zone.length + 1));
}

export const dotted = (host: string): string => (host.endsWith('.') ? host : `${host}.`);

export const undotted = (host: string): string => host.toLowerCase().replace(/\.$/, '');

export const isInZone = (host: string, zone: string): boolean => host === zone || host.endsWith(`.${zone}`);

/** The names that could be the host's zone, longest first. A top-level domain is nobody's zone. */
export function zoneCandidates(host: string): string[] {
  const labels = host.split('.');
  return labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'));
}

/** Longest match wins: a delegated sub-zone answers for its names, not its parent. */
export function longestZone<Z extends { name: string }>(host: string, zones: readonly Z[]): Z | undefined {
  return zones
    .filter((zone) => isInZone(host, zone.name))
    .reduce<Z | undefined>((best, zone) => (best && best.name.length >= zone.name.length ? best : zone), undefined);
}
