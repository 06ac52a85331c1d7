/** Names as providers spell them. Ours are absolute, lower-case and without a trailing dot; these go there and back. */
export function absolute(name: string, zone: string): string {
  const lower = name.toLowerCase();
  if (lower === '' || lower === '@') return zone;
  if (lower.endsWith('.')) return lower.slice(0, -1);
  return lower === zone || lower.endsWith(`.${zone}`) ? lower : `${lower}.${zone}`;
}

/**
 * The same at a provider whose names are always relative to the zone. There `example.com` in the zone `example.com` is
 * `example.com.example.com`, which customers make by mistake and which is not the zone itself.
 */
export function fromRelative(relativeName: string, zone: string): string {
  const lower = relativeName.toLowerCase();
  if (lower === '' || lower === '@') return zone;
  return lower.endsWith('.') ? lower.slice(0, -1) : `${lower}.${zone}`;
}

/** `apex` is what this provider calls the zone itself: `@` or the empty string. */
export function relative(host: string, zone: string, apex: '@' | ''): string {
  return host === zone ? apex : host.slice(0, -(zone.length + 1));
}

export const dotted = (host: string): string => (host.endsWith('.') ? host : `${host}.`);

export const undotted = (host: string): string => host.toLowerCase().replace(/\.$/, '');
