/** The names under which the service itself is reached. Nobody may connect them, and no origin may lead back to them. */
export interface OwnHosts {
  /** Exactly these. */
  names: readonly string[];
  /** These and every name below them. */
  zones: readonly string[];
}

export const ownHosts = (baseUrl: string, edgeTarget: string): OwnHosts => ({
  names: [new URL(baseUrl).hostname],
  zones: [edgeTarget.toLowerCase().replace(/\.$/, '')],
});

export const isOwnHost = ({ names, zones }: OwnHosts, host: string): boolean =>
  names.includes(host) || zones.some((zone) => host === zone || host.endsWith(`.${zone}`));
