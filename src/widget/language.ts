import * as en from '../locales/en.ts';
import { chooseLocale, isRightToLeft, type Locale, type WordKey } from '../locales/words.ts';
import type { Files } from './files.ts';
import { translator, type Translate } from './translator.ts';

export interface Language {
  locale: Locale;
  dir: 'ltr' | 'rtl';
  t: Translate<WordKey>;
  /** "TXT and CNAME" in this language. */
  list(items: readonly string[]): string;
}

/** Loads the preferred language. Falls back to English if it does not arrive in time. */
export async function loadLanguage(files: Files, preferred: string | undefined): Promise<Language> {
  const locale = chooseLocale([preferred, document.documentElement.lang || undefined, ...navigator.languages]);
  const values = await files.words('widget', locale);
  const shown = values === null ? 'en' : locale;
  return {
    locale: shown,
    dir: isRightToLeft(shown) ? 'rtl' : 'ltr',
    t: translator(shown, en.widget, values),
    list: (items) => new Intl.ListFormat(shown).format(items),
  };
}
