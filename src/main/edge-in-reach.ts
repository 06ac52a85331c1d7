import type { Config } from '../config.ts';
import { trustFile, usualTrust, type TlsAddress } from '../edge/handshake.ts';
import { bareHost } from '../net/safe-dial.ts';

export interface EdgeInReach {
  /** host:port of its TLS listener. */
  tlsAddress: string;
  /** Additional certificate authorities to trust there. */
  caFile: string | null;
  /** Its log, if this process can read it. */
  logFile: string | null;
}

/** Returns the edge that the settings name, for processes that start none. */
export const edgeOf = (config: Config): EdgeInReach | null =>
  config.EDGE_TLS_ADDRESS === undefined
    ? null
    : {
        tlsAddress: config.EDGE_TLS_ADDRESS,
        caFile: config.EDGE_CA_FILE ?? null,
        logFile: config.EDGE_LOG_FILE ?? null,
      };

/** Returns where and how to make a TLS handshake with the edge. */
export function tlsAddressOf({ tlsAddress, caFile }: EdgeInReach): TlsAddress {
  const { hostname, port } = new URL(`tls://${tlsAddress}`);
  return { host: bareHost(hostname), port: Number(port), trust: caFile === null ? usualTrust : trustFile(caFile) };
}
