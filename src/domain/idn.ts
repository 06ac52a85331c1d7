import { hostOfUrl } from './hostname.ts';

/** Returns a hostname as people write it, with U-labels (RFC 5890). If it would not convert back, returns it unchanged. */
export function unicodeHostname(hostname: string): string {
  if (hostname.indexOf('xn--') === -1) return hostname;
  const labels = hostname.split('.').map((label) => (label.startsWith('xn--') ? decoded(label.slice(4)) : label));
  const text = labels.join('.');
  return hostOfUrl(text) === hostname ? text : hostname;
}

const BASE = 36;
const T_MAX = 26;
const LAST_CODE_POINT = 0x10ffff;

/** Decodes Punycode (RFC 3492 section 6.2). Returns an empty string for text that is not Punycode. */
function decoded(input: string): string {
  const basic = input.lastIndexOf('-');
  const output = basic > 0 ? Array.from(input.slice(0, basic), (char) => char.charCodeAt(0)) : [];
  let [code, position, bias] = [128, 0, 72];
  for (let at = basic > 0 ? basic + 1 : 0; at < input.length; position += 1) {
    const before = position;
    for (let [weight, k] = [1, BASE]; ; k += BASE) {
      const digit = digitOf(input.charCodeAt(at));
      at += 1;
      if (digit >= BASE) return '';
      position += digit * weight;
      const threshold = Math.min(Math.max(k - bias, 1), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = output.length + 1;
    bias = adapted(position - before, length, before === 0);
    code += Math.floor(position / length);
    position %= length;
    if (code > LAST_CODE_POINT) return '';
    output.splice(position, 0, code);
  }
  return String.fromCodePoint(...output);
}

/** Returns the value of a digit: a to z are 0 to 25, 0 to 9 are 26 to 35. Any other character is no digit. */
function digitOf(char: number): number {
  if (char >= 48 && char < 58) return char - 22;
  return char >= 97 && char < 123 ? char - 97 : BASE;
}

function adapted(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2));
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > 455; k += BASE) rest = Math.floor(rest / 35);
  return k + Math.floor((36 * rest) / (rest + 38));
}
