import type { Config } from '../config.ts';

/** An edge that this process can shake hands with. */
export interface EdgeInReach {
  /** host:port of its TLS listener. */
  tlsAddress: string;
  /** Authorities to trust there beside the usual ones. */
  caFile: string | null;
  /** Its log, where it can be read from here. */
  logFile: string | null;
}

/** The edge that the settings name, for processes that start none themselves. */
export const edgeOf = (config: Config): EdgeInReach | null =>
  config.EDGE_TLS_ADDRESS === undefined
    ? null
    : {
        tlsAddress: config.EDGE_TLS_ADDRESS,
        caFile: config.EDGE_CA_FILE ?? null,
        logFile: config.EDGE_LOG_FILE ?? null,
      };
