/** Where the service is that this script was loaded from; it may live below a path. */
export function homeOf(address: string): string {
  const { origin, pathname } = new URL(address);
  const at = pathname.indexOf('/sdk/');
  return at === -1 ? origin : origin + pathname.slice(0, at);
}
