import { fill, isRightToLeft, type Locale, type Params } from '../locales/words.ts';

export type Translate<K extends string> = (key: K, params?: Params) => string;

/** Returns a function that translates. Without translated values, it returns the English texts. */
export function translator<K extends string>(
  locale: Locale,
  english: Readonly<Record<K, string>>,
  values: readonly string[] | null,
): Translate<K> {
  const words: Record<string, string> = {};
  const keys = Object.keys(english);
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i] ?? '';
    words[key] = values?.[i] ?? english[key as K];
  }
  return (key, params = {}) => fill(words[key] ?? '', params, isRightToLeft(locale));
}
