/** Maximum depth and number of values of a request body. JSON.parse itself has no limits. */
export const JSON_DEPTH = 32;
export const JSON_VALUES = 50_000;

export type Excess = 'too_deep' | 'too_many_values';

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** Counts values before JSON.parse allocates: an array or object has one value more than commas. */
export function excessOf(json: Uint8Array): Excess | null {
  let depth = 0;
  let values = 1;
  let justOpened = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (byte <= SPACE) continue;
    const closes = byte === 0x5d || byte === 0x7d; // ] }
    if (byte === COMMA || (justOpened && !closes)) values++;
    if (values > JSON_VALUES) return 'too_many_values';
    justOpened = byte === 0x5b || byte === 0x7b; // [ {
    if (justOpened && ++depth > JSON_DEPTH) return 'too_deep';
    if (closes) depth--;
    if (byte === QUOTE) at = endOfString(json, at);
  }
  return null;
}

/** Returns the index of the closing quote, or the length if there is none. */
function endOfString(json: Uint8Array, opening: number): number {
  let at = opening + 1;
  for (; at < json.length && json[at] !== QUOTE; at++) if (json[at] === BACKSLASH) at++;
  return at;
}
