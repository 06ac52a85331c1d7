/** Parses text as JSON. Returns undefined for other text: gateways and old servers send HTML or plain text. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
