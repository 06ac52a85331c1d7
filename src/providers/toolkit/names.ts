/** Returns a provider's name in our form: absolute, lower-case and without a trailing dot. */
export function absolute(name: string, zone: string): string {
  const lower = name.toLowerCase();
  if (lower === '' || lower === '@') return zone;
  if (lower.endsWith('.')) return lower.slice(0, -1);
  return lower === zone || lower.endsWith(`.${zone}`) ? lower : `${lower}.${zone}`;
}

/** Returns our form of a relative name. `example.com` in the zone `example.com` means `example.com.example.com`. */
export function fromRelative(relativeName: string, zone: string): string {
  const lower = relativeName.toLowerCase();
  if (lower === '' || lower === '@') return zone;
  return lower.endsWith('.') ? lower.slice(0, -1) : `${lower}.${zone}`;
}

/** Returns a host relative to its zone. `apex` is the provider's name for the zone itself: `@` or the empty string. */
export function relative(host: string, zone: string, apex: '@' | ''): string {
  return host === zone ? apex : host.slice(0, -(zone.length + 1));
}

export const dotted = (host: string): string => (host.endsWith('.') ? host : `${host}.`);

export const undotted = (host: string): string => host.toLowerCase().replace(/\.$/, '');
