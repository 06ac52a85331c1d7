/** Patterns of every kind of secret. */
const SHAPES: Readonly<Record<string, RegExp>> = {
  'an API key': /sk_(test|live)_[0-9A-Za-z]{30,}/g,
  'a signing secret': /whsec_[0-9A-Za-z+/=_-]{20,}/g,
  'a token': /eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g,
  'an address with a password': /postgres(?:ql)?:\/\/[^\s:@/"]+:[^\s@"]+@/g,
};

/** Returns the secrets in a text, known or matching a pattern, each with the text before it. */
export function secretsIn(text: string, known: Iterable<string>): string[] {
  const found: string[] = [];
  for (const secret of known) {
    const at = text.indexOf(secret);
    if (at >= 0) found.push(`a known secret after "${text.slice(Math.max(0, at - 60), at)}"`);
  }
  for (const [what, shape] of Object.entries(SHAPES))
    for (const { index } of text.matchAll(shape))
      found.push(`${what} after "${text.slice(Math.max(0, index - 60), index)}"`);
  return found;
}
