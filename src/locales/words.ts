import type * as en from './en.ts';

/** What the widget and the shared page can say, in one language. */
export type Words = Readonly<Record<keyof typeof en.widget, string>>;
export type PageWords = Readonly<Record<keyof typeof en.page, string>>;
export type WordKey = keyof Words;

export const LOCALES = ['en', 'de', 'fr', 'es', 'pt-BR', 'ja', 'ar'] as const;
export type Locale = (typeof LOCALES)[number];

export const isRightToLeft = (locale: Locale): boolean => locale === 'ar';

/** The first wish that we have, by the whole tag or else by its language (RFC 4647, lookup); English if there is none. */
export function chooseLocale(wishes: readonly (string | undefined)[]): Locale {
  for (const wish of wishes) {
    const tag = (wish ?? '').toLowerCase();
    for (const locale of LOCALES) if (locale.toLowerCase() === tag) return locale;
    for (const locale of LOCALES)
      if (locale.slice(0, 2) === tag.slice(0, 2) && /^[a-z]{2}(-|$)/.test(tag)) return locale;
  }
  return 'en';
}

export type Params = Readonly<Record<string, string>>;

/** Puts values in the place of their {names}. In a text that runs from right to left, each keeps its own direction. */
export function fill(text: string, params: Params, isolate = false): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name];
    if (value === undefined) return whole;
    return isolate ? `\u2068${value}\u2069` : value;
  });
}
