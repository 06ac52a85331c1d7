/** A secret of an application, as edges know it. The secret itself reaches them encrypted. */
export interface SigningSecret {
  id: string;
  /** Time in milliseconds of the epoch from which it signs; 0 if it signs already. */
  from: number;
}

/** The parts of a request that the edge signs for the origin. */
export interface SignedParts {
  method: string;
  hostname: string;
  /** Path with query, as sent to the origin. */
  uri: string;
  requestId: string;
}

/**
 * Returns the text to sign: six lines, so that no part can move into another. None of them contains a line break. The
 * last one is the hex of SHA-256 of X-Svc-Metadata.
 */
export const signedText = (seconds: number, request: SignedParts, metadataHash: string): string =>
  `${seconds}\n${sentMethod(request.method)}\n${request.hostname}\n${request.uri}\n${request.requestId}\n${metadataHash}`;

/** HTTP/2 and HTTP/3 start a websocket with CONNECT (RFC 8441 and 9220), which reaches the origin as GET. */
const sentMethod = (method: string): string => (method === 'CONNECT' ? 'GET' : method.toUpperCase());
