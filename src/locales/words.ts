import type * as en from './en.ts';

type Texts<T> = Readonly<Record<keyof T, string>>;

/** Texts of the widget's script: the first step, errors, and questions over any step. */
export type Words = Texts<typeof en.widget>;
/** Texts of the widget's later steps. The shared page uses them too. */
export type SetupWords = Texts<typeof en.setup>;
export type EmailWords = Texts<typeof en.email>;
/** Texts of pages that the API renders. */
export type PageWords = Texts<typeof en.page>;
export type EdgeWords = Readonly<Record<keyof typeof en.edge, Readonly<{ title: string; text: string }>>>;
export type WordKey = keyof Words;
export type SetupKey = keyof SetupWords;

export const LOCALES = ['en', 'de', 'fr', 'es', 'pt-BR', 'ja', 'ar'] as const;
export type Locale = (typeof LOCALES)[number];

export const isRightToLeft = (locale: Locale): boolean => locale === 'ar';

/** Returns the first preferred language that we have, by its full tag or its language subtag, or English (RFC 4647). */
export function chooseLocale(preferred: readonly (string | undefined)[]): Locale {
  for (const choice of preferred) {
    const tag = (choice ?? '').toLowerCase();
    for (const locale of LOCALES) if (locale.toLowerCase() === tag) return locale;
    for (const locale of LOCALES)
      if (locale.slice(0, 2) === tag.slice(0, 2) && /^[a-z]{2}(-|$)/.test(tag)) return locale;
  }
  return 'en';
}

export type Params = Readonly<Record<string, string>>;

/** Replaces {placeholders} with values. `isolate` keeps each value's own direction in right-to-left text. */
export function fill(text: string, params: Params, isolate = false): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name];
    if (value === undefined) return whole;
    return isolate ? `\u2068${value}\u2069` : value;
  });
}
