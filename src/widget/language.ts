import * as en from '../locales/en.ts';
import {
  chooseLocale,
  fill,
  isRightToLeft,
  type Locale,
  type Params,
  type WordKey,
  type Words,
} from '../locales/words.ts';

/** File names of the translations by locale. The build defines this constant. */
declare const LOCALE_FILES: Readonly<Record<string, string>>;

export interface Language {
  locale: Locale;
  dir: 'ltr' | 'rtl';
  t(key: WordKey, params?: Params): string;
  /** "TXT and CNAME" in this language. */
  list(items: readonly string[]): string;
}

/** The widget opens only after its language has loaded. After this time it opens in English. */
const LIMIT_MS = 2_500;

/** Loads the preferred language as JSON. Falls back to English if that fails. */
export async function loadLanguage(
  baseUrl: string,
  preferred: string | undefined,
  originalFetch: typeof fetch,
): Promise<Language> {
  const locale = chooseLocale([preferred, document.documentElement.lang || undefined, ...navigator.languages]);
  const file = LOCALE_FILES[locale];
  if (file === undefined) return languageOf('en', en.widget);
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), LIMIT_MS);
  try {
    const response = await originalFetch(`${baseUrl}/sdk/v1/${file}`, { credentials: 'omit', signal: giveUp.signal });
    if (!response.ok) return languageOf('en', en.widget);
    return languageOf(locale, wordsOf((await response.json()) as string[]));
  } catch {
    return languageOf('en', en.widget);
  } finally {
    clearTimeout(timer);
  }
}

/** Restores the keys: the file contains only values, in the order of the English keys. */
function wordsOf(values: readonly string[]): Words {
  const words: Record<string, string> = {};
  const keys = Object.keys(en.widget);
  for (let i = 0; i < keys.length; i += 1) words[keys[i] ?? ''] = values[i] ?? '';
  return words as Words;
}

export function languageOf(locale: Locale, words: Words): Language {
  const isolate = isRightToLeft(locale);
  return {
    locale,
    dir: isolate ? 'rtl' : 'ltr',
    t: (key, params = {}) => fill(words[key], params, isolate),
    list: (items) => new Intl.ListFormat(locale).format(items),
  };
}
